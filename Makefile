# make run      sets everything up, prints the budget table for a policy of epsilon = 1, and writes the paper's tables
#               and plots and the map of the rules of thumb into out/; make run ARGS="..." runs another command alone
# make test     sets everything up, a browser included, and runs every test; what cannot be had (a browser without root
#               and without the network, LaTeX) is skipped, and the end of the run says so
# make docs     writes what pages take from the code, and builds the site into site/; a warning is an error
# make release  builds the sdist and the wheel, checks, audits and tests them where nothing else is installed (OFFLINE=1:
#               as below)
# make audit    installs what a server needs under the hashes of constraints.txt, writes a bill of materials of it into
#               build/sbom/, and asks whether any of it is unsafe (OFFLINE=1: by the advisories in packaging/ alone)
# make comparison  asks other tools about the same runs, and writes docs/comparison.md
# make lowest   runs the tests of the core with the oldest releases that pyproject.toml admits
# make lock     writes constraints.txt, the versions that make test installs, from those installed now, with the hashes of
#               what a server needs
# run and test need only Python 3.11 or newer, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PINNED := --constraint $(VENV)/versions.txt
DEFINED := pyproject.toml $(VENV)/versions.txt

.PHONY: run test browser proxy postgres lint bench comparison pages docs notebooks gallery release audit lowest lock clean

run: $(VENV)/.installed
ifdef ARGS
	@$(BIN)/gaussdp $(ARGS)
else
	@$(BIN)/gaussdp choose --epsilon 1
	@echo
	@$(BIN)/gaussdp paper --out out/paper --overwrite
	@$(BIN)/gaussdp rules --out out/rules --overwrite
endif

test: $(VENV)/.installed-dev browser proxy postgres
	@$(BIN)/python -m pytest

# The calculator is tried in a real browser: one that is there, else Debian's for root, else Playwright's own. None of
# them is no error: the tests then skip, and the end of the run says so.
browser: $(VENV)/.installed-dev
	@$(BIN)/python tests/browsers.py || { \
	  echo "Bringing a browser for the tests (once)"; \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qqy chromium; } \
	  || $(BIN)/python -m playwright install chromium || true; \
	  $(BIN)/python tests/browsers.py || echo "No browser could be had: the tests that need one will be skipped" >&2; }

# And behind a real proxy, likewise.
proxy: $(VENV)/.installed-dev
	@$(BIN)/python tests/browsers.py proxy || { \
	  echo "Bringing nginx for the tests (once)"; \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qqy nginx-light; } \
	  || true; \
	  $(BIN)/python tests/browsers.py proxy || echo "No nginx could be had: the tests that need it will be skipped" >&2; }

# Budget books are tried in a real PostgreSQL: one that is there, else Debian's for root. None is no error: see above.
postgres: $(VENV)/.installed-dev
	@$(BIN)/python tests/postgres.py || { \
	  echo "Bringing PostgreSQL for the tests (once)"; \
	  { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qqy postgresql; } \
	  || true; \
	  $(BIN)/python tests/postgres.py || echo "No PostgreSQL could be had: its tests will be skipped" >&2; }

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/mypy tests/typed_use.py

bench: $(VENV)/.installed-bench
	@$(BIN)/python -m benchmarks

comparison: $(VENV)/.installed-bench
	@$(BIN)/python -m benchmarks.peers

# Pages that are made from the code, and sessions that show what commands print.
pages: $(VENV)/.installed-dev
	@$(BIN)/python -m gaussdp.cli.reference > docs/command-line.md
	@PYTHONPATH=tests $(BIN)/python tests/sessions.py

docs: pages
	@NO_MKDOCS_2_WARNING=1 MPLBACKEND=agg $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The site: site/index.html"

notebooks: $(VENV)/.installed-dev
	@$(BIN)/python examples/execute.py

gallery: $(VENV)/.installed-dev
	@$(BIN)/python examples/gallery.py

release: $(VENV)/.installed-dev
	@BIN=$(BIN) packaging/release.sh

audit: $(VENV)/.installed-dev
	@BIN=$(BIN) packaging/audit.sh

lowest: $(VENV)/.installed-dev
	@BIN=$(BIN) packaging/lowest.sh

lock: $(VENV)/.installed-dev
	@$(PIP) uv $(PINNED)
	@PATH="$(BIN):$$PATH" $(BIN)/python packaging/lock.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site

# Where one requirement has a hash, pip wants one of all; an editable install has none.
$(VENV)/versions.txt: constraints.txt | $(BIN)/python
	@sed 's/ --hash=.*//' constraints.txt > $@

$(VENV)/.installed: $(DEFINED) | $(BIN)/python
	@echo "Installing gaussdp into $(VENV) (once)"
	@$(PIP) --editable ".[plot]" $(PINNED)
	@touch $@

# Dependency groups need pip 25.1, which may be newer than the one that came with Python.
$(VENV)/.installed-dev: $(DEFINED) | $(BIN)/python
	@echo "Installing gaussdp and its development tools into $(VENV) (once)"
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) --editable ".[all]" --group dev $(PINNED)
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: $(DEFINED) | $(VENV)/.installed-dev
	@echo "Installing the peers to compare with into $(VENV) (once)"
	@$(PIP) --group bench
	@touch $@

# Debian keeps the venv module in a package of its own.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qqy python3-venv \
	       && $(PYTHON) -m venv $(VENV); } \
	  || { rm -rf $(VENV); echo "The venv module is missing: sudo apt-get install python3-venv" >&2; exit 1; }
