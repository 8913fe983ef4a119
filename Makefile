# Everything runs from .venv, which the first target that needs it installs.
ALLOCATION ?= dhc_persons_us
STUDY      ?= uldp_default
CORES      ?= all
SEED       ?= 1
CASES      ?= 10000
INPUTS     ?= 1000000
DELTA      ?= 1e-10
PYTHON     ?= $(firstword $(foreach v,3.11 3.12 3.13,$(shell command -v python$(v) 2>/dev/null)) python3)

VENV      := .venv
BIN       := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PEER      := .venv-bench
CLUSTER   := slurm/test-cluster/cluster with
PIP       := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
SNAKEMAKE := $(BIN)/snakemake --workflow-profile workflow/profiles/default --cores $(CORES)
WORKFLOW  := @run() { $(SNAKEMAKE) --quiet all "$$@" || { \
  echo 'make: not finished; the reason is above; if a job failed, its log is in logs/ of the results folder' >&2; exit 1; }; }; run
DONE      := @echo 'make: done, results/ is up to date'

.DEFAULT_GOAL := help
.PHONY: help setup picture notebook report certify tune scan theory uldp dry-run test test-cluster test-kills lint fuzz bench products scaling lock clean

help: ## say what the targets do
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'
	@echo
	@echo '  ALLOCATION=$(ALLOCATION)   a name in allocations/ or the path of a file'
	@echo '  STUDY=$(STUDY)    the same for a local-privacy study'
	@echo '  CORES=$(CORES)             cores to use on this machine'

setup: $(INSTALLED) ## install the locked environment into .venv

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'make: Python 3.11 or newer is needed; name it with PYTHON=...' >&2; exit 1; }
	@echo 'make: installing into $(VENV), about two minutes'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@{ $(PIP) --require-hashes -r requirements.lock 2>&1 || echo 'pip: failed'; } \
	  | $(BIN)/python tools/pip_progress.py requirements.lock
	@$(PIP) --quiet --no-deps --no-build-isolation -e .
	@touch $@
	@echo 'make: installed'

report: $(INSTALLED) ## results/ALLOCATION/report.html and all that it needs
	$(WORKFLOW) --config 'allocation=$(ALLOCATION)'
	@$(BIN)/python -m workflow.pages.answer '$(ALLOCATION)'

certify: $(INSTALLED) ## the report with certificate.json of SAMPLE stored values, derived anew by independent code
	$(WORKFLOW) --config 'allocation=$(ALLOCATION)' $(SAMPLE:%=certify_sample=%)
	$(DONE)

tune: $(INSTALLED) ## results/ALLOCATION/ALLOCATION_tuned.yaml: the largest rhos that keep EPS at DELTA
	$(if $(EPS),,$(error name the promise: make tune EPS=26.34 DELTA=1e-10))
	$(WORKFLOW) --config 'allocation=$(ALLOCATION)' 'tune_eps="$(EPS)"' 'tune_delta="$(DELTA)"' -- tune
	$(DONE)

scan: $(INSTALLED) ## results/NAME/scan.csv: the candidate allocations of the scan file SCAN
	$(if $(SCAN),,$(error name the scan file: make scan SCAN=path))
	$(WORKFLOW) --config 'scan="$(SCAN)"' -- scan
	$(DONE)

theory: $(INSTALLED) ## results/ALLOCATION/theory.html: how near the curves are to their Gaussian limit, and to each other
	$(WORKFLOW) --config 'allocation=$(ALLOCATION)' -- theory
	$(DONE)

uldp: $(INSTALLED) ## results/STUDY/report.html: the local-privacy study
	$(WORKFLOW) --config 'study=$(STUDY)' -- uldp
	$(DONE)

dry-run: $(INSTALLED) ## check the allocation and the settings, list the jobs, run none
	$(SNAKEMAKE) --dry-run --config 'allocation=$(ALLOCATION)'

test: $(INSTALLED) ## the test suite
	$(BIN)/python -m pytest -n auto --dist loadfile

test-cluster: $(INSTALLED) ## the tests on a real Slurm with two nodes (as root; needs slurm-wlm and munge)
	$(CLUSTER) $(BIN)/python -m pytest -m cluster --durations=8 tests/cluster

test-kills: $(INSTALLED) ## 100 kills and 50 races on that Slurm (three quarters of an hour)
	$(CLUSTER) $(BIN)/python -m tests.cluster.kills --seed $(SEED)

fuzz: $(INSTALLED) ## CASES random compositions, INPUTS broken inputs, figures fed back in (hours; goes on where it stopped)
	$(BIN)/python -m tests.fuzz.compositions --seed $(SEED) --cases $(CASES)
	$(BIN)/python -m tests.fuzz.parsers --seed $(SEED) --runs $(INPUTS)
	$(BIN)/python -m tests.fuzz.round_trip --seed $(SEED)

lint: $(INSTALLED) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/mypy

picture: report ## docs/images/ALLOCATION.png, the README's picture, from the results
	$(BIN)/python tools/readme_picture.py '$(ALLOCATION)'

notebook: ## results/python.html: the examples of docs/python.md, run, with their output and plots
	@$(MAKE) --no-print-directory report ALLOCATION=pl94_units_us
	@$(BIN)/python tools/notebook.py docs/python.md results/python.html && rm -f tradeoff.png small.png
	$(DONE)

bench: $(INSTALLED) $(PEER)/.installed ## seconds of every stage and part, and ratios against other methods
	$(BIN)/python -m benchmarks.stages --allocation '$(ALLOCATION)'
	$(BIN)/python -m benchmarks.parts --allocation '$(ALLOCATION)' $(WRITE:%=--write %)
	$(BIN)/python -m benchmarks.comparison --peer $(PEER)/bin/python $(WRITE:%=--write %)
	$(BIN)/python -m benchmarks.cost $(WRITE:%=--write %)

$(PEER)/.installed: benchmarks/requirements.txt
	@$(PYTHON) -m venv $(PEER)
	@$(PEER)/bin/python -m pip install --quiet --disable-pip-version-check -r $< && touch $@ \
	  || echo 'make: what is compared with cannot be installed, and is passed over' >&2

products: $(INSTALLED) ## the eight shipped products, each from nothing: bounds and seconds (about an hour)
	$(BIN)/python -m benchmarks.products $(WRITE:%=--write %)

scaling: $(INSTALLED) ## wall and CPU seconds of the curves stage on 1, 2, ... ranks
	$(BIN)/python -m benchmarks.scaling --allocation '$(ALLOCATION)'

lock: $(INSTALLED) ## resolve pyproject.toml anew into requirements.lock (needs pip-tools)
	pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --all-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	  --output-file requirements.lock pyproject.toml

clean: ## delete results and caches; .venv stays
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} + 2>/dev/null || true
	rm -rf .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis build *.egg-info
