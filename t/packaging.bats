#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The tarball, the installation, and the file lists of the packages.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	version=$(sed -n 's/^VERSION = //p' "$here/Makefile")
	packaging=$here/share/packaging
	root=$BATS_FILE_TMPDIR/root
	export here version packaging root
	[ -z "${SAN-}" ] || return 0
	in_sources install DESTDIR="$root" PREFIX=/usr >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
}

setup() {
	begin "$BATS_TEST_TMPDIR"
	[ -z "${SAN-}" ] || skip 'a build with sanitizers is not installed'
}

# in_sources ARGUMENT...: runs make in the source tree, with the settings of the make that runs the tests.
in_sources() {
	env -u BUILD -u SHBIN -u T_DATA make -s -C "$here" "$@"
}

installed() {
	(cd "${1:-$root}" && find . -type f -o -type l) | sed 's/^..//' | sort
}

@test "make dist gives the same bytes in any folder and time zone, and has every file of the commit" {
	# Unpacked sources in a folder of a repository, as in make deb, are not a repository.
	[ -e "$here/.git" ] || skip 'the sources are no repository'
	for clone in one two; do
		git clone -q "$here" "$clone/deep"
		(cd "$clone/deep" && TZ=Asia/Tokyo make -s dist)
		touch "$clone/deep/Makefile"
		sleep 1
	done
	tar=simhash-utils-$version.tar.gz
	cmp "one/deep/$tar" "two/deep/$tar"
	tar -tzf "one/deep/$tar" | sed "s|^simhash-utils-$version/||" | grep -v '/$' | grep . | sort >got
	git -C one/deep ls-files | sort >want
	same want got
	tar -tvzf "one/deep/$tar" | awk '{ print $2 }' | sort -u >owners
	[ "$(cat owners)" = root/root ]
}

@test "make in a folder with a blank in its name gives the same programs, dictionary and completions" {
	mkdir 'a tree'
	cp -as "$here"/{Makefile,config.mk,bin,build,lib,man,share,t} 'a tree'
	rm -f 'a tree/bin/jieba.dict' 'a tree/bin/shband' 'a tree/build/bin/shband.o'
	rm -rf 'a tree/build/completions'
	env -u BUILD -u SHBIN -u T_DATA make -s -C 'a tree' all completions
	[ -s 'a tree/build/completions/bash/shfp' ]
	cmp "$here/bin/shband" 'a tree/bin/shband'
	[ ! -e "$here/bin/jieba.dict" ] || cmp "$here/bin/jieba.dict" 'a tree/bin/jieba.dict'
}

@test "make install installs programs, library, header, pages and completions, with safe modes" {
	installed >got
	for source in "$here"/bin/sh*.c; do
		program=$(basename "$source" .c)
		echo "usr/bin/$program"
		echo "usr/share/bash-completion/completions/$program"
		echo "usr/share/zsh/site-functions/_$program"
		echo "usr/share/fish/vendor_completions.d/$program.fish"
	done >want
	for page in "$here"/man/*.[1-9]; do
		echo "usr/share/man/man${page##*.}/${page##*/}"
	done >>want
	printf 'usr/%s\n' include/simhash.h lib/libsimhash.a lib/libsimhash.so lib/libsimhash.so.0 \
		lib/pkgconfig/libsimhash.pc >>want
	grep -x usr/share/simhash-utils/jieba.dict got >>want || true
	sort -o want want
	comm -23 want got >missing
	[ ! -s missing ] || { cat missing; false; }
	find "$root" ! -type l -perm /022 >writable
	[ ! -s writable ] || { cat writable; false; }
}

@test "an installed program finds its dictionary without the source tree" {
	printf 'x\t我来到北京清华大学\n' >docs
	"$root/usr/bin/shfp" docs >out
	shfp docs >expected
	same expected out
	[ -e "$root/usr/share/simhash-utils/jieba.dict" ] || skip 'no dictionary of jieba'
	"$root/usr/bin/shtok" --segment jieba docs | cut -f 2 | paste -sd ' ' >out
	[ "$(cat out)" = '我 来到 北京 清华大学' ]
	if strings "$root/usr/bin/shfp" | grep -F "$here/bin"; then return 1; fi
}

