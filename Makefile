# Builds, checks and shows dbdyno. `make help` lists the goals.
#
# Cargo and Maturin share one folder of build output, target/. A goal that needs a part of the
# environment depends on the file that the part leaves behind, so nothing is made twice.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Stages follow each other, also with --jobs: the first that fails is named last.
.NOTPARALLEL:

PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo $$python; break; fi; done)

ENVIRONMENT := .venv/requirements.stamp
EXTENSION := python/dbdyno/_native.abi3.so
RUST_SOURCES := $(shell find crates -name tests -prune -o -type f -print)
CARGO_WORKSPACE := --workspace --locked
SERVERS ?= setup-servers
STAGE = @printf '\n== %s\n' $@

# Whatever environment the caller is in, Maturin installs into ours, and PyO3 is built for one
# interpreter only.
export VIRTUAL_ENV := $(CURDIR)/.venv
export PYO3_PYTHON := $(VIRTUAL_ENV)/bin/python
unexport CONDA_PREFIX
# Tests start dbdyno hundreds of times, and each start would compile all of it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## List the goals.
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 16

.PHONY: demo
demo: build ## Build everything and run an experiment on embedded SQLite.
	.venv/bin/dbdyno demo

.PHONY: environment
environment: $(ENVIRONMENT)
	$(STAGE)

# No crate among these knows Python, so that pip may install meanwhile what the extension needs. The
# example is the benchmark's: asked for by itself, cargo would compile it of crates with fewer features.
.PHONY: crates
crates: cargo
	$(STAGE)
	cargo build --release --locked -p bindings -p driver --example ping_pong

.PHONY: build
build: $(EXTENSION) ## Make the Python environment (.venv) with dbdyno in it.

# A stage that fails keeps none of the others from running. Installing servers is one of them here:
# where it fails, the tests that need no server still run. Stages that wait, or that use a single CPU as
# the end of `build` does, run beside others: on two CPUs that saves minutes.
.PHONY: test
test: ## Set up what tests need, then check everything, and sum up.
	MAKE='$(MAKE)' SERVERS= scripts/run-stages.sh setup-servers beside environment beside crates \
	then lint-rust test-rust beside build lint-python test-python

.PHONY: fresh
fresh: ## Run the README's commands on an empty Debian (takes root and mmdebstrap); ONLY=demo is short.
	scripts/fresh-root.sh $(or $(ONLY),demo test)

.PHONY: fresh-wheel
fresh-wheel: wheel ## Install the wheel on an empty Debian with Python and no compiler, and use it there.
	scripts/wheel-root.sh

.PHONY: fresh-tutorial
fresh-tutorial: $(ENVIRONMENT) ## Follow README.md and the tutorial on an empty Debian, as a new user would (20 minutes).
	scripts/tutorial-root.sh

.PHONY: lint
lint: lint-rust lint-python ## Check format, style and types.

.PHONY: lint-rust
lint-rust: $(ENVIRONMENT) cargo
	$(STAGE)
	cargo fmt --all --check
	cargo clippy $(CARGO_WORKSPACE) --all-targets -- -D warnings

.PHONY: lint-python
lint-python: $(EXTENSION)
	$(STAGE)
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy --strict
	.venv/bin/stubtest dbdyno._native

.PHONY: test-rust
test-rust: $(SERVERS) cargo ## Run the tests of the Rust crates.
	$(STAGE)
	cargo test $(CARGO_WORKSPACE) --no-fail-fast

# Most tests wait for servers, so that more of them fit on a CPU. A file's tests share servers, and
# stay together; files come in the order that tests/conftest.py gives them.
PYTEST_PROCESSES ?= 4
PYTEST_OPTIONS := --dist loadfile --no-loadscope-reorder

.PHONY: test-python
test-python: $(SERVERS) $(EXTENSION) ## Run the tests of the Python package, experiments included.
	$(STAGE)
	.venv/bin/pytest --numprocesses $(PYTEST_PROCESSES) $(PYTEST_OPTIONS)

.PHONY: setup-servers
setup-servers: ## Install servers, programs, libraries and a font that tests use, or say which are missing.
	$(STAGE)
	scripts/setup-servers.sh

.PHONY: stand-ins
stand-ins: $(SERVERS) ## Unpack the servers that stand in for those of the published tests.
	$(STAGE)
	scripts/stand-ins.sh

