# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `make demo` and `make check` are all that a newcomer needs; each installs, configures and builds what is missing.
PRESET ?= release
BUILD := build/$(PRESET)
# Tests: two at once unless told otherwise; more only where there are more processors.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# `make check` leaves out the tests with these labels: clang-tidy, the compiler's own checks, and those that take longest. Each has a command of its own.
LABELS := tidy compiler deep

.PHONY: help setup configure build demo check check-tidy check-compiler check-deep check-gpu test run-tests bench format tidy install package clean

help:
	@echo "make demo         install packages, build, and run Clotho: clinfo, an image through five kernels, clpeak"
	@echo "make check        the same set-up, then every test that does not take long"
	@echo "make check-tidy   clang-tidy on all sources"
	@echo "make check-compiler  the compiler's tests, with asserts and sanitizers in the compiler"
	@echo "make check-deep   the other tests: the sanitizers, and those that take minutes"
	@echo "make check-gpu    the tests of the API, kernels and images on an NVIDIA GPU, where there is one"
	@echo "make build | bench | format | tidy | install | package | setup | clean"

setup:
	@scripts/setup.sh

configure: setup
	@test -e $(BUILD)/build.ninja || cmake --preset $(PRESET)

build: configure
	@cmake --build $(BUILD) --parallel $(JOBS)

demo: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target clotho-demo
	@scripts/demo.sh $(BUILD)

# `make check check-tidy check-compiler check-deep` is one run of all tests, so that one summary of ctest tells everything.
GOALS := $(patsubst test,check,$(MAKECMDGOALS))
CHOSEN := $(strip $(foreach label,$(LABELS),$(if $(filter check-$(label),$(GOALS)),$(label))))
LEFT_OUT := $(strip $(filter-out $(CHOSEN),$(LABELS)))
EMPTY :=
ANY_OF = '^($(subst $(EMPTY) $(EMPTY),|,$(1)))$$'
CHOICE := $(if $(filter check,$(GOALS)),$(if $(LEFT_OUT),--label-exclude $(call ANY_OF,$(LEFT_OUT))),$(if $(CHOSEN),--label-regex $(call ANY_OF,$(CHOSEN))))

check check-tidy check-compiler check-deep test: run-tests ; @:

# Ends with ctest's own summary.
run-tests: build
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --timeout 900 $(CHOICE)

# Skipped where there is no GPU.
check-gpu: build
	@scripts/check_gpu.py --build $(BUILD) || test $$? = 77

# A whole run is added to bench/results and bench/RESULTS.md. BENCH=--latency measures no kernels; BENCH=--kernels=fft, some.
bench: build
	@scripts/results.py --run $(BUILD)/bin/clotho-bench --clotho $(BUILD)/clotho.icd $(BENCH)

format: setup
	@scripts/format.sh --write

tidy: build
	@scripts/tidy.sh $(BUILD)

# As root where the folder is not the user's own. sudo does not pass DESTDIR on by itself.
install: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target clotho-installed
	@place="$(DESTDIR)$(abspath $(PREFIX))"; while [ ! -e "$$place" ]; do place=$$(dirname "$$place"); done; \
	if [ -O "$$place" ]; then asRoot=; else asRoot="$(SUDO)"; fi; \
	$$asRoot env DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(abspath $(PREFIX))"

package: configure
	@cmake --build $(BUILD) --parallel $(JOBS) --target clotho-installed
	@cd $(BUILD) && cpack -G DEB && ls -l *.deb

clean:
	rm -rf build
