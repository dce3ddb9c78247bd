# The newcomer's commands; `make` alone lists them.

LIBRARIES := pkg-config:pkg-config libwebsockets-dev libssl-dev libsqlite3-dev libtickit-dev
TEST_TOOLS := tmux:tmux openssl:openssl python3:python3 node:nodejs wasi-libc

# Debug: building takes most of the time of a test run, and a release build takes longer.
TEST_BUILD := .build/debug

.DEFAULT_GOAL := help
.PHONY: help run test soak bench demo build check wasm conformance terminal docs format install install-tools toolchain clean
# swift build uses all cores by itself.
.NOTPARALLEL:

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## install what is missing, build, start the server on 127.0.0.1:8787 with ./data
	.build/release/easel serve --listen 127.0.0.1:8787 --data data

test: install install-tools check ## install what is missing and run every test
	swift build --build-tests
	swift test --skip-build
	@$(MAKE) --no-print-directory terminal conformance wasm

soak: build ## the long runs: a million random histories (SOAK_RUNS, SOAK_STEPS, SOAK_SEED), then all triples, kills and power cuts
	Tests/Soak/run.sh .build/release/easel .build/soak
	swift build --build-tests
	EASEL_EXHAUSTIVE=1 EASEL_ORACLE_SEEDS=2000 EASEL_KILLS=200 EASEL_CUTS=1000 EASEL_BACKUPS=100 EASEL_EVERY_BYTE=1 \
	    swift test --skip-build --filter 'Exhaustive|Oracle|KillTests|PowerLoss|BackupTests|EveryByte'

bench: build ## time and memory of the parts and of the whole, with goals and ratios to a bare reference of the same run
	@deploy/install-packages.sh openssl:openssl
	swift build --configuration release --product benchmarks
	.build/release/benchmarks

demo: build ## a server and two terminal editors side by side, in tmux
	@deploy/install-packages.sh tmux:tmux
	@deploy/demo.sh .build/release/easel

build: install ## install what is missing and build the program for use: .build/release/easel
	swift build --configuration release --product easel

check: toolchain ## format, imports, banned words, file sizes, rule ids
	@deploy/install-packages.sh python3:python3
	swift format lint --strict --recursive --configuration .swift-format Sources Tests Package.swift
	python3 -B Tests/Checks/selftest.py
	python3 -B Tests/Checks/check.py

wasm: toolchain ## build the pure targets for wasm and compare digests in Node.js
	@deploy/install-packages.sh node:nodejs wasi-libc
	Tests/Wasm/run.sh

# Runs the script $(1) with the arguments $(2). It may end with 77 for "cannot run here".
define optional
	@if [ ! -e $(1) ]; then echo "SKIPPED: $(1) does not exist"; else \
	    echo "$(1) $(2)"; status=0; $(1) $(2) || status=$$?; \
	    if [ $$status -eq 77 ]; then echo "SKIPPED: $(1) cannot run on this machine"; else exit $$status; fi; fi
endef

conformance: install ## Autobahn's cases against the WebSocket code, plain and over TLS
	@deploy/install-packages.sh openssl:openssl python3:python3
	swift build --product echo-server
	$(call optional,Tests/Conformance/run.sh,$(TEST_BUILD)/echo-server .build/conformance)

terminal: install ## the terminal editor, driven through tmux
	@deploy/install-packages.sh tmux:tmux
	swift build --product easel
	$(call optional,Tests/Terminal/run.sh,$(TEST_BUILD)/easel)

docs: install ## the API documentation and its articles: .build/docs/Easel.doccarchive
	@deploy/install-packages.sh python3:python3
	swift build --target EaselClient
	Tests/Documentation/build.sh $(TEST_BUILD) .build/docs

format: toolchain ## rewrite the Swift sources in the project's format
	swift format --in-place --recursive --configuration .swift-format Sources Tests Package.swift

install: toolchain ## install the Debian packages that building needs
	@deploy/install-packages.sh $(LIBRARIES)

install-tools: ## install the Debian packages that only tests need
	@deploy/install-packages.sh $(TEST_TOOLS)

toolchain:
	@command -v swift >/dev/null || { echo "No swift in PATH; install Swift 6.3 from https://www.swift.org/install" >&2; exit 1; }

clean: ## remove everything that was built; ./data stays
	rm -rf .build
