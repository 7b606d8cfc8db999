# simhash-utils. `make help` lists the targets; what differs between machines is in config.mk.

VERSION = 0.1.0
SOVERSION = 0

include config.mk

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

# ---- where things go -------------------------------------------------------------------------
# SAN=1 (address and undefined behaviour) and SAN=thread build apart from the ordinary build;
# so does SAN=fuzz, with clang, for `make fuzz`.
SANITIZE_1 = address,undefined
SANITIZE_thread = thread
SANITIZE_fuzz = fuzzer-no-link,address,undefined
SANITIZE := $(SANITIZE_$(SAN))
ifneq ($(SAN),)
ifeq ($(SANITIZE),)
$(error SAN=$(SAN): known are SAN=1, SAN=thread and SAN=fuzz)
endif
endif

BUILD_DEFAULT := build$(if $(SAN),$(patsubst -san-1,-san,-san-$(SAN)))
BUILD = $(BUILD_DEFAULT)

# Programs stand beside their sources, unless the build is somewhere of its own.
SHBIN := $(if $(filter build,$(BUILD)),bin,$(BUILD)/bin)

# ---- sources ---------------------------------------------------------------------------------
# lib/ingest reads files for shdoc, through libraries that libsimhash does without.
INGEST_SRC := $(sort $(wildcard lib/ingest/*.c))
LIB_SRC := $(filter-out $(INGEST_SRC),$(sort $(wildcard lib/*/*.c)))
PROG_SRC := $(sort $(wildcard bin/sh*.c))
SHARED_SRC := $(filter-out $(PROG_SRC),$(sort $(wildcard bin/*.c)))
UNIT_SRC := $(sort $(wildcard t/unit/test_*.c))
BENCH_SRC := $(sort $(wildcard t/bench/*.c))
FUZZ_SRC := $(sort $(wildcard t/fuzz/fuzz_*.c))

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
SHARED_OBJ := $(SHARED_SRC:%.c=$(BUILD)/%.o)
TEST_SRC := $(UNIT_SRC) $(BENCH_SRC) $(FUZZ_SRC) t/fuzz/replay.c
INGEST_OBJ := $(INGEST_SRC:%.c=$(BUILD)/%.o)
ALL_OBJ := $(LIB_OBJ) $(INGEST_OBJ) $(SHARED_OBJ) $(PROG_SRC:%.c=$(BUILD)/%.o) $(TEST_SRC:%.c=$(BUILD)/%.o)

PROGS := $(PROG_SRC:bin/%.c=$(SHBIN)/%)
UNIT := $(UNIT_SRC:%.c=$(BUILD)/%)
BENCH := $(BENCH_SRC:%.c=$(BUILD)/%)
FUZZ := $(FUZZ_SRC:%.c=$(BUILD)/%)
LIB_A := $(BUILD)/libsimhash.a
# What programs share, as an archive: each links only what it uses.
SHARED_A := $(BUILD)/shared.a
INGEST_A := $(BUILD)/ingest.a
LIB_SO := $(BUILD)/libsimhash.so.$(SOVERSION)
LIB_PC := $(BUILD)/libsimhash.pc
MAN := $(sort $(wildcard man/*.[1-9]))
BATS := $(sort $(wildcard t/*.bats))
# The dictionary of --segment jieba lies beside the programs, which look for it there.
JIEBA_DICT := $(if $(wildcard $(JIEBA_DATA)/dict.txt),$(SHBIN)/jieba.dict)

# ---- flags -----------------------------------------------------------------------------------
WARN = -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2 -Wno-missing-field-initializers

# _FORTIFY_SOURCE wants optimisation, and is in the sanitizers' way.
FORTIFY = $(if $(SAN)$(filter -O0,$(CFLAGS))$(findstring FORTIFY,$(CFLAGS) $(CPPFLAGS)),,\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)

# What makes the exploitation of a flaw harder, as far as this compiler takes it for this processor.
takes = $(shell echo 'int main(void) { return 0; }' | \
	$(CC) -Werror $(CFLAGS) $(1) -x c -c -o /dev/null - 2>/dev/null && echo '$(1)')
HARDEN := -fstack-protector-strong $(call takes,-fstack-clash-protection) \
	$(call takes,-fcf-protection=full) $(call takes,-mbranch-protection=standard)

# Without pkg-config the usual names do, which is enough until `make deps` has installed it.
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(or $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null),$(PKGS:lib%=-l%))
LIBS = $(PKG_LIBS) -lstemmer -lm $(IO_LIBS)

# Optional libraries, PACKAGE=MACRO: those of all programs decompress, those of shdoc read its forms.
OPTIONAL = zlib=ZLIB liblzma=LZMA libzstd=ZSTD liblz4=LZ4
OPTIONAL_INGEST = libxml-2.0=LIBXML2 uchardet=UCHARDET libbrotlidec=BROTLI libarchive=ARCHIVE
present = $(foreach o,$(1),$(shell $(PKG_CONFIG) --exists $(firstword $(subst =, ,$o)) 2>/dev/null && echo $o))
names = $(foreach o,$(1),$(firstword $(subst =, ,$o)))
pkg_flags = $(if $(2),$(shell $(PKG_CONFIG) $(1) $(call names,$(2))))
macros = $(foreach o,$(1),-DSH_HAVE_$(lastword $(subst =, ,$o)))
IO_PKGS := $(call present,$(OPTIONAL))
# Debian's libbz2 has no file for pkg-config.
BZIP2 := $(shell echo 'int main(void) { return !BZ2_bzlibVersion(); }' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -include bzlib.h -x c -o /dev/null - -lbz2 2>/dev/null && echo -lbz2)
IO_CFLAGS := $(if $(BZIP2),-DSH_HAVE_BZIP2) $(call macros,$(IO_PKGS)) $(call pkg_flags,--cflags,$(IO_PKGS))
IO_LIBS := $(BZIP2) $(call pkg_flags,--libs,$(IO_PKGS))
INGEST_PKGS := $(call present,$(OPTIONAL_INGEST))
INGEST_CFLAGS := $(IO_CFLAGS) $(call macros,$(INGEST_PKGS)) $(call pkg_flags,--cflags,$(INGEST_PKGS))
INGEST_LIBS := $(call pkg_flags,--libs,$(INGEST_PKGS))

# One set of objects serves the archive and the shared library; without interposition
# position-independent code is inlined as any other.
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DSH_VERSION='"$(VERSION)"' -Ilib -Ibin $(PKG_CFLAGS) \
	$(FORTIFY) $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -O3 -g $(WARN) -pthread -fPIC -fno-semantic-interposition \
	$(HARDEN) $(if $(SAN),-O1 -fno-omit-frame-pointer \
	-fsanitize=$(SANITIZE) -fno-sanitize-recover=all) $(CFLAGS)
PIE = -pie
ALL_LDFLAGS = -pthread -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack $(if $(SAN),-fsanitize=$(SANITIZE)) $(LDFLAGS)
SO_LDFLAGS = -shared -Wl,-soname,$(notdir $(LIB_SO)) -Wl,--version-script=lib/libsimhash.map $(if $(SAN),,-Wl,-z,defs)

# `make V=1` shows whole commands.
quiet = $(if $(V),,@echo '$(1) $@' &&)
COMPILE = $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP
# The folder's name stays out of the objects, which are then the same bytes wherever they are built.
# It is no part of COMPILE, for a folder that is moved need not be built again.
SAME_BYTES = '-ffile-prefix-map=$(CURDIR)=.'
LINK = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)

# ---- building --------------------------------------------------------------------------------
.PHONY: all programs
programs: $(PROGS)
all: $(PROGS) $(LIB_A) $(LIB_SO) $(JIEBA_DICT) ## build programs and library (the default)

# A stamp holds a line of text and is newer than what hangs on it only when the text has changed:
# so other flags, or a source that is gone, rebuild what they touch. $(call stamp,FILE,TEXT)
define stamp
ifneq ($$(strip $$(file <$(1))),$$(strip $(2)))
$(1): FORCE
endif
$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(subst ','\'',$(2))' >$$@
endef
.PHONY: FORCE
FORCE:

$(eval $(call stamp,$(BUILD)/flags,$$(COMPILE) $$(LINK) $$(AR) $$(LIBS)))
$(eval $(call stamp,$(BUILD)/io-flags,$$(IO_CFLAGS) $$(IO_LIBS)))
$(eval $(call stamp,$(BUILD)/ingest-flags,$$(INGEST_CFLAGS) $$(INGEST_LIBS) $$(INGEST_OBJ)))
$(eval $(call stamp,$(BUILD)/objects,$$(LIB_OBJ)))
$(eval $(call stamp,$(BUILD)/shared-objects,$$(SHARED_OBJ)))

$(ALL_OBJ): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC) $(COMPILE) $(SAME_BYTES) -c -o $@ $<

# The style and the script of a report's page, as strings of C.
$(BUILD)/lib/report/page.%.inc: lib/report/page.%
	@mkdir -p $(@D)
	@sed 's/[\\"]/\\&/g; s/	/\\t/g; s/.*/"&\\n"/' $< >$@
$(BUILD)/lib/report/page.o: $(BUILD)/lib/report/page.css.inc $(BUILD)/lib/report/page.js.inc
$(BUILD)/lib/report/page.o: private ALL_CPPFLAGS += -I$(BUILD)/lib

$(LIB_A): $(LIB_OBJ) $(BUILD)/objects
	@rm -f $@
	$(call quiet,AR) $(AR) rcs $@ $(LIB_OBJ)

$(SHARED_A): $(SHARED_OBJ) $(BUILD)/shared-objects
	@rm -f $@
	$(call quiet,AR) $(AR) rcs $@ $(SHARED_OBJ)

$(INGEST_A): $(INGEST_OBJ)
	@rm -f $@
	$(call quiet,AR) $(AR) rcs $@ $(INGEST_OBJ)

USE_CODECS = $(addprefix $(BUILD)/lib/io/,codec.o compress.o pieces.o)
$(USE_CODECS): $(BUILD)/io-flags
$(USE_CODECS): ALL_CPPFLAGS += $(IO_CFLAGS)
$(INGEST_OBJ): $(BUILD)/ingest-flags
$(INGEST_OBJ): ALL_CPPFLAGS += $(INGEST_CFLAGS)

# What is linked with it besides.
WITH_INGEST := $(SHBIN)/shdoc $(filter $(BUILD)/t/unit/test_ingest%,$(UNIT)) \
	$(filter $(addprefix $(BUILD)/t/fuzz/fuzz_,warc mail http page container),$(FUZZ))
$(WITH_INGEST): $(INGEST_A)
$(WITH_INGEST): private INGEST = $(INGEST_A)
$(WITH_INGEST): private MORE_LIBS = $(INGEST_LIBS)

$(LIB_SO): $(LIB_OBJ) $(BUILD)/objects lib/libsimhash.map
	$(call quiet,LD) $(LINK) $(SO_LDFLAGS) -o $@ $(LIB_OBJ) $(LIBS)

.PHONY: shared
shared: $(LIB_SO) ## build the shared library only

$(PROGS): $(SHBIN)/%: $(BUILD)/bin/%.o $(SHARED_A) $(LIB_A)
	@mkdir -p $(@D)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(SHARED_A) $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

$(SHBIN)/jieba.dict: lib/segment/jieba_compile.c lib/segment/jieba_trie.c lib/segment/jieba_dict.h \
		$(wildcard $(JIEBA_DATA)/dict.txt) | $(SHBIN)/shdict
	$(call quiet,DICT) "$(SHBIN)/shdict" -o $@ $(JIEBA_DATA)

$(UNIT) $(BENCH): %: %.o $(LIB_A)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

# A fuzz target without a fuzzer runs over its seeds.
FUZZ_MAIN := $(if $(filter fuzz,$(SAN)),,$(BUILD)/t/fuzz/replay.o)
$(FUZZ): private ALL_LDFLAGS += $(if $(FUZZ_MAIN),,-fsanitize=fuzzer)
$(FUZZ): %: %.o $(FUZZ_MAIN) $(LIB_A)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(FUZZ_MAIN) $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

$(TEST_SRC:%.c=$(BUILD)/%.o): ALL_CPPFLAGS += -It/unit

# A JSON reader to compare ours with, where there is one.
JANSSON := $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null)
ifneq ($(JANSSON),)
$(BUILD)/t/unit/test_json.o $(BUILD)/t/fuzz/fuzz_json.o: private ALL_CPPFLAGS += -DHAVE_JANSSON
$(BUILD)/t/unit/test_json $(BUILD)/t/fuzz/fuzz_json: private LIBS += $(JANSSON)
endif

-include $(ALL_OBJ:.o=.d)

# ---- trying and testing ----------------------------------------------------------------------
# What tests and scripts are told: where the programs, the documents and the build are.
export SHBIN := $(abspath $(SHBIN))
export T_DATA := $(abspath t/data)
TEST_ENV = BUILD="$(abspath $(BUILD))" CC='$(CC)' ASAN_OPTIONS=exitcode=99 \
	UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 T_SHORT="$${T_SHORT:-$(if $(SAN),4,1)}"
# and dictionaries that are fetched, once for all builds
TEST_DATA = SIMHASH_CPPJIEBA="$$(t/cppjieba build/cppjieba)"

.PHONY: deps demo check check-unit check-bats unit-programs fuzz-programs
deps: ## install what is missing to build and test (Debian packages)
	@share/deps build check

# The flags were computed before `deps` ran, so what follows it is a make of its own.
demo: ## find the near-duplicates in the bundled English and Chinese documents
	@share/deps build
	@+$(MAKE) --no-print-directory -s all
	@share/demo

# A test run without -j builds with all processors.
ALL_PROCESSORS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

check: ## run all tests; the last line is `N passed, N failed`
	@share/deps build check
	@+$(MAKE) --no-print-directory -s $(ALL_PROCESSORS) all unit-programs
	@$(TEST_DATA) $(TEST_ENV) t/run $(UNIT) $(FUZZ) $(BATS)

unit-programs: $(UNIT) $(FUZZ)
fuzz-programs: $(FUZZ)

check-unit: $(UNIT) $(FUZZ) ## run the unit tests only
	@$(TEST_DATA) $(TEST_ENV) t/run $(UNIT) $(FUZZ)

check-bats: all ## run the programs' tests only; one file: make check-bats BATS=t/shfp.bats
	@$(TEST_ENV) t/run $(BATS)

# Minutes, and some 30 MB of packages: kept out of `check`. PYTHON is one that has jieba.
.PHONY: check-jieba
check-jieba: ## segment 20 MB of Chinese and compare each word with Python's jieba
	@share/deps build check
	@+$(MAKE) --no-print-directory -s all $(BUILD)/t/bench/jieba_cut
	@$(or $(PYTHON),/usr/bin/python3) t/check-jieba.py --cut $(BUILD)/t/bench/jieba_cut --dict "$(SHBIN)/jieba.dict" "$(T_DATA)/zh_dev.tsv"

# Some minutes, and 450 MB of packages: kept out of `check` and of .ci/run.
.PHONY: check-cluster
check-cluster: ## run share/spark and share/hadoop on engines that it starts here
	@share/deps build check cluster
	@+$(MAKE) --no-print-directory -s all $(BUILD)/t/bench/genfp
	@$(TEST_ENV) t/cluster/run

# Some 400 MB of packages. PYTHON is one interpreter, or several. WHEEL is a wheel to take the module and programs from.
.PHONY: check-columns
check-columns: ## columns of datasets, pandas, polars and Arrow through the Python module, against shdedup
	@share/deps build check
	@+$(MAKE) --no-print-directory -s all
	@$(TEST_ENV) WHEEL='$(WHEEL)' t/check-columns $(PYTHON)

# $(call run_script,FILE,ARGUMENTS): a target whose script is not there fails, and says so.
run_script = @test -x $(1) || { echo 'make $@: nothing here yet: no $(1)' >&2; exit 1; }; \
	$(TEST_ENV) $(1) $(2)

.PHONY: check-cross
check-cross: ## one sum of all outputs whatever threads, compiler and processor; QUICK=1: few of them
	@share/deps build check
	@MAKE='$(MAKE)' QUICK='$(QUICK)' $(TEST_ENV) t/cross/run

.PHONY: bench bench-archive bench-programs bench-smoke soak fuzz quality
bench-programs: $(BENCH)

bench: all $(BENCH) ## measure speed
	$(call run_script,t/bench/run)

bench-smoke: all $(BENCH) ## see that the benchmarks run, on little input
	$(call run_script,t/bench/run,--smoke)

bench-archive: all $(BENCH) ## measure batches against archives of up to ten million documents
	$(call run_script,t/bench/archive)

soak: all ## the long tests: large input, many random cases
	$(call run_script,t/soak/run)

# CLANG is one that has libFuzzer.
CLANG = clang
FUZZ_SECONDS = 60
FUZZ_TARGETS =
fuzz: ## fuzz what reads untrusted input: FUZZ_SECONDS=60 a target, FUZZ_TARGETS='json join'
	@share/deps build fuzz
	@+$(MAKE) --no-print-directory -s SAN=fuzz CC=$(CLANG) fuzz-programs
	@t/fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

quality: all ## recall and precision on labelled near-duplicates
	$(call run_script,t/quality/run)

# ---- documentation ---------------------------------------------------------------------------
.PHONY: site check-docs
site: ## make the documentation site, in build/site
	@share/deps site
	@docs/site/build $(BUILD)/site
	@t/check-site $(BUILD)/site

# The tests leave out what needs a program that is not there. Here DuckDB comes from PyPI, unless there is one.
DUCKDB = $(abspath $(BUILD)/duckdb)
check-docs: all ## run the examples of all pages, and nothing is left out
	@share/deps build check
	@command -v duckdb >/dev/null || test -x $(DUCKDB)/bin/duckdb || \
	    { $(or $(PYTHON),python3) -m venv $(DUCKDB) && $(DUCKDB)/bin/pip -q install duckdb-cli; }
	@PATH="$$PATH:$(DUCKDB)/bin" t/man-examples -a README.md $(wildcard docs/*.md) $(MAN)

# ---- installing ------------------------------------------------------------------------------
# The one that a program is linked with is found by name, libsimhash.so, at link time.
$(LIB_PC): lib/libsimhash.pc.in $(BUILD)/pc-paths
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(strip $(LIBS))|' $< >$@
$(eval $(call stamp,$(BUILD)/pc-paths,$$(PREFIX) $$(LIBDIR) $$(INCLUDEDIR) $$(VERSION) $$(LIBS)))

# The programs are asked for their options: what is built here must run here.
COMPLETIONS := $(BUILD)/completions
$(COMPLETIONS)/made: share/completions $(PROGS)
	$(call quiet,COMPLETIONS) share/completions "$(SHBIN)" $(COMPLETIONS)
	@touch $@

.PHONY: completions
completions: $(COMPLETIONS)/made ## write completions for bash, zsh and fish

D_BIN = "$(DESTDIR)$(BINDIR)"
D_LIB = "$(DESTDIR)$(LIBDIR)"
D_INC = "$(DESTDIR)$(INCLUDEDIR)"
D_MAN = "$(DESTDIR)$(MANDIR)"
D_DATA = "$(DESTDIR)$(PREFIX)/share/simhash-utils"
D_BASH = "$(DESTDIR)$(BASHCOMPDIR)"
D_ZSH = "$(DESTDIR)$(ZSHCOMPDIR)"
D_FISH = "$(DESTDIR)$(FISHCOMPDIR)"
# Folders of scripts for engines; they find each other from where they lie.
SCRIPTS = share/cluster share/spark share/hadoop

.PHONY: install uninstall
install: all completions $(LIB_PC) ## install programs, library, header, man pages and completions below PREFIX
	install -d $(D_BIN) $(D_LIB)/pkgconfig $(D_INC) $(D_BASH) $(D_ZSH) $(D_FISH)
	install -m 755 $(PROGS) $(D_BIN)
	install -m 644 $(LIB_A) $(D_LIB)
	install -m 755 $(LIB_SO) $(D_LIB)
	ln -sf $(notdir $(LIB_SO)) $(D_LIB)/libsimhash.so
	install -m 644 $(LIB_PC) $(D_LIB)/pkgconfig
	install -m 644 lib/simhash.h $(D_INC)
	install -m 644 $(COMPLETIONS)/bash/* $(D_BASH)
	install -m 644 $(COMPLETIONS)/zsh/* $(D_ZSH)
	install -m 644 $(COMPLETIONS)/fish/* $(D_FISH)
	install -d $(D_DATA)/cron
	install -m 755 share/cron/simhash-dedup $(D_DATA)/cron
	@for file in $(filter-out %/simhash-dedup,$(wildcard share/cron/*)); do \
	    sed -e 's|/usr/local/share/|$(PREFIX)/share/|' -e 's|PATH=/usr/local/bin:|PATH=$(BINDIR):|' \
	        "$$file" >$(D_DATA)/cron/"$${file##*/}" && \
	    chmod 644 $(D_DATA)/cron/"$${file##*/}" || exit 1; \
	done
	install -d $(SCRIPTS:share/%=$(D_DATA)/%)
	@for script in $(SCRIPTS); do \
	    install -m 755 "$$script"/*.py $(D_DATA)/"$${script#share/}" || exit 1; \
	done
	$(if $(JIEBA_DICT),install -d $(D_DATA) && install -m 644 $(JIEBA_DICT) $(D_DATA))
	@for page in $(MAN); do \
	    install -d $(D_MAN)/man"$${page##*.}" && \
	    install -m 644 "$$page" $(D_MAN)/man"$${page##*.}" || exit 1; \
	done

uninstall: ## remove what install installed
	for prog in $(notdir $(PROGS)); do rm -f $(D_BIN)/"$$prog"; done
	for file in $(notdir $(LIB_A) $(LIB_SO)) libsimhash.so pkgconfig/libsimhash.pc; do \
	    rm -f $(D_LIB)/"$$file"; done
	rm -f $(D_INC)/simhash.h $(D_DATA)/jieba.dict
	for prog in $(notdir $(PROGS)); do \
	    rm -f $(D_BASH)/"$$prog" $(D_ZSH)/_"$$prog" $(D_FISH)/"$$prog".fish; done
	for file in $(notdir $(wildcard share/cron/*)); do rm -f $(D_DATA)/cron/"$$file"; done
	rm -rf $(SCRIPTS:share/%=$(D_DATA)/%)
	rmdir $(D_DATA)/cron $(D_DATA) 2>/dev/null || true
	for page in $(notdir $(MAN)); do rm -f $(D_MAN)/man"$${page##*.}"/"$$page"; done

# ---- keeping house ---------------------------------------------------------------------------
.PHONY: dist lint format clean help
DIST = simhash-utils-$(VERSION)
dist: ## make a tarball of the last commit, the same bytes wherever it is made
	@git diff --quiet HEAD || echo 'make dist: changes that are not committed stay out' >&2
	git -c tar.umask=022 archive --prefix=$(DIST)/ HEAD | gzip -9n >$(DIST).tar.gz

.PHONY: deb release try-release
deb: ## make Debian packages of the last commit, in build/deb, and run lintian on them
	@share/deps build check deb
	@+$(MAKE) --no-print-directory -s dist
	share/packaging/deb $(DIST).tar.gz $(VERSION) $(BUILD)/deb

release: deb ## make wheels, static tarballs and Debian packages of the last commit, and try them without a compiler
	@share/deps build check release
	share/packaging/release $(DIST).tar.gz $(VERSION) $(BUILD)/release
	@+$(MAKE) --no-print-directory -s try-release

# PYTHON is one interpreter, or several.
try-release: ## try again what `make release` made; PYTHON='...' tries the wheel with more Pythons
	@PYTHON='$(PYTHON)' share/packaging/try-release $(BUILD)/release $(VERSION) $(BUILD)/deb

lint: ## compile with gcc and clang, warnings as errors; check man pages, scripts and format
	@share/deps build check lint
	@+MAKE='$(MAKE)' t/lint

format: ## lay out the C sources as .clang-format says
	clang-format -i $(wildcard lib/*.h lib/*/*.[ch] bin/*.[ch] t/*/*.[ch])

clean: ## remove what was built
	rm -rf build build-san build-san-thread build-san-fuzz $(filter-out build,$(BUILD)) $(PROG_SRC:%.c=%) bin/jieba.dict

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'Variables: V=1 (show commands), SAN=1 or SAN=thread (sanitizers, in build-san…),'
	@echo 'BUILD=DIR (build there, programs in DIR/bin), CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR (see config.mk)'
