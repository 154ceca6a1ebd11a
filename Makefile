# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `make demo` and `make check` are all that a newcomer needs; each installs, configures and builds what is missing.
PRESET ?= release
BUILD := build/$(PRESET)
# Tests: two at once unless told otherwise; more only where there are more processors.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: help setup configure build demo check test bench format tidy install package clean

help:
	@echo "make demo     install packages, build, and run Clotho: clinfo, an image through three kernels, clpeak"
	@echo "make check    the same set-up, then every test"
	@echo "make build | test | bench | format | tidy | install | package | setup | clean"

setup:
	@scripts/setup.sh

configure: setup
	@test -e $(BUILD)/build.ninja || cmake --preset $(PRESET)

build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: build
	@scripts/demo.sh $(BUILD)

# Ends with ctest's own summary.
check test: build
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --timeout 900

# BENCH=--kernels=fft for some kernels, --latency for none.
bench: build
	@$(BUILD)/bin/clotho-bench --clotho $(BUILD)/clotho.icd $(BENCH)

format: setup
	@scripts/format.sh --write

tidy: build
	@scripts/tidy.sh $(BUILD)

install: build
	@$(SUDO) cmake --install $(BUILD) --prefix $(PREFIX)

package: build
	@cd $(BUILD) && cpack -G DEB && ls -l *.deb

clean:
	rm -rf build
