# make run   sets everything up, prints the budget table for a policy of epsilon = 1, and writes the paper's tables and
#            plots and the map of the rules of thumb into out/; make run ARGS="..." runs another command alone
# make test  sets everything up and runs every test
# Both need only Python 3.11 or newer, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: run test lint bench docs notebooks clean

run: $(VENV)/.installed
ifdef ARGS
	@$(BIN)/gaussdp $(ARGS)
else
	@$(BIN)/gaussdp choose --epsilon 1
	@echo
	@$(BIN)/gaussdp paper --out out/paper
	@$(BIN)/gaussdp rules --out out/rules
endif

test: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

bench: $(VENV)/.installed-bench
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.installed-dev
	@$(BIN)/python -m gaussdp.cli.reference > docs/command-line.md

notebooks: $(VENV)/.installed-dev
	@$(BIN)/python examples/execute.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing gaussdp into $(VENV) (once)"
	@$(PIP) --editable ".[plot]"
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Installing gaussdp and its development tools into $(VENV) (once)"
	@$(PIP) --editable ".[dev]"
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(VENV)/.installed-dev
	@echo "Installing the peers to compare with into $(VENV) (once)"
	@$(PIP) --editable ".[bench]"
	@touch $@

# Debian keeps the venv module in a package of its own.
$(BIN)/python:
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -qqy python3-venv \
	       && $(PYTHON) -m venv $(VENV); } \
	  || { rm -rf $(VENV); echo "The venv module is missing: sudo apt-get install python3-venv" >&2; exit 1; }
