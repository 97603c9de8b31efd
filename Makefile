# Bare `make` lists the targets. Everything runs with Go, git and a C compiler alone: the two tools that are not part of
# the project are built from source by `go run`, at the version below, and verified like any other module. They are not
# `tool` lines of go.mod, because their hundreds of dependencies would mix with ours and change both.
GO            ?= go
GOLANGCI_LINT ?= $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GORELEASER    ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.16.0

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS   += --no-builtin-rules

VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  = $(shell git rev-parse HEAD 2>/dev/null)
DATE    = $(shell git log -1 --format=%cI 2>/dev/null)
CLI     = github.com/arena-evals/arena/internal/cli
LDFLAGS = -s -w -X $(CLI).version=$(VERSION) -X $(CLI).commit=$(COMMIT) -X $(CLI).date=$(DATE)

# How long the tests of one package may take: the ten minutes of go test are not enough for the race detector on a slow
# machine.
TIMEOUT  ?= 60m
FUZZTIME ?= 20s
BENCH    ?= .

.PHONY: help
help: # one line for each target that is described by ##
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ work

.PHONY: run
run: ## run the demonstration in scenarios/
	$(GO) run ./cmd/arena run scenarios

.PHONY: build
build: ## build bin/arena, one static binary
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/.arena ./cmd/arena
	@# The linker writes here and there in its file; one written from start to end is read faster, a tenth of a start.
	@cat bin/.arena >bin/.whole && chmod 755 bin/.whole && mv -f bin/.whole bin/arena && rm bin/.arena

.PHONY: size
size: build ## fail when the program is larger than 35 MB
	@bytes=$$(wc -c <bin/arena); echo "bin/arena: $$bytes bytes"; [ "$$bytes" -le 35000000 ]

.PHONY: test
test: ## run all tests
	$(GO) test -timeout $(TIMEOUT) ./...

.PHONY: generate
generate: ## write what is made from the code: checks.md, events.md, metrics.md and files/ in docs
	$(GO) run ./internal/cli/reference docs

.PHONY: golden
golden: ## rewrite the golden files; read the diff before you commit it
	$(GO) test $$(grep -rlE 'flag\.Bool\("update"|/golden"$$' --include='*_test.go' . | xargs -n 1 dirname | sort -u) -update

.PHONY: fuzz
fuzz: ## run each fuzz test for FUZZTIME (20s)
	@grep -rnoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' . | sed -E 's,/[^/]*:[0-9]+:func , ,' | sort -u | \
	while read -r dir name; do \
		echo "$$dir $$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$dir" </dev/null; \
	done

.PHONY: torture
torture: ## kill and resume 60 runs of 2,000 trials, alone and with workers, 60 recorded ones of 200, 60 of programs, 60 of gates, one of 10,000
	ARENA_TORTURE=60 $(GO) test -timeout 0 -run '^TestTorture' -v ./internal/cli

.PHONY: soak
soak: ## kill programs of tools and MCP servers under 2,000 trials, and run 4,000 of agents and of models that misbehave
	ARENA_SOAK=2000 $(GO) test -timeout 0 -run '^TestSoak$$' -v ./internal/tools/exec
	ARENA_SOAK=2000 $(GO) test -timeout 0 -run '^TestSoakOf(Tools|Programs|Models)$$' -v ./internal/cli

.PHONY: statistics
statistics: ## compare 200 suites in which nothing changed and 200 of which a part got worse, and 400 made-up ones
	ARENA_SUITES=400 $(GO) test -timeout 0 -run '^TestSuites$$' -v ./internal/evidence
	ARENA_SUITES=200 $(GO) test -timeout 0 -run '^Test(Compared|Staged)Suites$$' -v ./internal/cli

.PHONY: bench
bench: ## run the benchmarks that match BENCH (all)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: cover
cover: ## measure the coverage, into out/cover.html
	@mkdir -p out
	$(GO) test -timeout $(TIMEOUT) -coverpkg=./... -coverprofile=out/cover.out ./...
	$(GO) tool cover -html=out/cover.out -o out/cover.html
	$(GO) tool cover -func=out/cover.out | tail -n 1

##@ checks

.PHONY: check
check: fmt vet tidy race module lint ## everything that CI checks

.PHONY: fmt
fmt: ## fail on files that gofmt would change
	@files=$$(gofmt -l .); [ -z "$$files" ] || { printf 'gofmt would change %s\n' $$files; exit 1; }

.PHONY: vet
vet: ## run go vet
	$(GO) vet ./...

.PHONY: tidy
tidy: ## fail when go.mod or go.sum is not tidy
	$(GO) mod tidy -diff

