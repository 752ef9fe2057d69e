# Everyday commands. `make` alone lists them.

# macOS has make 3.81, which does not support .SHELLFLAGS: each line must fail by itself.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo run build test fleet abuse agreement witness soak peers pages bench lint format format-check dependencies \
	words checks commits fuzz sanitize release archive \
	packages packages-test site

AWK ?= awk
# The time limit of a fuzzing run.
SECONDS ?= 60
# Options of the gate for `make run`, or of Tests/Bench/bench.sh for `make bench`, for example:
# make run ARGS="--policy Info.plist --verbose"
ARGS ?=

format_configuration := config/swift-format.json
# Homebrew's OpenSSL before Apple's LibreSSL, which lacks options that tests need.
ifeq ($(shell uname -s),Darwin)
export PATH := $(shell brew --prefix 2>/dev/null)/opt/openssl@3/bin:$(PATH)
endif
codespell := python3 -m codespell_lib --config config/codespell.cfg
texts := Sources site witness docker config .ci .github Makefile '*.md' '*.sh' '*.py'
swift_sources = $(shell find Sources Tests witness Package.swift -name '*.swift' -not -path '*/.build/*')

# Whole-module compilation without an index and debug information takes seven tenths of the time of the usual debug build.
# A separate folder leaves that build untouched.
demo_build := swift build --product atsgate --scratch-path .build/demo --disable-index-store \
	-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -gnone
# Package.swift reads ONLY_TESTS and builds only these. Leaks are only detected on Linux. Swift's own crash handler would
# report a fault inside the sanitizer's. For complete stacks that end in libcrypto, set
# ASAN_OPTIONS=fast_unwind_on_malloc=0, which takes several times as long.
#
# Of the parsers, Records decodes what Reporting reads from a store; the rest is SQL in GRDB, which is a package and not
# built here, and Reporting's tests damage stores. Text parses the addresses that NetLoop reads, and HTTPWire's target
# covers it.
sanitized := ONLY_TESTS=TLSEngine,HTTP2Engine,Reporting,NetLoop,Declarations,Postgres SWIFT_BACKTRACE=enable=no \
	LSAN_OPTIONS="suppressions=$(CURDIR)/.ci/lsan.supp:print_suppressions=0:$$LSAN_OPTIONS"
address := --sanitize=address --scratch-path .build/asan

help: ## this list
	@$(AWK) -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## install what is missing, then watch real loads succeed and fail (1 to 2 minutes the first time)
	@.ci/install.sh
	@$(demo_build)
	@exec "$$($(demo_build) --show-bin-path)/atsgate" demo

run: ## the gate on 127.0.0.1:9802; options in ARGS
	swift run atsgate proxy $(ARGS)

# As released, for tests too: they test what ships, and starting the command takes a seventieth of the time. One test after
# the other, so that deadlines hold even with two cores.
swift_test := swift test -c release --no-parallel --disable-testable-imports

build: ## the command and all tests, without running them
	@.ci/install.sh
	swift build --build-tests

test: ## install what is missing, then all tests but those of `make abuse`
	@.ci/install.sh fleet
	.ci/test.sh

abuse: ## attacks on a real gate over real sockets
	@.ci/install.sh abuse
	$(swift_test) --filter AbuseTests

fleet: ## six gates with one shared store, while gates and the server fail at random; FLEET_SECONDS=600, FLEET_SEED=1
	@.ci/install.sh fleet
	FLEET_SECONDS=$(or $(FLEET_SECONDS),600) $(swift_test) --filter ChaosTests

agreement: ## docs/agreement.md and README's figure: atsgate's verdicts on loads of real devices
	RECORD_GOLDEN=1 swift test --no-parallel --filter AgreementTests

witness: ## on a Mac: observe how it or a simulator treats the lab under each sample dictionary; options in ARGS
	witness/witness.sh $(ARGS)

soak: ## tens of thousands of attacks and reloads, then 2,000 clients for an hour, with faults; SECONDS=3600
	@.ci/install.sh peers
	@.ci/install.sh release
	@.ci/install.sh abuse
	ATSGATE_WITNESS_CASES=20000 $(swift_test) --filter WitnessTests
	ATSGATE_LAW_SEQUENCES=10000 ATSGATE_LAW_SEED=1000 $(swift_test) --filter LawModelTests
	ATSGATE_DAMAGED_STORES=5000 $(swift_test) --filter ReportingTests.HostileStoreTests
	Tests/Soak/soak.sh $(if $(filter file,$(origin SECONDS)),3600,$(SECONDS))

