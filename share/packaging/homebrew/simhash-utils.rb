# SPDX-License-Identifier: MIT
# Homebrew formula. Fill in at a release: URL_OF_PROJECT, the address of the tarball of `make dist` (URL_OF_TARBALL),
# and its `sha256sum` (SHA256_OF_TARBALL).
#
#     brew install --build-from-source ./simhash-utils.rb
class SimhashUtils < Formula
  desc "Find near-duplicate texts with filters"
  homepage "URL_OF_PROJECT"
  url "URL_OF_TARBALL/simhash-utils-VERSION_OF_RELEASE.tar.gz"
  sha256 "SHA256_OF_TARBALL"
  license "MIT"

  depends_on "pkgconf" => :build
  # The Makefile needs an ELF linker with version scripts.
  depends_on :linux
  depends_on "snowball" # libstemmer
  depends_on "utf8proc"
  depends_on "xxhash"

  # The words and the model of --segment jieba.
  resource "jieba" do
    url "https://files.pythonhosted.org/packages/source/j/jieba/jieba-0.42.1.tar.gz"
    sha256 "055ca12f62674fafed09427f176506079bc135638a14e23e25be909131928db2"
  end

  def install
    resource("jieba").stage(buildpath/"jieba-data")
    system "make", "install", "PREFIX=#{prefix}", "CC=#{ENV.cc}",
           "JIEBA_DATA=#{buildpath}/jieba-data/jieba",
           "BASHCOMPDIR=#{bash_completion}", "ZSHCOMPDIR=#{zsh_completion}",
           "FISHCOMPDIR=#{fish_completion}"
    pkgshare.install "share/examples"
  end

  test do
    (testpath/"docs.tsv").write "a\tto be or not to be\nb\tTo be, or not to be!\n"
    assert_equal "a\tb\t0\n", pipe_output("#{bin}/shfp docs.tsv | #{bin}/shjoin")
  end
end
