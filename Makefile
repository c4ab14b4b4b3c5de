# The targets for users and developers. Those that build something first install what is missing.

JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
# With these, ccache serves every clone, wherever it is.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
PLUMB := build/release/plumb
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
# All source files that exist and are not ignored by git.
SOURCES := git ls-files -co --exclude-standard '*.cc' '*.h' | xargs ls -d 2>/dev/null

.PHONY: demo test test-long build tests quick bench paper fuzz format format-check sanitize sanitize-program \
  thread-sanitize alone install uninstall setup-program setup-tests clean
.DEFAULT_GOAL := build

setup-program:
	@scripts/setup program

setup-tests:
	@scripts/setup tests

## demo: show the main commands on the example that comes with the project
demo: build
	@scripts/demo $(PLUMB)

## test: check the format, run all tests but the long ones, the quick ones also under sanitizers, fuzz every reader
test: format-check tests
	@scripts/run-tests release -LE long
	@$(MAKE) --no-print-directory sanitize
	@FUZZ_SECONDS=5 FUZZ_SEED=1 scripts/fuzz

## build: build the release program, build/release/plumb, and the checker of its certificates, build/release/plumb-check
build: setup-program
	@scripts/configure release
	@cmake --build --preset release --target plumb plumb-check

# The files of the last installation, one per line.
INSTALLED = $(DESTDIR)$(abspath $(PREFIX))/lib/plumb/installed.txt

## install: put both programs, solvers, manual pages and shell completions below PREFIX (/usr/local), inside DESTDIR
install: build
	@DESTDIR=$(DESTDIR) cmake --install build/release --prefix $(abspath $(PREFIX)) >build/release/install.log || \
	  { cat build/release/install.log >&2; exit 1; }
	@cp build/release/install_manifest.txt '$(INSTALLED)'
	@echo "installed $(DESTDIR)$(abspath $(PREFIX))/bin/plumb"

## uninstall: remove what make install put below the same PREFIX and DESTDIR
uninstall:
	@test -f '$(INSTALLED)' || { echo "nothing is installed below $(DESTDIR)$(abspath $(PREFIX))" >&2; exit 66; }
	@while read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file"; done <'$(INSTALLED)'
	@rm -f '$(INSTALLED)'
	@rmdir '$(DESTDIR)$(abspath $(PREFIX))/lib/plumb' '$(DESTDIR)$(abspath $(PREFIX))/share/doc/plumb'

## tests: build the release program and its tests
tests: setup-tests
	@scripts/configure release -DPLUMB_TESTS=ON
	@cmake --build --preset release

## test-long: run the suites that take minutes: every item of the paper, small and as in make paper; memory; hidden
##            values of every model; sanitize-program; alone
test-long: tests
	@scripts/run-tests release -L long
	@$(MAKE) --no-print-directory sanitize-program alone

## quick: build and run the quick tests, for use during development
quick: tests
	@scripts/run-tests release -L quick

## sanitize: run the quick tests of code that reads and computes under the address and undefined-behaviour sanitizers.
##           Only the program is compiled again: the tests are those of the release build
sanitize: tests
	@scripts/configure sanitize
	@cmake --build --preset sanitize
	@scripts/run-tests sanitize -L quick

## sanitize-program: the same for the command line, stores, data-set runs and reports
sanitize-program: tests
	@scripts/configure sanitize
	@cmake --build --preset sanitize --target program_tests
	@scripts/run-tests sanitize -L program

## thread-sanitize: run the quick tests under the thread sanitizer
thread-sanitize: setup-tests
	@scripts/configure thread-sanitize
	@cmake --build --preset thread-sanitize
	@scripts/run-tests thread-sanitize -L quick

## alone: compile every source file and every test separately with clang, which shows that each includes what it uses
alone: setup-tests
	@scripts/configure clang
	@cmake --build --preset clang

## bench: run the benchmarks; each compares both sides in one run
bench: build setup-tests
	@scripts/bench

## paper: measure the paper's tables and figures, in minutes, into build/paper (docs/paper.md)
paper: build setup-tests
	@experiments/paper --quick --plumb $(PLUMB)

## fuzz: fuzz every reader for FUZZ_SECONDS
fuzz: setup-tests
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz

format: setup-tests
	@$(SOURCES) | xargs clang-format-16 -i

format-check: setup-tests
	@$(SOURCES) | xargs clang-format-16 --dry-run --Werror

clean:
	rm -rf build
