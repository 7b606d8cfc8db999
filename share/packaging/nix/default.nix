# SPDX-License-Identifier: MIT
# Nix expression. Fill in at a release: VERSION_OF_RELEASE, the address of the tarball of `make dist` (URL_OF_TARBALL), and its hash in
# place of lib.fakeHash. nix prints the hash after it has fetched the tarball.
#
#     nix-build -E 'with import <nixpkgs> { }; callPackage ./default.nix { }'
{
  lib,
  stdenv,
  fetchurl,
  pkg-config,
  libstemmer,
  utf8proc,
  xxHash,
  python3,
}:

stdenv.mkDerivation rec {
  pname = "simhash-utils";
  version = "VERSION_OF_RELEASE";

  src = fetchurl {
    url = "URL_OF_TARBALL/simhash-utils-${version}.tar.gz";
    hash = lib.fakeHash;
  };

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [
    libstemmer
    utf8proc
    xxHash
  ];

  enableParallelBuilding = true;
  makeFlags = [
    "PREFIX=${placeholder "out"}"
    "CC=${stdenv.cc.targetPrefix}cc"
    "AR=${stdenv.cc.targetPrefix}ar"
    # The words and the model of --segment jieba.
    "JIEBA_DATA=${python3.pkgs.jieba}/${python3.sitePackages}/jieba"
  ];

  meta = {
    description = "Find near-duplicate texts with filters";
    license = lib.licenses.mit;
    mainProgram = "shdedup";
    platforms = lib.platforms.linux;
  };
}