.PHONY: experiments
experiments: stand-ins build ## Run the published tests at smoke size (under 40 minutes); ONLY=name runs one.
	$(STAGE)
	scripts/experiments.sh $(ONLY)

.PHONY: docs
docs: $(EXTENSION) ## Write the documentation site into target/site.
	$(STAGE)
	.venv/bin/python -m docs_build

.PHONY: bench
bench: setup-servers build ## Measure the generator beside sysbench and pgbench; SMOKE=1 is short, SOCKET=1 does more.
	$(STAGE)
	.venv/bin/python -m bench $(if $(SMOKE),--smoke) $(if $(SOCKET),--socket) $(if $(ONLY),--only $(ONLY))

DAMAGED_ANSWERS ?= 5000000

SIMULATED_TRIALS ?= 10000

KILLS ?= 20

.PHONY: soak
soak: $(SERVERS) $(EXTENSION) cargo ## Read damaged answers by the million, simulate faults by the thousand, kill a campaign again and again.
	$(STAGE)
	DBDYNO_KILLS=$(KILLS) .venv/bin/pytest tests/live/faults/test_killed_campaign.py
	DBDYNO_SEEDS=$(SIMULATED_TRIALS) cargo test --locked --release -p engine --test simulation
	DBDYNO_DAMAGED_ANSWERS=$(DAMAGED_ANSWERS) cargo test --locked --release -p driver --lib damaged_

MIRI := cargo +nightly miri

# What talks to the kernel can't run there, and most of what is unsafe does: of the event loop its tasks,
# its line and its semaphore can, in virtual time.
.PHONY: miri
miri: cargo ## Look for undefined behaviour in what runs without a kernel.
	$(STAGE)
	@$(MIRI) --version >/dev/null 2>&1 || { echo "Miri is missing: rustup toolchain install" \
	"nightly, then rustup component add miri --toolchain nightly" >&2; exit 1; }
	$(MIRI) test --locked -p eventloop --features simulation semaphore

# What a release is made of needs dbdyno's errors, and not its extension.
RELEASE := PYTHONPATH=python .venv/bin/python -m release

.PHONY: wheel
wheel: $(ENVIRONMENT) cargo ## Build the wheel into target/wheels, and look at what it holds.
	$(STAGE)
	scripts/build-wheel.sh $(PYTHON) target/wheels
	$(RELEASE).third_party --check
	$(RELEASE).contents

.PHONY: notices
notices: $(ENVIRONMENT) cargo ## Write THIRD-PARTY-NOTICES.txt from the crates that are linked in.
	$(RELEASE).third_party

.PHONY: release-notes
release-notes: $(ENVIRONMENT) ## Print what CHANGELOG.md says of VERSION, or of the version of these sources.
	@$(RELEASE).notes $(VERSION)

.PHONY: format
format: $(ENVIRONMENT) cargo ## Format all sources, and mend what linters can mend.
	cargo fmt --all
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

.PHONY: lock
lock: ## Write requirements.lock and requirements-wheel.lock again, keeping versions that still fit.
	scripts/lock-requirements.sh $(PYTHON)

.PHONY: clean
clean: ## Remove all that was built. Results stay.
	rm -rf .venv target $(EXTENSION) .mypy_cache .pytest_cache .ruff_cache
	find python tests bench docs_build release -name __pycache__ -prune -exec rm -r {} +

# The environment is made anew when the lock changes, so that it holds what the lock says and
# nothing else.
$(ENVIRONMENT): requirements.lock
	$(if $(PYTHON),,$(error Python 3.11 or later with its venv module is missing))
	$(PYTHON) -m venv --clear .venv
	.venv/bin/pip install --quiet --require-hashes -r $<
	touch $@

# Maturin leaves the extension beside the Python sources and installs both in place.
# It could add packages that the lock does not name; PIP_NO_INDEX makes that an error.
$(EXTENSION): $(ENVIRONMENT) $(RUST_SOURCES) Cargo.toml Cargo.lock pyproject.toml | cargo
	PIP_NO_INDEX=1 PIP_QUIET=1 .venv/bin/maturin develop --release --locked
	touch $@

.PHONY: cargo
cargo:
	@command -v cargo >/dev/null || { \
	echo "Rust is missing: install it with rustup (see rust-version in Cargo.toml)" >&2; exit 1; }
