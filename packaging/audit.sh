#!/bin/sh
# What a server of gaussdp installs: as a bill of materials (build/sbom/), and whether any of it is known to be unsafe.
# Installed under the hashes of constraints.txt, so that a changed file is refused. First by the advisories that are
# written down here, then by a service, which knows more: a release that could not be audited by it is none. OFFLINE=1
# does without, and says so.
set -eu
cd "$(dirname "$0")/.."
BIN=${BIN:-.venv/bin}
OUT=build/sbom

BARE=$(mktemp -d)
trap 'rm -rf "$BARE"' EXIT
mkdir -p "$OUT"
"$BIN/python" -m venv "$BARE/venv"
grep -e --hash constraints.txt > "$BARE/server.txt"
"$BARE/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement "$BARE/server.txt"
"$BIN/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$BARE" .
"$BARE/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$BARE" \
  "gaussdp[web,accounting,certified,sweep,ledger]"
"$BARE/venv/bin/python" packaging/sbom.py > "$OUT/gaussdp.cdx.json"
"$BIN/python" packaging/known.py "$OUT/gaussdp.cdx.json"
if [ "${OFFLINE:-}" = 1 ]; then
  echo "No service was asked: what is not written down in packaging/advisories.toml was not looked for."
  exit 0
fi
"$BARE/venv/bin/python" -m pip freeze --exclude gaussdp > "$BARE/installed.txt"
"$BIN/python" -m venv "$BARE/auditor"
"$BARE/auditor/bin/python" -m pip install --quiet --disable-pip-version-check "pip-audit>=2.7"
"$BARE/auditor/bin/pip-audit" --strict --disable-pip --no-deps --requirement "$BARE/installed.txt" || {
  echo "Not audited, or unsafe: see above. Where no service can be reached, make audit OFFLINE=1 checks what we know." >&2
  exit 1
}
