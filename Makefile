# Everything is set up in .venv on first use. `make demo` and `make test` are all a newcomer needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Otherwise pip compiles every file of every package, and most are never imported. Python compiles
# the others at their first import.
PIP_INSTALL := $(BIN)/python -m pip --disable-pip-version-check -qq install --no-compile -c constraints.txt
# One test process per core, four at most: each loads the models (about 1 GiB). A file's tests share
# their fixtures, so they stay together. Files with few tests are the long ones: they must not be last.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder
# Keep compiled tests, also where the environment forbids it: compiling takes 5 s a process.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick lint format constraints clean

demo: $(VENV)/.installed
	$(BIN)/sage-rag demo

test: $(VENV)/.installed-dev
	$(BIN)/pytest $(PARALLEL)

quick: $(VENV)/.installed-dev
	$(BIN)/pytest $(PARALLEL) -m "not slow"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy benchmarks/*.py tools/*.py
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# torch goes first and alone, so that what else wants it takes the build that is there already.
$(VENV)/.installed: pyproject.toml constraints.txt
	@echo "setting up $(VENV) (some minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# The pip of an older Python takes a minute longer.
	@$(PIP_INSTALL) --upgrade pip
	@$(PIP_INSTALL) torch
	@$(PIP_INSTALL) -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	@echo "adding the tools for tests"
	@$(PIP_INSTALL) -e '.[dev]'
	@# GLiNER asks for an older transformers than it needs: its tests run with the one here.
	@$(PIP_INSTALL) --no-deps gliner sentencepiece
	@touch $@

# Pin what a fresh environment resolves to today.
constraints:
	rm -rf $(VENV)-fresh && $(PYTHON) -m venv $(VENV)-fresh
	$(VENV)-fresh/bin/python -m pip install -qq torch==2.13.0
	$(VENV)-fresh/bin/python -m pip install -qq '.[dev]'
	$(VENV)-fresh/bin/python -m pip install -qq --no-deps gliner sentencepiece
	$(VENV)-fresh/bin/python -m pip freeze --exclude sage-rag | sed 's/+cpu$$//' > constraints.txt
	rm -rf $(VENV)-fresh

clean:
	rm -rf $(VENV) build home .mypy_cache .ruff_cache .pytest_cache .hypothesis