.PHONY: race
race: ## run all tests with the race detector and in a browser (needs Chromium or Chrome)
	ARENA_BROWSER=required $(GO) test -race -timeout $(TIMEOUT) ./...

.PHONY: module
module: ## test testdata/gomodule, a module that uses this one, without a network
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	cp testdata/gomodule/go.mod "$$tmp/go.mod" && cat go.sum testdata/gomodule/go.sum | sort -u >"$$tmp/go.sum" && \
	cd testdata/gomodule && export GOWORK=off GOPROXY=off && \
	$(GO) vet -mod=mod -modfile="$$tmp/go.mod" ./... && $(GO) test -timeout $(TIMEOUT) -mod=mod -modfile="$$tmp/go.mod" ./...

.PHONY: layering
layering: ## check the map of the packages
	$(GO) test ./internal

.PHONY: browser
browser: ## test the HTML report in a browser (needs Chromium or Chrome)
	ARENA_BROWSER=required $(GO) test -timeout $(TIMEOUT) ./internal/report/html/...

# axe-core finds what a keyboard, a screen reader or weak eyes cannot use.
AXE = axe-core@4.14.1

.PHONY: accessible
accessible: ## ask axe-core about every page of the HTML report (needs Chromium or Chrome, and npm)
	@mkdir -p out/axe
	npm install --prefix out/axe --no-audit --no-fund --silent $(AXE)
	ARENA_BROWSER=required ARENA_AXE=$$PWD/out/axe/node_modules/axe-core/axe.min.js \
		$(GO) test -count 1 -timeout $(TIMEOUT) -run '^TestAccessibility$$' ./internal/report/html

.PHONY: lint
lint: ## run golangci-lint; LINTFLAGS=--fix repairs what can be
	$(GOLANGCI_LINT) run $(LINTFLAGS) ./...

# The public MCP servers of npm, a server that stands for models, what the official libraries of MCP and A2A show as
# examples, a server and an agent, readers of JUnit, and the SDKs by which programs tell of their work.
SERVERS = everything@2026.8.31 filesystem@2026.8.31 memory@2026.8.31
MODELS  = @copilotkit/aimock@1.43.0
READERS = junit2json@4.0.0 xmllint-wasm@5.3.0
EXAMPLE = github.com/modelcontextprotocol/go-sdk/examples/server/everything
SDKS    = sdk-trace-node@2.12.0 exporter-trace-otlp-http@0.223.1 exporter-trace-otlp-proto@0.223.1
HELLO   = github.com/a2aproject/a2a-go/examples/helloworld/server/jsonrpc@v0.3.3

.PHONY: servers
servers: ## test with public servers of tools, models and agents, where their registries can be reached
	@mkdir -p out/servers; bin=$$PWD/out/servers; \
	$(GO) build -o $$bin/mcp-example $(EXAMPLE) || echo "without the example server: it could not be built"; \
	GOBIN=$$bin $(GO) install $(HELLO) || echo "without the example agent: it could not be built"; \
	(cd testdata/gomodule-otel && GOWORK=off $(GO) build -o $$bin/otel-agent .) || \
		echo "without the agent that traces itself: it could not be built"; \
	if ! command -v npm >/dev/null; then echo "without servers of npm: there is none"; \
	else npm install --prefix out/servers --no-audit --no-fund --silent \
		$(MODELS) $(READERS) $(addprefix @modelcontextprotocol/server-,$(SERVERS)) || echo "without servers of npm: it failed"; \
	if npm install --prefix out/servers/otel --no-audit --no-fund --silent $(addprefix @opentelemetry/,$(SDKS)); then \
		printf '#!/bin/sh\nNODE_PATH=%s exec node "$$@"\n' "$$bin/otel/node_modules" >$$bin/otel-node; chmod 755 $$bin/otel-node; \
	else echo "without the SDK of Node: it could not be installed"; fi; fi; \
	PATH=$$bin/node_modules/.bin:$$bin:$$PATH $(GO) test -count 1 -run '^TestScripts$$/^public-' -v ./internal/cli

##@ release

.PHONY: share
share: ## write the completions and the man pages, into bin/share
	@rm -rf bin/share && mkdir -p bin/share/completions bin/share/man
	$(GO) build -o bin/share/arena ./cmd/arena
	for shell in bash zsh fish powershell; do bin/share/arena completion $$shell >bin/share/completions/arena.$$shell; done
	$(GO) run ./internal/cli/manpages bin/share/man
	@rm bin/share/arena

.PHONY: snapshot
snapshot: ## build every archive of a release, into dist/, and publish nothing
	$(GORELEASER) release --snapshot --clean --skip=docker

.PHONY: release
release: # publish the tag that is checked out; CI does that
	$(GORELEASER) release --clean