peers: ## nginx, scripted peers and a headless Chromium through the gate; reports validated by other tools; parts of the witness
	@.ci/install.sh peers
	@.ci/install.sh fleet
	Tests/Peers/peers.sh
	Tests/Peers/witness.sh
	Tests/Peers/where-allowed.sh Tests/Peers/capture.sh
	Tests/Peers/schema.sh
	Tests/Peers/metrics.sh
	Tests/Peers/where-allowed.sh Tests/Peers/gateway.sh
	Tests/Peers/where-allowed.sh Tests/Peers/transparent.sh
	Tests/Peers/formats.sh
	Tests/Peers/hellos.sh
	Tests/Peers/decrypted.sh
	Tests/Peers/agents.sh
	Tests/Peers/action.sh
	witness/witness.sh --check

pages: ## the live page, the fleet's page, the page for devices and the site, in a headless Chromium; the live page in Firefox, too
	@.ci/install.sh peers
	@.ci/install.sh fleet
	@.ci/install.sh site
	Tests/Page/onboarding.sh
	Tests/Page/page.sh
	Tests/Page/report.sh
	Tests/Page/fleet.sh
	Tests/Page/picture.sh
	Tests/Page/site.sh

bench: ## compare the gate's cost with other proxies and its goals (about 25 minutes, an estimate; ARGS=--quick: 6)
	@.ci/install.sh bench
	Tests/Bench/bench.sh $(ARGS)

lint: format-check dependencies words checks ## all checks that take no build

format: ## format the sources
	@swift format --configuration $(format_configuration) --in-place $(swift_sources)

format-check:
	@swift format lint --strict --configuration $(format_configuration) $(swift_sources)

dependencies: ## the packages and their licences are those in THIRD-PARTY.md
	@.ci/dependencies.py

words: ## typos, and unclear words in documents
	@.ci/install.sh checks
	@git ls-files $(texts) | PYTHONPATH=.build/codespell xargs $(codespell)
	@git ls-files '*.md' | PYTHONPATH=.build/codespell xargs $(codespell) --dictionary config/words.txt

checks: ## unchecked accesses and its tests, citations
	@.ci/install.sh checks
	@.ci/unchecked.sh
	@Tests/Checks/checks_test.py
	@.ci/citations.sh

commits: ## the messages of the last commits
	@.ci/install.sh checks
	@PYTHONPATH=.build/gitlint python3 -m gitlint.cli --config config/gitlint.ini --commits \
		"$$(git rev-parse --verify --quiet HEAD~20 || git rev-list --max-parents=0 HEAD | tail -1)..HEAD"

fuzz: ## bounded fuzzing of every parser; SECONDS=60
	Tests/Fuzz/run.sh $(SECONDS)

sanitize: ## targets that call into C under the address sanitizer: tests, then fuzzing; SECONDS=60
	@.ci/install.sh fleet
	$(sanitized) swift build $(address) --build-tests
	$(sanitized) swift test --no-parallel --skip-build $(address)
	$(sanitized) Tests/Fuzz/run.sh $(SECONDS) TLSEngine HTTP2Engine Declarations Records HTTPWire

release: ## .build/dist/atsgate: optimised, stripped, with the Swift runtime linked in
	@.ci/install.sh release
	.ci/release.sh

archive: release ## the same with manual, completions, licences and documents, as an archive in .build/dist
	.ci/packages.sh archive

packages: release ## archive, .deb, .rpm, SBOM and a formula for Homebrew, all in .build/dist (2 minutes)
	@.ci/install.sh packages
	.ci/packages.sh

packages-test: ## install, use, upgrade, remove and purge the .deb on bare systems, also as a service; the image; needs root
	@.ci/install.sh packages
	for suite in bookworm trixie; do \
		Tests/Packages/deb.sh .build/dist/atsgate_*.deb $$suite || exit; \
	done
	Tests/Packages/rpm.sh .build/dist/atsgate-*.rpm
	Tests/Packages/image.sh

site: release ## .build/site/html: the documentation with a reference generated from the program
	@.ci/install.sh site
	site/site.py .build/dist/atsgate
