#!/bin/sh
# What a server of gaussdp installs: as a bill of materials (build/sbom/), and whether any of it is known to be unsafe.
# Needs the network: a release that could not be audited is none.
set -eu
cd "$(dirname "$0")/.."
BIN=${BIN:-.venv/bin}
OUT=build/sbom

BARE=$(mktemp -d)
trap 'rm -rf "$BARE"' EXIT
mkdir -p "$OUT"
"$BIN/python" -m venv "$BARE/venv"
"$BARE/venv/bin/python" -m pip install --quiet --disable-pip-version-check ".[web,accounting,certified,sweep,ledger]"
"$BARE/venv/bin/python" packaging/sbom.py > "$OUT/gaussdp.cdx.json"
"$BARE/venv/bin/python" -m pip freeze --exclude gaussdp > "$BARE/installed.txt"
"$BIN/python" -m venv "$BARE/auditor"
"$BARE/auditor/bin/python" -m pip install --quiet --disable-pip-version-check "pip-audit>=2.7"
"$BARE/auditor/bin/pip-audit" --strict --disable-pip --no-deps --requirement "$BARE/installed.txt"
