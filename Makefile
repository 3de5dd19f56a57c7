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

.PHONY: install core demo test lint pytest bench bench-large docs screenshots lowest sdist fuzz fuzz-properties fuzz-readers soak mutants sanitize clean

install: $(VENV)/.installed

$(VENV)/.made: pyproject.toml constraints.txt
	@test -x $(BIN)/python || { tools/needs $(PYTHON) && $(PYTHON) -m venv $(VENV); }
	@touch $@

# What the package needs is fetched while the core compiles, and while what compiles it is fetched.
$(VENV)/.installed: $(VENV)/.made $(CORE) $(ROOMS)
	@$(MAKE) -s -j2 core $(VENV)/.needs
	@touch $@

$(VENV)/.tools: $(VENV)/.made
	@$(call listed,dependency-groups,build) | xargs $(INSTALL)
	@touch $@

$(VENV)/.needs: $(VENV)/.made
	@$(call listed,project,dependencies) | xargs $(INSTALL)
	@touch $@

core: $(VENV)/.tools
	@$(INSTALL) --no-build-isolation --no-deps -e .

$(VENV)/.linted: $(VENV)/.installed
	@$(call listed,dependency-groups,lint) | xargs $(INSTALL)
	@touch $@

$(VENV)/.tested: $(VENV)/.linted
	@$(call listed,dependency-groups,test) | xargs $(INSTALL)
	@touch $@

demo: install
	@$(BIN)/clusterdiff demo --html diff.html

lint: $(VENV)/.linted
	@$(BIN)/ruff check -q .
	@$(BIN)/ruff format -q --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo >/dev/null || $(BIN)/lint-imports
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.github-actions action.yml
	@$(BIN)/check-jsonschema -q --builtin-schema vendor.citation-file-format CITATION.cff

# A worker per core up to four, each with whole files; see tests/conftest.py for what starts first.
pytest: $(VENV)/.tested
	@$(BIN)/pytest -n auto --maxprocesses 4 --no-loadscope-reorder

# What is linted is tested at the same time: neither needs the other. Linting begins while what tests need is fetched.
test: $(VENV)/.linted
	@$(MAKE) --no-print-directory -j2 lint pytest

bench: $(VENV)/.tested
	@$(BIN)/python benchmarks/jobs.py
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/coreference.py

# Hours, and tens of gigabytes of disk.
bench-large: $(VENV)/.tested
	@$(BIN)/python benchmarks/jobs.py --large
	@$(BIN)/python benchmarks/engines.py --rows 1e8 --engines duckdb sql explain
	@$(BIN)/python benchmarks/spark.py --rows 1e5 1e6 1e7

# The site, without network: what is generated from the code first, then every page; a warning is an error.
docs: $(VENV)/.tested
	@$(call listed,dependency-groups,docs) | xargs $(INSTALL)
	@$(BIN)/python docs/site/build.py build/site

# The pictures of pages in docs/, as a chromium shows them; examples/pictures.py draws the plots.
screenshots: $(VENV)/.tested
	@$(BIN)/python examples/screens.py docs/images

# The tests with the oldest versions that pyproject.toml allows, in an environment of their own. Peers want newer ones.
LOWEST := build/lowest
LOWEST_TESTS ?= tests/framework tests/inputs tests/formats tests/engines tests/measures tests/explain tests/plots \
  tests/golden tests/cli/test_command.py tests/cli/test_faults.py
lowest: $(VENV)/.tested
	@$(call listed,dependency-groups,lowest) | xargs $(INSTALL)
	@mkdir -p build && $(BIN)/uv pip compile -q --no-annotate --all-extras --resolution lowest-direct \
	  --python $(BIN)/python pyproject.toml -o build/lowest.txt
	@$(BIN)/uv venv -q --clear --python $(BIN)/python $(LOWEST)
	@$(BIN)/uv pip install -q --python $(LOWEST)/bin/python -r build/lowest.txt \
	  hypothesis pytest pytest-xdist pyyaml conllu udapi scikit-learn mpmath
	@$(BIN)/uv pip install -q --python $(LOWEST)/bin/python --no-deps -C build-dir=build/lowest-objects .
	@$(LOWEST)/bin/python -m pytest -q -p no:cacheprovider -n auto --maxprocesses 4 -o filterwarnings=ignore \
	  -k 'not spark and not postgres' --ignore tests/engines/test_cluster.py $(LOWEST_TESTS)

sdist: $(VENV)/.tools
	@$(INSTALL) build
	@rm -rf dist && $(BIN)/python -m build -q --sdist --outdir dist
	@sha256sum dist/*.tar.gz

# Properties with other examples each time, and at the same time the readers of files against damaged ones; `make test`
# has a short form of both.
SECONDS ?= 600
fuzz: $(VENV)/.tested
	@$(MAKE) --no-print-directory -j2 fuzz-properties fuzz-readers

fuzz-properties: $(VENV)/.tested
	@CLUSTERDIFF_FUZZ=$(SECONDS) $(BIN)/pytest -m hypothesis tests

fuzz-readers: $(VENV)/.tested
	@$(BIN)/python -m tests.fuzz $(SECONDS)

# Everything again and again: does memory grow, does anything stay open or behind?
soak: $(VENV)/.tested
	@$(BIN)/python -m tests.soak $(SECONDS)

# Small faults put into a copy of the code: which do the tests overlook? Interrupted, it goes on where it ended.
MUTANTS ?= 200
SEED ?= 0
JOBS ?= 1
mutants: $(VENV)/.tested
	@$(BIN)/python -m tests.mutants $(MUTANTS) $(SEED) $(JOBS)

# Whatever reaches the core, with AddressSanitizer and UndefinedBehaviorSanitizer, but for Spark and PostgreSQL, which are
# processes of their own. CI runs the short form, TESTS=tests/core. An editable install would shadow the instrumented
# core, so it has an environment of its own, which borrows the packages of the first.
# A file that claims to be larger than any memory must get a MemoryError here too, instead of ending the process. Reports
# go to files: pytest would keep them to itself, and tests change the directory. Python and others give memory back late
# or never, so nobody looks for leaks; `make soak` does.
SANITIZED := build/sanitized
REPORTS := $(CURDIR)/build/reports
TESTS ?= tests/core tests/formats tests/engines tests/fuzz tests/numbers tests/decide tests/inputs tests/explain
sanitize: $(VENV)/.tested
	@test -x $(SANITIZED)/bin/python || $(BIN)/python -m venv --without-pip $(SANITIZED)
	@site=$$($(SANITIZED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
	$(BIN)/python -c 'import sys; print(*filter(None, sys.path), sep="\n")' >"$$site/tools.pth" && \
	$(INSTALL) --no-build-isolation --no-deps --upgrade --target "$$site" \
	  -C cmake.define.CLUSTERDIFF_SANITIZE=ON -C build-dir=build/sanitize-objects .
	@rm -rf "$(REPORTS)" && mkdir -p "$(REPORTS)"
	@LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:log_path="$(REPORTS)/asan" \
	UBSAN_OPTIONS=print_stacktrace=1:log_path="$(REPORTS)/ubsan" \
	$(SANITIZED)/bin/python -m pytest -p no:cacheprovider -n auto --maxprocesses 4 --no-loadscope-reorder $(TESTS) \
	  -k 'not spark and not postgres' --ignore tests/engines/test_cluster.py || { cat "$(REPORTS)"/*; exit 1; }

clean:
	rm -rf $(VENV) build dist diff.html .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
