# make demo: build, compare the bundled example, write diff.html.   make test: every check, quiet on success.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
CORE := CMakeLists.txt pyproject.toml constraints.txt $(wildcard src/clusterdiff/_core/*)

.PHONY: install demo test lint bench clean

install: $(VENV)/.installed

$(VENV)/.tools: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install -c constraints.txt 'pip>=25.1'
	@$(PIP) install -c constraints.txt --group build
	@touch $@

$(VENV)/.installed: $(VENV)/.tools $(CORE)
	@$(PIP) install -c constraints.txt --no-build-isolation -e .
	@touch $@

$(VENV)/.tested: $(VENV)/.installed
	@$(PIP) install -c constraints.txt --group test
	@touch $@

demo: install
	@$(BIN)/clusterdiff demo --html diff.html

lint: $(VENV)/.tested
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports

test: lint
	@$(BIN)/pytest

bench: $(VENV)/.tested
	@$(BIN)/python benchmarks/speed.py

clean:
	rm -rf $(VENV) build dist diff.html .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
