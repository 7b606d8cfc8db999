# SPDX-License-Identifier: MIT
# The settings of a machine. Arguments of make and the environment override them:
# make CC=clang CFLAGS=-march=native PREFIX=/opt/simhash

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
BASHCOMPDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHCOMPDIR ?= $(PREFIX)/share/zsh/site-functions
FISHCOMPDIR ?= $(PREFIX)/share/fish/vendor_completions.d

# CC and AR: make defines them itself, as cc and ar.
CC ?= cc
AR ?= ar
PKG_CONFIG ?= pkg-config

# Appended to the flags of the project, so that they override these.
CPPFLAGS ?=
CFLAGS ?=
LDFLAGS ?=

# Libraries, by their pkg-config names.
PKGS = libutf8proc libxxhash

# The folder of jieba's data, dict.txt and finalseg/prob_*.py. Debian's python3-jieba has them in this folder, and the
# archive on PyPI in its folder jieba. Without the data, --segment jieba does not work.
JIEBA_DATA ?= /usr/lib/python3/dist-packages/jieba
