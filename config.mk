# What differs from one machine to another. Each can also be given to make, or
# come from the environment: make CC=clang CFLAGS=-march=native PREFIX=/opt/simhash

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man

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