@test "the example program compiles with the flags of pkg-config, shared and static, and runs" {
	command -v pkg-config >/dev/null || skip 'no pkg-config'
	export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig
	[ "$(pkg-config --modversion libsimhash)" = "$version" ]
	# A program needs no flags of the libraries that libsimhash uses.
	pkg-config --cflags libsimhash >cflags
	[ "$(tr -d ' "\n' <cflags)" = -I/usr/include ] || [ -z "$(tr -d ' \n' <cflags)" ] || { cat cflags; false; }
	# The .pc file names /usr, which is in $root here.
	flags=$(pkg-config --cflags --libs libsimhash --define-variable=libdir="$root/usr/lib" \
		--define-variable=includedir="$root/usr/include")
	eval "${CC:-cc} -Wall -Wextra -Werror '$here/share/examples/similar.c' $flags -o similar"
	LD_LIBRARY_PATH=$root/usr/lib ./similar 'to be or not to be' 'To be, or not to be?' >out
	[ "$(cat out)" = '0 of 64 bits differ' ]
	readelf -d similar | grep -q 'NEEDED.*libsimhash.so.0'
	flags=$(pkg-config --static --cflags --libs libsimhash --define-variable=includedir="$root/usr/include" \
		--define-variable=libdir="$root/usr/lib" | sed "s|-lsimhash|'$root/usr/lib/libsimhash.a'|")
	eval "${CC:-cc} '$here/share/examples/similar.c' $flags -o alone"
	./alone 'to be or not to be' 'something else, at last' >out
	grep -Eqx '[1-9][0-9]* of 64 bits differ' out
	if readelf -d alone | grep libsimhash; then return 1; fi
}

@test "make uninstall removes every file that make install has installed, and no other file" {
	[ "$(installed | wc -l)" -gt 40 ]
	cp -R "$root" again
	in_sources uninstall DESTDIR="$PWD/again" PREFIX=/usr >/dev/null
	installed again >left
	[ ! -s left ] || { cat left; false; }
	[ ! -e again/usr/share/simhash-utils ]
	# A file of others stays.
	mkdir -p again/usr/share/simhash-utils/mine
	in_sources uninstall DESTDIR="$PWD/again" PREFIX=/usr >/dev/null
	[ -e again/usr/share/simhash-utils/mine ]
}

@test "make install uses PREFIX, LIBDIR, MANDIR and the folders of completions" {
	in_sources install DESTDIR="$PWD/d" PREFIX=/opt/x LIBDIR=/opt/x/lib64 MANDIR=/opt/man BASHCOMPDIR=/opt/b \
		ZSHCOMPDIR=/opt/z FISHCOMPDIR=/opt/f >/dev/null
	for file in x/lib64/libsimhash.so.0 man/man1/shfp.1 b/shfp z/_shfp f/shfp.fish; do
		[ -e "d/opt/$file" ]
	done
	grep -qx 'libdir=/opt/x/lib64' d/opt/x/lib64/pkgconfig/libsimhash.pc
	# The unit and the crontab name the path of the installed script.
	for file in d/opt/x/share/simhash-utils/cron/simhash{.crontab,-dedup.service}; do
		script=$(grep -oE '/[a-z/-]*/simhash-dedup( |$)' "$file" | head -n 1)
		[ -x "d${script% }" ]
		# The PATH of the unit or crontab has the programs.
		path=$(sed -n 's/^\(Environment=\)\{0,1\}PATH=\([^:]*\):.*/\2/p' "$file")
		[ -x "d$path/shdedup" ] || { echo "$file: PATH $path"; return 1; }
	done
	# The unit of OnFailure= is installed, too.
	unit=$(sed -n 's/^OnFailure=\(.*@\)%n[.]service$/\1.service/p' d/opt/x/share/simhash-utils/cron/simhash-dedup.service)
	[ -n "$unit" ]
	[ -s "d/opt/x/share/simhash-utils/cron/$unit" ]
	# The build gets its former paths back.
	in_sources install DESTDIR="$root" PREFIX=/usr >/dev/null
}

@test "systemd-analyze finds no fault in the units" {
	command -v systemd-analyze >/dev/null || skip 'no systemd-analyze(1)'
	for unit in "$BATS_TEST_DIRNAME"/../share/cron/*.{service,timer}; do
		sed -e 's|^ExecStart=/usr/local/[^ ]*|ExecStart=/bin/true|' -e '/^Documentation=/d' "$unit" >"${unit##*/}"
	done
	cp status-email@.service status-email@simhash-dedup.service.service
	try 'SYSTEMD_UNIT_PATH=$PWD: systemd-analyze verify simhash-dedup.timer simhash-dedup.service status-email@simhash-dedup.service.service'
	cat err
	exits 0
	run ! grep -E 'simhash-dedup|status-email' err
}

