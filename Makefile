# ImageStore: what a developer or operator types. `make help` lists it.

SWIFT ?= swift
PREFIX ?= /usr/local
CONFIG ?= config/imagestore.json5
ARGS ?=
FUZZ_SECONDS ?= 60

BUILD_PACKAGES := pkg-config libevent-dev libcurl4-openssl-dev libc-ares-dev libxxhash-dev libssl-dev
TEST_PACKAGES := nginx wrk openssl curl
BENCH_PACKAGES := nginx varnish wrk nghttp2-client python3 gcc libc6-dev libevent-dev util-linux strace valgrind

SOURCES := Package.swift Sources Tests Benchmarks
RELEASE := -c release --product imagestore --static-swift-stdlib
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# Installs those of the Debian packages $(1) that are missing; says nothing and needs no rights when none is.
define require-packages
	@set -e; missing=; for package in $(1); do \
	    dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null | grep -qx installed || missing="$$missing $$package"; \
	done; \
	if [ -n "$$missing" ]; then \
	    echo "installing:$$missing"; \
	    $(SUDO) apt-get update -qq; \
	    $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing; \
	fi
endef

.PHONY: help run build test lint format docs sanitize fuzz bench hit-ratio install clean packages test-packages bench-packages

help:
	@echo 'make run       release build, then the service with $(CONFIG); ARGS="--set KEY=VALUE" is passed on'
	@echo 'make test      the gate: format lint, debug build with warnings as errors, all tests'
	@echo 'make lint      format lint alone; make format mends what it can'
	@echo 'make docs      config/imagestore.json5 and Docs/CONFIGURATION.md from the option table'
	@echo 'make sanitize  tests with threads under the thread sanitizer, all under the address sanitizer'
	@echo 'make fuzz      each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make bench     ours beside nginx and varnish; SCENARIO="hit-1k miss" or "hit-*" for some, OUTPUT=FILE keeps the tables,'
	@echo '               SECONDS_PER_RUN=5 ROUNDS=3; PROGRAM=FILE measures that build instead; Benchmarks/run --list names all'
	@echo 'make hit-ratio what the tiers hit of the reference traces, beside what their policy should reach; five minutes'
	@echo 'make install   into PREFIX=$(PREFIX)'

packages:
	$(call require-packages,$(BUILD_PACKAGES))

test-packages:
	$(call require-packages,$(BUILD_PACKAGES) $(TEST_PACKAGES))

bench-packages:
	$(call require-packages,$(BENCH_PACKAGES))

build: packages
	$(SWIFT) build $(RELEASE)

run: build
	@exec "$$($(SWIFT) build $(RELEASE) --show-bin-path)/imagestore" serve --config $(CONFIG) $(ARGS)

# The test runner comes last, so that its summary ends the output.
test: test-packages lint
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

format:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

# Written aside first: a program that fails leaves the old file.
docs: packages
	$(SWIFT) build --product imagestore
	@set -e; program="$$($(SWIFT) build --show-bin-path)/imagestore"; mkdir -p config Docs; \
	"$$program" document sample > .build/sample && mv .build/sample config/imagestore.json5; \
	"$$program" document configuration > .build/page && mv .build/page Docs/CONFIGURATION.md

# The thread sanitizer slows debug code twenty times and more: what has no threads to look at, or floods the disk, stays out.
THREADED := ScenarioTests|ImageServiceTests|EventLoopsTests|OriginTests|MemoryThreadsTests|DiskTierTests

# No leak check: it takes what Swift's own tables hold by tagged pointers for lost.
sanitize: test-packages
	TSAN_OPTIONS=report_thread_leaks=0 TEST_PATIENCE=6 $(SWIFT) test --sanitize thread --scratch-path .build/sanitize-thread --disable-xctest \
	    --filter '$(THREADED)'
	ASAN_OPTIONS=detect_leaks=0 TEST_PATIENCE=3 $(SWIFT) test --sanitize address --scratch-path .build/sanitize-address --disable-xctest

# Each executable FuzzX of Tests/Fuzz begins with the inputs in Corpus/X; what it finds is kept between runs.
fuzz: packages
	@set -e; cd Tests/Fuzz; for source in Sources/Fuzz*; do \
	    target=$${source##*/}; name=$${target#Fuzz}; \
	    $(SWIFT) build -c release --product $$target; \
	    mkdir -p .build/found/$$name; \
	    .build/release/$$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=5 \
	        -artifact_prefix=.build/ .build/found/$$name Corpus/$$name; \
	done

# Variables given to make reach the script by the environment.
bench: $(if $(PROGRAM),,build) bench-packages
	@exec Benchmarks/run

hit-ratio: packages
	@cd Benchmarks/HitRatio && $(SWIFT) build -c release && exec .build/release/HitRatio

install: build
	install -D -m 755 "$$($(SWIFT) build $(RELEASE) --show-bin-path)/imagestore" $(DESTDIR)$(PREFIX)/bin/imagestore
	install -D -m 644 config/imagestore.json5 $(DESTDIR)$(PREFIX)/share/doc/imagestore/imagestore.json5
	install -D -m 644 Docs/CONFIGURATION.md $(DESTDIR)$(PREFIX)/share/doc/imagestore/CONFIGURATION.md

clean:
	rm -rf .build Tests/Fuzz/.build Benchmarks/HitRatio/.build
