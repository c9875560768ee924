# The words of this project. Each sets up what it needs from a bare clone with Python 3.11 or newer.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MIRROR := $(abspath ../shared/data)
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MPLBACKEND ?= Agg
unexport PYTHONDONTWRITEBYTECODE # or each of the many processes of the tests would compile our modules again
ifneq ($(wildcard $(MIRROR)/README.md),)
export TRIALOGUE_DATA_MIRROR ?= $(MIRROR)
endif

# What takes long has targets of its own: `make test` is for every change, CI runs all of them. Each is given the folders of
# its tests, so that it does not import all others first (tests/test_project.py knows if one lies elsewhere).
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
APART := atlas or reproduction or browser or service or pages

.PHONY: demo test atlas reproductions browser services coverage mutants check docs bench format clean
demo: .make/core
	$(BIN)/trialogue demo --out runs/demo
	@echo "To use the command trialogue in this terminal: . $(BIN)/activate"

test: .make/dev
	$(PYTEST) -m "not ($(APART))"

atlas: .make/dev
	$(PYTEST) -m atlas tests/stats tests/strategies tests/study

# Published results again, on real corpora (skipped where there are none): 2 CPU minutes at most.
reproductions: .make/dev
	$(PYTEST) -m reproduction tests/simulation tests/strategies tests/subjects

browser: .make/dev
	$(PYTEST) -m browser tests/e2e

services: .make/dev
	$(BIN)/python -m pytest -m service tests/agents tests/simulation tests/study

coverage: .make/dev
	$(PYTEST) --cov --cov-report=term:skip-covered

mutants: .make/dev
	$(BIN)/python -m benchmarks.mutants --number 200
	$(BIN)/python -m benchmarks.mutants --number 200 --again
	$(BIN)/python -m benchmarks.mutants --number 200 --page

check: .make/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports

docs: .make/docs
	$(BIN)/python docs/generate.py
	$(BIN)/sphinx-build -j 2 -W --keep-going -q -b html docs site
	$(PYTEST) -m pages tests/docs
	@echo "site/index.html"

bench: .make/dev
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python benchmarks/studies.py
	$(BIN)/python -m benchmarks.studies_walked 100
	$(BIN)/python -m benchmarks.study_load --workers 100 --kills 50 --kill-seconds 600

format: .make/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .make $(VENV) site build dist

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

.make/core: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@mkdir -p .make && touch $@

.make/dev: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,e2e]'
	@mkdir -p .make && touch $@ .make/core

.make/docs: .make/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@mkdir -p .make && touch $@