@test "the Debian packages have every installed file, each in one package" {
	in_sources install DESTDIR="$PWD/d" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu \
		ZSHCOMPDIR=/usr/share/zsh/vendor-completions >/dev/null
	installed d >files
	: >taken
	cd d
	for list in "$packaging"/debian/*.install; do
		while read -r pattern; do
			for path in $pattern; do
				[ -e "$path" ] || continue
				find "$path" -type f -o -type l
			done
		done <"$list" | sort -u >>../taken
	done
	cd ..
	[ -z "$(sort taken | uniq -d)" ]
	sort -o taken taken
	same files taken
	in_sources install DESTDIR="$root" PREFIX=/usr >/dev/null
}

@test "the packages, the changes and the citation have the version of the Makefile, and one date" {
	sed -n 's/^simhash-utils (\(.*\)-[^-]*) .*/\1/p' "$packaging/debian/changelog" | head -n 1 >got
	sed -n 's/^## \([0-9.]*\), .*/\1/p' "$here/CHANGELOG.md" | head -n 1 >>got
	sed -n 's/^version: //p' "$here/CITATION.cff" >>got
	printf '%s\n' "$version" "$version" "$version" >want
	same want got
	date=$(sed -n 's/^## [0-9.]*, //p' "$here/CHANGELOG.md" | head -n 1)
	grep -qx "date-released: $date" "$here/CITATION.cff"
	[ "$(sed -n 's/^ -- .*>  //p' "$packaging/debian/changelog" | head -n 1 | date -u +%F -f -)" = "$date" ]
	soversion=$(sed -n 's/^SOVERSION = //p' "$here/Makefile")
	[ -e "$packaging/debian/libsimhash$soversion.install" ]
}

@test "the one binary runs each program by a link with its name, and by its name as the first argument" {
	in_sources multicall >log 2>&1 || { cat log; return 1; }
	cp "$here/build/simhash-utils" .
	for source in "$here"/bin/sh*.c; do
		program=$(basename "$source" .c)
		ln -s simhash-utils "$program"
		"./$program" --help >by-link
		./simhash-utils "$program" --help >by-argument
		"$here/bin/$program" --help >want
		same want by-link
		same want by-argument
	done
	run -2 ./simhash-utils shnone
	[[ $output = *'usage: simhash-utils PROGRAM ARGUMENT...'*' shdedup '* ]]
}

@test "the bill of materials is JSON of SPDX, and has a licence for each library of the static programs" {
	command -v python3 >/dev/null || skip 'no python3'
	sed -n 's/^for package in \(.*\); do$/\1/p' "$packaging/static" | tr ' ' '\n' | sed -e 's/^cpuinfo$/libgcc/' -e 's/$/ 1.0/' >versions
	[ "$(wc -l <versions)" -ge 14 ]
	printf '%s\n' 'jieba 0.42.1' 'musl 1' 'zig 0.13.0' >>versions
	SOURCE_DATE_EPOCH=1000000000 "$packaging/sbom" "$version" linux-x86_64 <versions >sbom.json
	python3 - "$version" <<-'END'
		import json, sys
		document = json.load(open("sbom.json"))
		packages = {p["SPDXID"]: p for p in document["packages"]}
		assert document["spdxVersion"] == "SPDX-2.3" and document["creationInfo"]["created"] == "2001-09-09T01:46:40Z"
		assert packages["SPDXRef-simhash-utils"]["versionInfo"] == sys.argv[1]
		assert packages["SPDXRef-zlib"]["licenseDeclared"] == "Zlib" and len(packages) == 18, len(packages)
		known = set(packages) | {"SPDXRef-DOCUMENT"}
		assert all(r["spdxElementId"] in known and r["relatedSpdxElement"] in known for r in document["relationships"])
	END
	run ! "$packaging/sbom" "$version" linux-x86_64 <<<'other 1.0'
}
