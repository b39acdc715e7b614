# The verbs of the house. Each sets up what it needs: Python 3.11 or newer, make and git are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
WORKERS ?= 2

.PHONY: help run test lint types bench docs experiments lock clean

help:  ## list the verbs
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is older than 3.11: set PYTHON to a newer one, as in 'make run PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) has no venv module: install it (on Debian: apt-get install python3-venv)." >&2; exit 1; }

$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/python
	@echo "Installing smatter into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-deps --no-build-isolation --check-build-dependencies -e .
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.run
	@echo "Installing the tools of the tests into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/test.txt
	@touch $@

$(VENV)/.docs: requirements/docs.txt $(VENV)/.run
	@echo "Installing the tools of the documentation into $(VENV) ..."
	@$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

run: $(VENV)/.run  ## install, then show smatter at work on a collection that it makes itself
	@$(BIN)/smatter demo

test: $(VENV)/.test  ## all tests: kernels without the JIT first, then everything
	@NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -p no:cacheprovider tests/kernels
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal

lint: $(VENV)/.test  ## style, types and the import contract
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench:  ## rivals side by side, in an environment of their own
	@$(MAKE) -C benchmarks PYTHON=$(PYTHON)

docs: $(VENV)/.docs  ## the documentation as HTML in docs/_build
	@$(BIN)/sphinx-build -q -W -b html docs docs/_build/html && echo "docs/_build/html/index.html"

experiments: $(VENV)/.test  ## run every experiment to its full protocol (hours); each resumes where it stopped
	@for name in $$($(BIN)/smatter experiment list --names); do $(BIN)/smatter experiment run $$name || exit 1; done

lock:  ## settle the versions of everything anew, with hashes
	@$(BIN)/python -m pip -q install uv
	@for group in run test docs; do \
	  $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	    --no-emit-package smatter $$(test $$group = run || echo --all-extras --group $$group) \
	    --constraint requirements/build.in requirements/build.in pyproject.toml -o requirements/$$group.txt || exit 1; \
	done

clean:  ## remove what the verbs made
	@rm -rf $(VENV) .bench-venv docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
