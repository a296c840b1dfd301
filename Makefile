# `make` alone lists the commands. Each is implemented in dev/commands/.
PYTHON ?= python3

# Only what was written on this command line counts: a CONTEXT or STACK that happens to be in
# the environment must never choose a cluster.
written = $(if $(findstring command line,$(origin $(1))),$($(1)))
export LOCO_MAKE_CONTEXT := $(call written,CONTEXT)
export LOCO_MAKE_STACK := $(call written,STACK)
export LOCO_MAKE_ARGS := $(call written,ARGS)
unexport CONTEXT STACK ARGS

.PHONY: help up preview down test bench lint env clean

help: ## list the commands
	@echo 'On the embedded cluster, or on your own with CONTEXT=name STACK=name:'
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

up: ## start the embedded cluster and bring the stack up
	@"$(PYTHON)" -m dev up

preview: ## show what `make up` would change
	@"$(PYTHON)" -m dev preview

down: ## destroy the stack and stop the embedded cluster
	@"$(PYTHON)" -m dev down

test: ## run the tests; ARGS='-k name' goes to pytest
	@"$(PYTHON)" -m dev test

bench: ## measure planning and a large platform; ARGS='--only planning' is quicker
	@"$(PYTHON)" -m dev bench

lint: ## check formatting, style and types
	@"$(PYTHON)" -m dev lint

env: ## print settings: eval "$(make env)"; pulumi up -s dev
	@"$(PYTHON)" -m dev env

clean: ## stop everything, remove .loco/ and .venv
	@"$(PYTHON)" -m dev clean
