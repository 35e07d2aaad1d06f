# Each target works as the only command in a fresh clone: it makes `.venv` with the locked
# requirements first, and again when the lock changes. `make PYTHON=python3.12 test` picks one.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/locked.stamp
INSTALLED := $(VENV)/installed.stamp
DOCS := $(VENV)/docs.stamp
MODELS := $(VENV)/models
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --quiet
# Scripts that call `typedtensors` find the one of this environment.
ENV := PATH="$(CURDIR)/$(BIN):$$PATH"

CHECKED := typedtensors mypy_plugin/typedtensors_mypy

PYTHONS ?= python3.10 python3.11 python3.12 python3.13

.PHONY: demo test smoke slow real mutants compiled coverage lint bench bench-guard docs index surface conformance samples lock clean

demo: $(INSTALLED)
	@$(ENV) python examples/regression/demo.py

# Everything is installed here, so no test is skipped for want of a framework.
test: $(INSTALLED)
	$(ENV) TYPEDTENSORS_TEST_TENSORFLOW=required python -m pytest

# The package under each Python that is here, with NumPy and no other framework.
smoke:
	@for python in $(PYTHONS); do \
		command -v $$python > /dev/null || { echo "$$python: not here"; continue; }; \
		folder=$$(mktemp -d) && $$python -m venv $$folder \
			&& $$folder/bin/python -m pip --disable-pip-version-check install --quiet --quiet numpy . \
			&& (cd tools && $$folder/bin/python smoke.py) || exit 1; \
		rm -rf $$folder; \
	done

slow: $(INSTALLED)
	$(ENV) python -m pytest -m slow

# Arguments for the runner: make real ARGS="--packages inseq --all-alarms". With a compiled wheel
# too: make real ARGS="--wheel dist/..."
real: $(INSTALLED)
	$(ENV) python -m tools.real $(ARGS)

# After `make real`, which fetches the packages. Or other ones: make mutants ARGS="FOLDER... --missed"
mutants: $(INSTALLED)
	$(ENV) python -m tools.mutants $(ARGS)

# A wheel for this Python and platform in `dist`, in minutes of a C compiler; then the tests of what
# is compiled, with that wheel.
compiled: $(INSTALLED)
	$(ENV) HATCH_BUILD_HOOK_ENABLE_CUSTOM=true python -m hatchling build -t wheel
	$(ENV) python -m tools.compiled $(ARGS)

coverage: $(INSTALLED)
	$(ENV) python -m pytest --cov

lint: $(INSTALLED)
	$(ENV) ruff check .
	$(ENV) ruff format --check .
	$(ENV) mypy $(CHECKED)
	$(ENV) lint-imports

bench: $(INSTALLED)
	@status=0; for file in bench/*.py; do $(ENV) python $$file || status=1; done; exit $$status

# False alarms on public architectures: arguments go to the script, make bench-guard ARGS=masked
bench-guard: $(INSTALLED) $(MODELS)
	$(ENV) python bench/guard_models.py --packages $(MODELS) $(ARGS)

docs: $(DOCS)
	$(ENV) mkdocs build --strict

# After a rule got a name: look-ups find it by this file.
index: $(INSTALLED)
	$(ENV) python -m tools.index

# After another version of torch was locked.
surface: $(INSTALLED)
	$(ENV) python -m tools.surface

# Compares each rule with its framework, and writes the counts that the docs show.
conformance: $(INSTALLED)
	$(ENV) python -m tools.conformance

# Compares each rule with torch on the inputs of torch's own tests, and writes the counts that the
# docs show.
samples: $(INSTALLED)
	$(ENV) python -m tools.samples

lock:
	$(PYTHON) tools/lock.py

clean:
	rm -rf $(VENV) build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(LOCKED): requirements-dev.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "typedtensors needs Python 3.10 or newer; try: make PYTHON=python3.11")'
	@echo "Installing the locked requirements into $(VENV) (a few minutes, once) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(PIP) --requirement requirements-dev.lock
	@touch $@

# The build backend is locked too, so nothing is fetched here.
$(INSTALLED): $(LOCKED) pyproject.toml
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# Beside the environment, not in it: to the guard this is a project's own code.
$(MODELS): $(LOCKED)
	@$(PIP) --target $@ transformers==5.24.0
	@touch $@

$(DOCS): $(INSTALLED) requirements-docs.lock
	@$(PIP) --requirement requirements-docs.lock
	@touch $@
