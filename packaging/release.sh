#!/bin/sh
# Build the sdist and the wheel, check their metadata, and test the wheel in an environment that holds nothing else;
# write the bill of materials and audit it (packaging/audit.sh).
set -eu
cd "$(dirname "$0")/.."
BIN=${BIN:-.venv/bin}

rm -rf dist
"$BIN/python" -m build --quiet --outdir dist
"$BIN/twine" check --strict dist/*

BIN=$BIN packaging/audit.sh

BARE=$(mktemp -d)
trap 'rm -rf "$BARE"' EXIT
"$BIN/python" -m venv "$BARE/venv"
"$BARE/venv/bin/python" -m pip install --quiet --disable-pip-version-check dist/*.whl
(cd "$BARE" && venv/bin/gaussdp && venv/bin/gaussdp choose --epsilon 1 --table budgets > budgets.txt)
"$BARE/venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest hypothesis mpmath

# The tests that come with the sdist and need no extra; the sources stay out of sight.
tar -xzf dist/*.tar.gz -C "$BARE"
cd "$BARE"/gaussdp-*
rm -rf src
"$BARE/venv/bin/python" -m pytest -q -o addopts="--import-mode=importlib" -o testpaths= -p no:cacheprovider \
  tests/test_conversions.py tests/test_domains.py tests/test_errors.py tests/guarantees/test_gaussian.py \
  tests/choosing tests/cli/test_choose.py tests/cli/test_risk.py tests/cli/test_groups.py
