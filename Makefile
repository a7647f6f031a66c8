# `make` lists what can be made. Everything runs inside .venv, which the first target that needs
# it sets up; nothing is installed outside this folder, but for Debian's chromium (browser tests).
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
JOBS ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all lint bench docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

$(READY): pyproject.toml constraints.txt tools/install.py
	@$(PYTHON) -c 'import sys; sys.exit("semilar needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python tools/install.py dev
	@touch $@

setup: $(READY) ## install everything into .venv, once

demo: $(READY) ## flare out of night pictures, a short semi-supervised training, pages to look at
	@rm -rf out/demo
	$(BIN)/semilar demo --out out/demo
	$(BIN)/semilar train demo
	$(BIN)/semilar repository report out/demo/run out/demo/repository.html --photos out/demo/input
	@echo "Open out/demo/index.html (before and after) and out/demo/repository.html (what training kept)."

lint: $(READY) ## ruff, pyright, that no room imports one above it, that the docs build
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir out/site

test: lint ## everything CI runs: lint and the fast tests
	$(BIN)/python tools/chromium.py
	$(BIN)/pytest -n $(JOBS) --dist worksteal -m "not slow"

test-all: lint ## the slow tests too, and that tests notice what they must
	$(BIN)/python tools/chromium.py
	$(BIN)/pytest -n $(JOBS) --dist worksteal
	$(BIN)/python tools/mutants.py

bench: $(READY) ## ratios, measured side by side
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(READY) ## the documentation, into site/
	$(BIN)/mkdocs build --strict

clean: ## remove what was made, .venv included
	rm -rf .venv out site dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage
