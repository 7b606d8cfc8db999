# SPDX-License-Identifier: MIT
# simhash-utils. `make help` lists the targets. Settings of a machine are in config.mk.

VERSION = 0.2.0
SOVERSION = 0

include config.mk

MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

# ---- folders ---------------------------------------------------------------------------------
# SAN=1 (address, undefined behaviour), SAN=thread and SAN=fuzz (for `make fuzz`, with clang) select sanitizers.
# Each of them has its own build folder.
SANITIZE_1 = address,undefined
SANITIZE_thread = thread
SANITIZE_fuzz = fuzzer-no-link,address,undefined
SANITIZE := $(SANITIZE_$(SAN))
ifneq ($(SAN),)
ifeq ($(SANITIZE),)
$(error SAN=$(SAN): expected SAN=1, SAN=thread or SAN=fuzz)
endif
endif

BUILD_DEFAULT := build$(if $(SAN),$(patsubst -san-1,-san,-san-$(SAN)))
BUILD = $(BUILD_DEFAULT)

# The programs are beside their sources, or in BUILD/bin if BUILD is not the default.
SHBIN := $(if $(filter build,$(BUILD)),bin,$(BUILD)/bin)

# ---- sources ---------------------------------------------------------------------------------
# lib/ingest reads files for shdoc. It links libraries that libsimhash does not need.
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
# The modules that several programs use. Each program links only the modules that it needs.
SHARED_A := $(BUILD)/shared.a
INGEST_A := $(BUILD)/ingest.a
LIB_SO := $(BUILD)/libsimhash.so.$(SOVERSION)
LIB_PC := $(BUILD)/libsimhash.pc
MAN := $(sort $(wildcard man/*.[1-9]))
# The slowest files begin first, so that no processor is idle at the end.
SLOW := $(patsubst %,t/%.bats,faults cluster shspan shdoc frame props docs match keys archive)
BATS := $(SLOW) $(filter-out $(SLOW),$(sort $(wildcard t/*.bats)))
# The dictionary of --segment jieba is in the folder of the programs, because they look for it there.
JIEBA_DICT := $(if $(wildcard $(JIEBA_DATA)/dict.txt),$(SHBIN)/jieba.dict)

# ---- flags -----------------------------------------------------------------------------------
WARN = -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wvla -Wformat=2 -Wno-missing-field-initializers

# _FORTIFY_SOURCE needs optimisation, and hides errors from the sanitizers.
FORTIFY = $(if $(SAN)$(filter -O0,$(CFLAGS))$(findstring FORTIFY,$(CFLAGS) $(CPPFLAGS)),,\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)

# Flags against the exploitation of errors, if this compiler accepts them for this processor.
accepted = $(shell echo 'int main(void) { return 0; }' | \
	$(CC) -Werror $(CFLAGS) $(1) -x c -c -o /dev/null - 2>/dev/null && echo '$(1)')
HARDEN := -fstack-protector-strong $(call accepted,-fstack-clash-protection) \
	$(call accepted,-fcf-protection=full) $(call accepted,-mbranch-protection=standard)

# Without pkg-config the usual names of the libraries are used. `make deps` installs pkg-config.
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(or $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null),$(PKGS:lib%=-l%))
LIBS = $(PKG_LIBS) -lstemmer -lm $(IO_LIBS)

# Optional libraries, PACKAGE=MACRO. OPTIONAL decompresses input of all programs; OPTIONAL_INGEST reads files for shdoc.
OPTIONAL = libisal=ISAL zlib=ZLIB liblzma=LZMA libzstd=ZSTD liblz4=LZ4
OPTIONAL_INGEST = libxml-2.0=LIBXML2 uchardet=UCHARDET libbrotlidec=BROTLI libarchive=ARCHIVE
present = $(foreach o,$(1),$(shell $(PKG_CONFIG) --exists $(firstword $(subst =, ,$o)) 2>/dev/null && echo $o))
names = $(foreach o,$(1),$(firstword $(subst =, ,$o)))
pkg_flags = $(if $(strip $(2)),$(shell $(PKG_CONFIG) $(1) $(call names,$(2))))
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

# The static and the shared library use the same objects. -fno-semantic-interposition lets the compiler inline
# functions of position-independent code.
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
# Objects do not contain the name of the folder, so that they have the same bytes in every folder. The flag is not
# part of COMPILE, so that a moved folder is not built again.
SAME_BYTES = '-ffile-prefix-map=$(CURDIR)=.'
LINK = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)

# ---- building --------------------------------------------------------------------------------
.PHONY: all programs
programs: $(PROGS)
# Programs for another processor may not run here: then the line about missing libraries is omitted.
all: $(PROGS) $(LIB_A) $(LIB_SO) $(JIEBA_DICT) ## build programs and library (the default)
	@"$(SHBIN)/shdoc" -V 2>/dev/null | sed -n '/^Lacks: nothing/d; s/^Lacks:/This build lacks:/p'
	$(if $(JIEBA_DICT),,@echo 'This build lacks: --segment jieba (python3-jieba)')

# $(call stamp,FILE,TEXT): FILE has the line TEXT, and is written only when TEXT has changed. So changed flags and
# removed sources rebuild the targets that depend on FILE.
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

# The style and the script of a report's page as C strings.
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

USE_CODECS := $(BUILD)/lib/io/codec.o
$(USE_CODECS): $(BUILD)/io-flags
$(USE_CODECS): ALL_CPPFLAGS += $(IO_CFLAGS)
$(INGEST_OBJ): $(BUILD)/ingest-flags
$(INGEST_OBJ): ALL_CPPFLAGS += $(INGEST_CFLAGS)

# The programs and tests that link lib/ingest.
WITH_INGEST := $(SHBIN)/shdoc $(filter $(BUILD)/t/unit/test_ingest%,$(UNIT)) \
	$(filter $(addprefix $(BUILD)/t/fuzz/fuzz_,warc mail http page container),$(FUZZ))
$(WITH_INGEST): $(INGEST_A)
$(WITH_INGEST): private INGEST = $(INGEST_A)
$(WITH_INGEST): private MORE_LIBS = $(INGEST_LIBS)

# The functions of lib/simhash.h read no files. So the shared library has the tables of codecs without their functions,
# and needs no compression library.
NO_CODECS := $(USE_CODECS:%.o=%.so.o)
$(NO_CODECS): $(BUILD)/%.so.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC) $(COMPILE) $(SAME_BYTES) -c -o $@ $<
SO_OBJ := $(filter-out $(USE_CODECS),$(LIB_OBJ)) $(NO_CODECS)
-include $(NO_CODECS:.o=.d)

$(LIB_SO): $(SO_OBJ) $(BUILD)/objects lib/libsimhash.map
	$(call quiet,LD) $(LINK) $(SO_LDFLAGS) -o $@ $(SO_OBJ) $(filter-out $(IO_LIBS),$(LIBS))

.PHONY: shared
shared: $(LIB_SO) ## build the shared library only

$(PROGS): $(SHBIN)/%: $(BUILD)/bin/%.o $(SHARED_A) $(LIB_A)
	@mkdir -p $(@D)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(SHARED_A) $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

# One binary with all programs, for wheels and tarballs: share/packaging/multicall.c.
MULTICALL := $(BUILD)/simhash-utils
MULTICALL_OBJ := $(PROG_SRC:%.c=$(BUILD)/multicall/%.o)
$(MULTICALL_OBJ): $(BUILD)/multicall/%.o: %.c $(BUILD)/flags $(BUILD)/ingest-flags
	@mkdir -p $(@D)
	$(call quiet,CC) $(COMPILE) -Dmain=$(*F)_main -Wno-missing-prototypes $(SAME_BYTES) -c -o $@ $<
-include $(MULTICALL_OBJ:.o=.d)

$(MULTICALL): share/packaging/multicall.c $(MULTICALL_OBJ) $(SHARED_A) $(INGEST_A) $(LIB_A)
	$(call quiet,LD) $(LINK) $(ALL_CPPFLAGS) -DMULTICALL='$(foreach p,$(notdir $(PROGS)),ROW($p))' $(PIE) -o $@ $< $(MULTICALL_OBJ) \
	    $(SHARED_A) $(INGEST_A) $(LIB_A) $(LIBS) $(INGEST_LIBS)

.PHONY: multicall
multicall: $(MULTICALL) ## build one binary with all programs

.PHONY: python
python: $(LIB_SO) $(MULTICALL) $(JIEBA_DICT) ## build what the Python package has beside its module

$(SHBIN)/jieba.dict: lib/segment/jieba_compile.c lib/segment/jieba_trie.c lib/segment/jieba_dict.h \
		$(wildcard $(JIEBA_DATA)/dict.txt) | $(SHBIN)/shdict
	$(call quiet,DICT) "$(SHBIN)/shdict" -o $@ $(JIEBA_DATA)

$(UNIT) $(BENCH): %: %.o $(LIB_A)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

# Without SAN=fuzz, a fuzz target runs on its seeds only.
FUZZ_MAIN := $(if $(filter fuzz,$(SAN)),,$(BUILD)/t/fuzz/replay.o)
$(FUZZ): private ALL_LDFLAGS += $(if $(FUZZ_MAIN),,-fsanitize=fuzzer)
$(FUZZ): %: %.o $(FUZZ_MAIN) $(LIB_A)
	$(call quiet,LD) $(LINK) $(PIE) -o $@ $< $(FUZZ_MAIN) $(INGEST) $(LIB_A) $(LIBS) $(MORE_LIBS)

$(TEST_SRC:%.c=$(BUILD)/%.o): ALL_CPPFLAGS += -It/unit

# If jansson is installed, tests compare our JSON reader with it.
JANSSON := $(shell $(PKG_CONFIG) --libs jansson 2>/dev/null)
ifneq ($(JANSSON),)
$(BUILD)/t/unit/test_json.o $(BUILD)/t/fuzz/fuzz_json.o: private ALL_CPPFLAGS += -DHAVE_JANSSON
$(BUILD)/t/unit/test_json $(BUILD)/t/fuzz/fuzz_json: private LIBS += $(JANSSON)
endif

-include $(ALL_OBJ:.o=.d)

# ---- demo and tests --------------------------------------------------------------------------
# The environment of tests and scripts: the folders of the programs, the documents and the build.
export SHBIN := $(abspath $(SHBIN))
export T_DATA := $(abspath t/data)
TEST_ENV = BUILD="$(abspath $(BUILD))" CC='$(CC)' ASAN_OPTIONS=exitcode=99 \
	UBSAN_OPTIONS=exitcode=99:print_stacktrace=1 T_SHORT="$${T_SHORT:-$(if $(SAN),8,4)}"
# Dictionaries of cppjieba, downloaded once for all builds.
TEST_DATA = SIMHASH_CPPJIEBA="$$(t/cppjieba build/cppjieba)"

.PHONY: deps demo check check-unit check-bats unit-programs fuzz-programs
deps: ## install missing Debian packages for building and testing
	@share/deps build check

# make computed the flags before share/deps ran, so a second make builds.
demo: ## find the near-duplicates in the bundled English and Chinese documents
	@share/deps build
	@mkdir -p $(BUILD)
	@echo 'Building the programs. $(BUILD)/demo.log has the commands.'
	@+$(MAKE) --no-print-directory -s $(ALL_PROCESSORS) all >$(BUILD)/demo.log 2>&1 || { tail -n 20 $(BUILD)/demo.log >&2; exit 1; }
	@share/demo

# Without -j, `make demo` and `make check` build with all processors.
ALL_PROCESSORS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

check: ## run all tests; the last line is `N passed, N failed`
	@share/deps build check
	@+$(MAKE) --no-print-directory -s $(ALL_PROCESSORS) all unit-programs
	@$(TEST_DATA) $(TEST_ENV) t/run $(BATS) t/vectors.py $(UNIT) $(FUZZ)

unit-programs: $(UNIT) $(FUZZ)
fuzz-programs: $(FUZZ)

check-unit: $(UNIT) $(FUZZ) ## run the unit tests only
	@$(TEST_DATA) $(TEST_ENV) t/run $(UNIT) $(FUZZ)

check-bats: all ## run the tests of programs only; BATS=t/shfp.bats: one file
	@$(TEST_ENV) t/run $(BATS)

# Takes minutes, and downloads some 30 MB of packages, so `check` does not run it. PYTHON must have jieba.
.PHONY: check-jieba
check-jieba: ## segment 20 MB of Chinese and compare each word with Python's jieba
	@share/deps build check
	@+$(MAKE) --no-print-directory -s all $(BUILD)/t/bench/jieba_cut
	@$(or $(PYTHON),/usr/bin/python3) t/check-jieba.py --cut $(BUILD)/t/bench/jieba_cut --dict "$(SHBIN)/jieba.dict" "$(T_DATA)/zh_dev.tsv"

# Takes minutes, and downloads 450 MB of packages, so `check` and .ci/run do not run it.
.PHONY: check-cluster
check-cluster: ## start Spark and Hadoop on this machine, and test share/spark and share/hadoop
	@share/deps build check cluster
	@+$(MAKE) --no-print-directory -s all $(BUILD)/t/bench/genfp
	@$(TEST_ENV) t/cluster/run

# Downloads some 400 MB of packages. PYTHON is one interpreter or several. WHEEL is a wheel with module and programs.
.PHONY: check-columns
check-columns: ## compare the Python module on columns of datasets, pandas, polars and Arrow with shdedup
	@share/deps build check
	@+$(MAKE) --no-print-directory -s all
	@$(TEST_ENV) WHEEL='$(WHEEL)' t/check-columns $(PYTHON)

# $(call run_script,FILE,ARGUMENTS)
run_script = @$(TEST_ENV) $(1) $(2)

.PHONY: check-cross
check-cross: ## compare outputs by threads, compilers and processors; QUICK=1: few of them
	@share/deps build check
	@MAKE='$(MAKE)' QUICK='$(QUICK)' $(TEST_ENV) t/cross/run

.PHONY: bench bench-archive bench-programs bench-smoke soak fuzz quality
bench-programs: $(BENCH)

bench: all $(BENCH) ## measure speed
	$(call run_script,t/bench/run)

bench-smoke: all $(BENCH) ## run the benchmarks on small input
	$(call run_script,t/bench/run,--smoke)

bench-archive: all $(BENCH) ## measure batches on archives of up to ten million documents
	$(call run_script,t/bench/archive)

soak: all ## run the long tests: large input, many random cases, new roots of Debian
	$(call run_script,t/soak/run)

# CLANG must have libFuzzer.
CLANG = clang
FUZZ_SECONDS = 60
FUZZ_TARGETS =
fuzz: ## run the fuzz targets; FUZZ_SECONDS=60 a target, FUZZ_TARGETS='json join'
	@share/deps build fuzz
	@+$(MAKE) --no-print-directory -s SAN=fuzz CC=$(CLANG) fuzz-programs
	@t/fuzz/run $(FUZZ_SECONDS) $(FUZZ_TARGETS)

quality: all ## measure recall and precision on labelled near-duplicates
	$(call run_script,t/quality/run)

# ---- documentation ---------------------------------------------------------------------------
.PHONY: site check-docs
site: ## make the documentation site, in build/site
	@share/deps site
	@docs/site/build $(BUILD)/site
	@t/check-site $(BUILD)/site

# `make check` skips examples whose programs are not installed. This target installs DuckDB from PyPI if necessary.
DUCKDB = $(abspath $(BUILD)/duckdb)
check-docs: all ## run all examples of all pages; skip none
	@share/deps build check
	@command -v duckdb >/dev/null || test -x $(DUCKDB)/bin/duckdb || \
	    { $(or $(PYTHON),python3) -m venv $(DUCKDB) && $(DUCKDB)/bin/pip -q install duckdb-cli; }
	@PATH="$$PATH:$(DUCKDB)/bin" t/man-examples -a README.md $(wildcard docs/*.md) $(MAN)

# ---- installing ------------------------------------------------------------------------------
# The linker finds the library by the name libsimhash.so.
$(LIB_PC): lib/libsimhash.pc.in $(BUILD)/pc-paths
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(strip $(LIBS))|' $< >$@
$(eval $(call stamp,$(BUILD)/pc-paths,$$(PREFIX) $$(LIBDIR) $$(INCLUDEDIR) $$(VERSION) $$(LIBS)))

# share/completions runs the programs for their options, so they must run on this machine.
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
# Folders of scripts for engines. Each script finds the others by its own folder.
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

uninstall: ## remove the installed files
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

# ---- packages, lint, clean -------------------------------------------------------------------
.PHONY: dist lint format clean help
DIST = simhash-utils-$(VERSION)
dist: ## make a tarball of the last commit, with the same bytes on every machine
	@git diff --quiet HEAD || echo 'make dist: the tarball lacks changes that are not committed' >&2
	git -c tar.umask=022 archive --prefix=$(DIST)/ HEAD | gzip -9n >$(DIST).tar.gz

.PHONY: deb release try-release
deb: ## make Debian packages of the last commit, in build/deb, and run lintian on them
	@share/deps build check deb
	@+$(MAKE) --no-print-directory -s dist
	share/packaging/deb $(DIST).tar.gz $(VERSION) $(BUILD)/deb

release: deb ## make wheels, static tarballs and Debian packages of the last commit, and test them
	@share/deps build check release
	share/packaging/release $(DIST).tar.gz $(VERSION) $(BUILD)/release
	@+$(MAKE) --no-print-directory -s try-release

# PYTHON is one interpreter or several.
try-release: ## test the packages of `make release` again; PYTHON='...': also the wheel with these Pythons
	@PYTHON='$(PYTHON)' share/packaging/try-release $(BUILD)/release $(VERSION) $(BUILD)/deb

lint: ## compile with warnings as errors; check man pages, scripts, types of Python and format
	@share/deps build check lint
	@+MAKE='$(MAKE)' t/lint

format: ## format the C sources with clang-format
	clang-format -i $(wildcard lib/*.h lib/*/*.[ch] bin/*.[ch] t/*/*.[ch])

clean: ## remove all built files
	rm -rf build build-san build-san-thread build-san-fuzz $(filter-out build,$(BUILD)) $(PROG_SRC:%.c=%) bin/jieba.dict

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo 'Variables: V=1 (show commands), SAN=1 or SAN=thread (sanitizers, in build-san…),'
	@echo 'BUILD=DIR (build there, programs in DIR/bin), CC, CFLAGS, CPPFLAGS, LDFLAGS, PREFIX, DESTDIR (see config.mk)'
