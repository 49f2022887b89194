# `make demo` and `make test` need Python 3.10 or later with its venv module, and nothing else.

PYTHON ?= python3
VENV ?= .venv
SECONDS ?= 60
SEED ?= 0
HARDWARE ?= 0.001
PROFILES ?=
FILTER ?=
WORKERS ?= $(shell nproc 2>/dev/null || echo 1)
BIN := $(VENV)/bin
TESTS ?=
# A relative path, because pip takes a space for the end of a path.
PIP := PIP_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet
INSTALL := $(PIP) --editable
# For the models in them; what their code needs is hundreds of megabytes.
INSTALL_MODELS := $(PIP) --no-deps silero-vad "mediapipe; python_version < '3.13'"

.PHONY: help demo test test-long test-breadth fuzz comparison conformance coverage synth mutants lint clean

help:
	@echo "make demo       install what running needs, run one package with many shapes"
	@echo "make test       install what testing needs, lint, type check, run the tests (TESTS=tests/unit: those)"
	@echo "make test-long  run the long tests as well"
	@echo "make test-breadth  run many more of the random tests, for hours"
	@echo "make fuzz       feed hostile input to everything that reads input: SECONDS=60 SEED=0 HARDWARE=0.001 WORKERS=1"
	@echo "make conformance  run the official tests of TOSA, into docs/reports/conformance.md: SEEDS='42 7 2026'"
	@echo "                  TARGETS='accel tiny wide' LOCKSTEP=510 (tests that run on the RTL, too) VERSION=1.0.2"
	@echo "                  PROFILES='pro-int ext-int16' WORKERS=1; with FILTER='exp|cast', these operators only,"
	@echo "                  and nothing is written; a run that is interrupted goes on if the sources are the same"
	@echo "make mutants    plant deliberate bugs in the hardware: tests must notice each; a run that is"
	@echo "                interrupted goes on if the sources are the same"
	@echo "make coverage   measure what the lockstep tests cover of the hardware, into docs/reports/coverage.md"
	@echo "make comparison measure what dynamic sizes cost here and elsewhere, into docs/reports/comparison.md"
	@echo "make synth      synthesise the hardware, place and route its modules on an FPGA, place the whole of tiny:"
	@echo "                docs/reports/synthesis.md and clock.md; count the cells of many targets: configs/cells.json;"
	@echo "                WORKERS=1; what has not changed is not placed again"
	@echo "make lint       lint and type check only"
	@echo "make clean      remove everything that make has created"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("hwc needs Python 3.10 or later" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) .
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) '.[test]'
	$(INSTALL_MODELS)
	@touch $@ $(VENV)/.run

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) '.[test,bench]'
	$(INSTALL_MODELS)
	@touch $@ $(VENV)/.test $(VENV)/.run

demo: $(VENV)/.run
	@$(BIN)/python tests/e2e/demo.py

lint: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/pyright

test: lint
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n 2 -W error -m 'not long' $(TESTS)

test-long: lint
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n 2 -W error -m 'not breadth' $(TESTS)

test-breadth: lint
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n 2 -W error -m breadth $(TESTS)

fuzz: $(VENV)/.test
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=.:tests $(BIN)/python -m fuzz --seconds $(SECONDS) --seed $(SEED) \
		--hardware $(HARDWARE) --workers $(WORKERS)

mutants: $(VENV)/.test
	PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=.:tests $(BIN)/python -m mutation.run --kept build/mutants \
		--write docs/reports/mutations.md

coverage: $(VENV)/.test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m rtl_models.coverage

comparison: $(VENV)/.bench
	PYTHONPATH=.:tests $(BIN)/python -m bench.comparison --write

# The seed of the published tests, unless the command line has others.
conformance: SEEDS = 42
conformance: TARGETS = accel
conformance: VERSION = 1.0.2
conformance: $(VENV)/.test
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=.:tests $(BIN)/python -m tosa_conformance --seeds $(SEEDS) \
		--targets $(TARGETS) --version $(VERSION) $(if $(LOCKSTEP),--lockstep $(LOCKSTEP)) \
		$(if $(PROFILES),--profiles $(PROFILES)) --workers $(WORKERS) $(if $(FILTER),--filter '$(FILTER)',--write)

synth: $(VENV)/.test
	$(BIN)/python -m rtl_models.synthesis --workers $(WORKERS)
	$(BIN)/python -m rtl_models.synthesis --cells

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis
