#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The documentation: its examples print the shown output, and the links of the site have targets.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export here
}

# Makes a folder src with all sources of the site and a copy of docs, which a test may change.
copy_sources() {
	mkdir src
	ln -s "$here"/* src
	rm src/docs
	cp -R "$here/docs" src
}

# needs_site: the folder site is the site, which the first test makes.
needs_site() {
	command -v cmark-gfm >/dev/null || skip 'no cmark-gfm(1): make deps'
	command -v mandoc >/dev/null || skip 'no mandoc(1): make deps'
	[ -e "$BATS_FILE_TMPDIR/site" ] || "$here/docs/site/build" "$BATS_FILE_TMPDIR/site"
	cp -R "$BATS_FILE_TMPDIR/site" .
}

@test 'the examples of README.md and the tutorials run one after the other in one folder' {
	cat "$here"/README.md "$here"/docs/tutorial.md "$here"/docs/tutorial.zh.md >all.md
	"$here/t/man-examples" all.md
}

@test 'every example in the other pages prints the shown output' {
	for page in "$here"/docs/*.md; do
		[[ $page == */tutorial* ]] || "$here/t/man-examples" "$page"
	done
}

@test 'the recipes compare ids as text: long numbers differ, and 1.0 differs from 1' {
	if grep -nE '[$][12] *[!=]= *[\]?([$][12]|keeper)' "$here"/README.md "$here"/docs/*.md "$here"/man/*.[1-9] \
		"$here"/share/demo; then
		false
	fi
}

@test 'the tutorials, the cookbook and the FAQ have examples' {
	for page in tutorial tutorial.zh cookbook faq; do
		[ "$(grep -c '^[$] ' "$here/docs/$page.md")" -ge 15 ]
	done
}

@test 'the examples with DuckDB print the shown output' {
	command -v duckdb >/dev/null || skip 'no duckdb(1): make check-docs fetches one'
	"$here/t/man-examples" -a "$here/docs/cookbook.md"
}

@test 'man-examples: an example whose program is missing is skipped and counted' {
	printf '%s\n' '```sh needs nosuch' '$ nosuch' 'x' '```' '```sh' '$ echo a b' '… b' '$ echo c' 'd' '```' >page.md
	sed 's/^d$/c/' page.md >want
	try "$here/t/man-examples -w page.md"
	exits 0
	same want page.md
	try "$here/t/man-examples page.md"
	exits 0
	gives '2 examples, 0 failed, 1 skipped: no nosuch'
	try "$here/t/man-examples -a page.md"
	exits 1
}

@test 'man-examples: … in an output matches any text, and all other text must be equal' {
	prints() {
		printf '%s\n' '```sh' '$ echo a b c d' "$1" '```' >page.md
		"$here/t/man-examples" page.md
	}
	for shown in 'a … d' 'a b c d…' '…' 'a…c…' 'a b… d'; do
		prints "$shown"
	done
	for shown in 'b…c d' 'a … e' 'a…c…b' 'a b…b c d' 'a…d d'; do
		run ! prints "$shown"
	done
}

@test 'the site has a page for each source, and every link in it leads somewhere' {
	needs_site
	shopt -s nullglob
	want=("$here"/{,t/data/,share/*/}README.md "$here"/{HACKING,docs/*}.md "$here"/man/*.[1-9])
	[ "$(find site -name '*.html' | wc -l)" -eq $((${#want[@]} + 1)) ]
	try "$here/t/check-site site"
	exits 0
	grep -E '^[0-9]+ pages, [0-9]{3,} links' out
}

@test 'the site: references to our manual pages are links, references to other pages are not' {
	needs_site
	grep -F '<a class="Xr" href="shband.1.html">shband(1)</a>' site/man/shjoin.1.html
	grep -F '<span class="Xr">sort(1)</span>' site/man/shjoin.1.html
	grep -F 'href="man/simhash-records.5.html"' site/index.html
}

@test 'the site: commands are marked, and their output is not' {
	needs_site
	grep -Fx '<b>$ wc -l &lt; docs.tsv</b>' site/tutorial.html
	grep -Fx '<b>&gt;   echo &quot;$t $(shdedup -q -T $t docs.tsv | wc -l)&quot;</b>' site/tutorial.html
	grep -Fx 552 site/tutorial.html
	grep -F '<b>$ shjoin -k 10 docs.fp</b>' site/man/shjoin.1.html
	grep -F '<b>    rain ' site/man/shdedup.1.html
}

@test 'the site: the same sources give the same bytes' {
	needs_site
	LC_ALL=C.UTF-8 PYTHONHASHSEED=7 "$here/docs/site/build" two
	diff -r site two
}

@test 'the site: Chinese pages have lang=zh, and their lines are joined without blanks' {
	needs_site
	grep -F '<html lang="zh-Hans">' site/tutorial.zh.html
	grep -F 'lang="zh-Hans">' site/index.html
	awk '/<pre/ { inside = 1 } !inside { print } /<\/pre>/ { inside = 0 }' site/tutorial.zh.html >text
	run ! grep '，$' text
}

@test 'the site: a link to a missing target ends the build with a message that has file and line' {
	needs_site
	copy_sources
	src/docs/site/build site
	printf '\n\nSee [this](nothing.md).\n' >>src/docs/faq.md
	line=$(wc -l <src/docs/faq.md | tr -d ' ')
	try 'src/docs/site/build site'
	exits 1
	says "docs/site/build: docs/faq.md:$line: no docs/nothing.md"
}

@test 'check-site finds dead links and anchors, scripts, and resources of other sites' {
	needs_site
	broken() {
		for page in site/$1; do
			cp "$page" before
			sed -i "$2" "$page"
			run ! cmp before "$page"
		done
		echo "$3" >>expected
	}
	broken tutorial.html 's/href="cookbook.html#json"/href="nobook.html"/' 'nobook.html is missing'
	broken tutorial.zh.html '0,/href="cookbook.html#[a-z-]*"/s//href="cookbook.html#jason"/' 'has no element with the id "jason"'
	broken faq.html 's/<h1/<script src="x.js"><\/script><h1/' 'x.js is missing'
	broken bench.html 's/<h1/<script>x()<\/script><h1/' 'a script in the page'
	broken cookbook.html 's/<h1/<img src="https:\/\/example.org\/a.png"><h1/' 'not in the site'
	broken faq.html 's/id="simhash-or-minhash"/id="menu"/' 'two elements with the id "menu"'
	broken faq.html 's/<meta name="viewport"[^>]*>//' 'no viewport'
	broken faq.html 's/<html lang="en">/<html>/' 'no lang'
	broken style.css '$a body { background: url(https://example.org/a.png) }' 'loads a file by @import or url()'
	broken man/shfp.1.html 's/<\/dl>/<\/div>/' 'has no start tag'
	try "$here/t/check-site site"
	exits 1
	while read -r message; do
		grep -F "$message" out
	done <expected
	rm -r site
	cp -R "$BATS_FILE_TMPDIR/site" .
	echo '<html lang="en"><title>x</title><meta name="viewport" content="x"></html>' >site/alone.html
	try "$here/t/check-site site"
	exits 1
	gives 'alone.html: no links lead from index.html to this page'
}

@test 'the demo shows the main job in under 40 lines, and says what the build reads and where the programs are' {
	try "$here/share/demo"
	exits 0
	[ "$(wc -l <out)" -lt 40 ]
	grep -q '^[$] shdedup --json .* -O clean en' out
	grep -q '^Compressed input:' out
	grep -q "^The programs are in $SHBIN: PATH=$SHBIN:" out
	grep -q '^shdedup: 1535 documents, ' err
}

@test 'the site in a browser: search, copy buttons and contents work at three widths, light and dark' {
	needs_site
	command -v chromium >/dev/null || skip 'no chromium'
	timeout 20 chromium --headless --no-sandbox --disable-gpu --dump-dom about:blank >/dev/null 2>&1 || skip 'chromium does not run here'
	try "timeout 300 python3 '$here/t/site-browser.py' site"
	cat err
	exits 0
	[ "$(wc -l <out)" = 6 ]
}
