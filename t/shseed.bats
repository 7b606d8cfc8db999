#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shseed: makes seeds of documents.

load helper

@test "--window 1: writes every k-gram, with its hash, its first token and its bytes" {
	try 'printf "d\tOne, two\\\\nthree four.\n" | shseed -n 2 --window 1'
	exits 0
	says
	gives "$(hash_of 'one two')\td\t0\t0\t8" "$(hash_of 'two three')\td\t1\t5\t15" \
		"$(hash_of 'three four')\td\t2\t10\t20"
}

# hash_of WORDS: prints the default hash of an n-gram, which is the fingerprint of the n-gram alone.
hash_of() {
	printf 'x\t%s\t1\n' "$1" | shfp --features | cut -f 1
}

@test "a document with fewer than K tokens has no seed, and a document with fewer than W k-grams has one" {
	try 'printf "a\tone two\nb\tone two three\nc\tone two three four\n" | shseed -n 3 | cut -f 2,3'
	exits 0
	[ "$(cut -f 1 out | tr '\n' ' ')" = 'b c ' ]
}

@test "without -n a seed is 6 words, 10 Chinese characters, or a mixture" {
	try 'printf "a\ta1 b1 c1 d1 e1 f1 g1\n" | shseed --window 1 | cut -f 4,5'
	gives '0\t17' '3\t20'
	try 'printf "a\t一二三四五六七八九十百\n" | shseed --window 1 | cut -f 4,5'
	gives '0\t30' '3\t33'
	try 'printf "a\tone two three 一二三四五\n" | shseed --window 1 | cut -f 4,5'
	gives '0\t29'
	# The seed of a mixture depends on its own tokens only.
	printf 'a\tone two three 一二三四五 and much more English of words that follow\n' >long
	try 'shseed --window 1 long | head -n 1 | cut -f 1'
	cp out key
	try 'printf "a\tone two three 一二三四五\n" | shseed --window 1 | cut -f 1'
	same key out
}

@test "two documents with W + K - 1 consecutive tokens in common share a seed, at any place" {
	for i in 1 2 3 4 5 6 7 8 9; do
		seq -f "x$i%g" -s ' ' "$i" >before
		seq -f 'w%g' -s ' ' "$i" $((i + 14)) >common
		printf 'a\t%s\nb\t%s %s and other words\n' "$(cat common)" "$(cat before)" "$(cat common)" |
			shseed >seeds
		[ -n "$(grep -P '\ta\t' seeds | cut -f 1 | grep -Ff - <(grep -P '\tb\t' seeds))" ]
	done
}

@test "start and end are bytes of the text with its escapes, for each kind of token" {
	printf 'd\tÉcole \\\\ naïve ﬁne, 南京市长江大桥的 “quoted”\\ttext for 3½ 语言处理\n' >docs
	for options in '' '-u char' '--segment jieba' '--segment jieba-search' '--split fields' '--stem french' \
		'--no-fold' '--split go-words' '--split python'; do
		# shellcheck disable=SC2086
		try "shseed -n 1 --window 1 $options docs"
		exits 0
		[ -s out ]
		cut -f 2 docs | python3 -c '
import sys
text = sys.stdin.buffer.read()[:-1]
ends = set()
for line in open("out"):
    start, end = map(int, line.split("\t")[3:5])
    assert start <= end <= len(text)
    text[start:end].decode()
    assert text[max(start - 1, 0):start + 1] not in (b"\\\\", b"\\t") and text[end - 1:end + 1] != b"\\t"
'
	done
}

@test "the output is the same with any number of threads, and for the input in several files" {
	try 'shseed $T_DATA/zh_dev.tsv'
	exits 0
	cp out one
	try 'shseed -j 4 $T_DATA/zh_dev.tsv'
	same one out
	try 'split -n l/7 $T_DATA/zh_dev.tsv part-; shseed part-*'
	same one out
	try 'dd if=$T_DATA/zh_dev.tsv bs=777 status=none | shseed -j 2'
	same one out
}

@test "options out of range are refused with a message" {
	try 'shseed -n 0 <&-'
	exits 2
	try 'shseed -n 256 <&-'
	exits 2
	try 'shseed --window 0 <&-'
	exits 2
	try 'shseed --split go-letters <&-'
	exits 2
	says 'shseed: --split go-letters does not report the places of words in the text' \
		"Try 'shseed --help' or 'man shseed'."
	try 'echo nothing | shseed'
	exits 2
	says 'shseed: -:1: 1 field, expected id<TAB>text (-l numbers plain lines)'
}
