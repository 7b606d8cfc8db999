# What differs from one machine to another. Each can also be given to make, or
# come from the environment: make CC=clang CFLAGS=-march=native PREFIX=/opt/simhash

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d

# make's own defaults for these are cc and ar.
CC ?= cc
AR ?= ar
PKG_CONFIG ?= pkg-config

# Appended to what the project needs, so that the last word is yours.
CPPFLAGS ?=
CFLAGS ?=
LDFLAGS ?=

# Libraries, by their pkg-config names.
PKGS = libutf8proc libxxhash

# Where jieba's data lie, dict.txt and finalseg/prob_*.py: Debian's python3-jieba has them here, the
# archive on PyPI in its folder jieba. Without them there is no --segment jieba.
JIEBA_DATA ?= /usr/lib/python3/dist-packages/jieba
