/* SPDX-License-Identifier: MIT */
/* The libraries of compressed forms that the build found. */
#ifndef SH_IO_CODEC_LIBRARIES_H
#define SH_IO_CODEC_LIBRARIES_H

#ifdef SH_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef SH_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef SH_HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef SH_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef SH_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef SH_HAVE_LZ4
#include <lz4frame.h>
#endif

#endif
