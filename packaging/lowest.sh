#!/bin/sh
# The oldest releases that pyproject.toml admits, and the tests of the core, the command line and the integrations with
# them. PyTorch and JAX are left out: their oldest releases are gigabytes, and the tests that need them are skipped.
set -eu
cd "$(dirname "$0")/.."
BIN=${BIN:-.venv/bin}
OLD=build/lowest

"$BIN/python" -m pip install --quiet --disable-pip-version-check uv
"$BIN/uv" venv --quiet --clear --python "$BIN/python" "$OLD"
"$BIN/uv" pip install --quiet --python "$OLD/bin/python" --resolution lowest-direct \
  --editable ".[accounting,certified,frames,ledger,opendp,parquet,plot,registry,sweep,web]"
"$BIN/uv" pip install --quiet --python "$OLD/bin/python" pytest pytest-xdist hypothesis mpmath httpx jsonschema
"$OLD/bin/python" -m pytest -q -W default --deselect tests/cli/test_groups.py::test_the_page_is_up_to_date \
  tests/test_conversions.py tests/guarantees tests/choosing tests/risks tests/cli \
  tests/accounting tests/documents tests/explaining tests/integrations
