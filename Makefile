# make demo: build, compare the bundled example, write diff.html.   make test: every check, quiet on success.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled when they are first imported; most never are.
INSTALL := $(BIN)/python -m pip --disable-pip-version-check -q install --no-compile -c constraints.txt
# Whatever is imported is compiled once and kept, also where the environment says otherwise: the tests start hundreds of
# processes, and most of what those took was compiling.
unexport PYTHONDONTWRITEBYTECODE
# The requirements that a list of pyproject.toml has, for whatever pip came with Python: only new ones know of groups.
listed = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["$(1)"]["$(2)"])'
CORE := CMakeLists.txt pyproject.toml constraints.txt $(wildcard src/clusterdiff/_core/*.cpp src/clusterdiff/_core/*/*)
# An editable install lists the packages that there were: a new one has to be made known.
ROOMS := $(wildcard src/clusterdiff/*/__init__.py src/clusterdiff/*/*/__init__.py)

.PHONY: install core demo test lint pytest bench fuzz soak sanitize clean

install: $(VENV)/.installed

$(VENV)/.tools: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(call listed,dependency-groups,build) | xargs $(INSTALL)
	@touch $@

# The core compiles while what the package needs is fetched.
$(VENV)/.installed: $(VENV)/.tools $(CORE) $(ROOMS)
	@$(MAKE) -s -j2 $(VENV)/.needs core
	@touch $@

$(VENV)/.needs: $(VENV)/.tools
	@$(call listed,project,dependencies) | xargs $(INSTALL)
	@touch $@

core: $(VENV)/.tools
	@$(INSTALL) --no-build-isolation --no-deps -e .

$(VENV)/.tested: $(VENV)/.installed
	@$(call listed,dependency-groups,test) | xargs $(INSTALL)
	@touch $@

demo: install
	@$(BIN)/clusterdiff demo --html diff.html

lint: $(VENV)/.tested
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports

# A worker per core up to four, each with whole files; see tests/conftest.py for what starts first.
pytest: $(VENV)/.tested
	@$(BIN)/pytest -n auto --maxprocesses 4 --no-loadscope-reorder

# What is linted is tested at the same time: neither needs the other.
test: $(VENV)/.tested
	@$(MAKE) --no-print-directory -j2 lint pytest

bench: $(VENV)/.tested
	@$(BIN)/python benchmarks/speed.py

# Properties with many more examples, and the readers of files against damaged ones; `make test` has a short form.
SECONDS ?= 600
fuzz: $(VENV)/.tested
	@$(BIN)/python -m tests.fuzz $(SECONDS)
	@HYPOTHESIS_PROFILE=long $(BIN)/pytest -n auto --maxprocesses 4 -m hypothesis tests

# Everything again and again: does memory grow, does anything stay open or behind?
soak: $(VENV)/.tested
	@$(BIN)/python -m tests.soak $(SECONDS)

# Core, formats and engines with AddressSanitizer and UndefinedBehaviorSanitizer (but for Spark and PostgreSQL, which
# are processes of their own), in an environment of its own: a second one that
# borrows the first one's packages, since an editable install would shadow the instrumented core.
# What is found goes to build/asan.*: pytest would keep it to itself when the process ends.
SANITIZED := build/sanitized
sanitize: $(VENV)/.tested
	@test -x $(SANITIZED)/bin/python || $(BIN)/python -m venv --without-pip $(SANITIZED)
	@site=$$($(SANITIZED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$$site/tools.pth" && \
	$(INSTALL) --no-build-isolation --no-deps --upgrade --target "$$site" \
	  -C cmake.define.CLUSTERDIFF_SANITIZE=ON -C build-dir=build/sanitize-objects . && \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:log_path=build/asan $(SANITIZED)/bin/python -m pytest -p no:cacheprovider \
	  tests/core tests/formats tests/engines tests/fuzz -k 'not spark and not postgres' \
	  --ignore tests/engines/test_cluster.py

clean:
	rm -rf $(VENV) build dist diff.html .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
