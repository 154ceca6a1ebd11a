# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `make demo` and `make check` are all that a newcomer needs; each installs, configures and builds what is missing.
PRESET ?= release
BUILD := build/$(PRESET)
# Tests: two at once unless told otherwise; more only where there are more processors.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

# Tests that take long have this label: `make check` leaves them out, `make check-deep` runs them alone.
DEEP := '^deep$$'

.PHONY: help setup configure build demo check check-deep test run-tests bench format tidy install package clean

help:
	@echo "make demo         install packages, build, and run Clotho: clinfo, an image through five kernels, clpeak"
	@echo "make check        the same set-up, then every test that does not take long"
	@echo "make check-deep   the other tests: clang-tidy, the sanitizers, long sweeps"
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

# `make check check-deep` is one run of all tests, so that one summary of ctest tells everything.
CHECKS := $(sort $(patsubst test,check,$(filter check test check-deep,$(MAKECMDGOALS))))
CHOICE_check := --label-exclude $(DEEP)
CHOICE_check-deep := --label-regex $(DEEP)
CHOICE := $(if $(filter 1,$(words $(CHECKS))),$(CHOICE_$(CHECKS)))

check check-deep test: run-tests ; @:

# Ends with ctest's own summary.
run-tests: build
	@ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS) --timeout 900 $(CHOICE)

# BENCH=--kernels=fft for some kernels, --latency for none.
bench: build
	@$(BUILD)/bin/clotho-bench --clotho $(BUILD)/clotho.icd $(BENCH)

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
