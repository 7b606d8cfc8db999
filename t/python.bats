#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests of the Python module: its examples, equal results of module and programs, and an installation.
# T_PYTHON names an interpreter that has the module installed, from a wheel or a package.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	: "${BUILD:=$here/build}"
	library=$(echo "$BUILD"/libsimhash.so.*)
	python=${T_PYTHON-python3}
	if [ -z "${T_PYTHON-}" ] && [ -x /usr/bin/python3 ]; then python=/usr/bin/python3; fi
	export here BUILD library python PYTHONDONTWRITEBYTECODE=1
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	if [ -z "${T_PYTHON-}" ] && grep -Eq '__[at]san_init' "$library"; then skip 'the library is built with a sanitizer'; fi
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip 'no Python 3.8'
}

EXAMPLES='
import doctest, sys, simhash_utils
result = doctest.testmod(simhash_utils)
print(simhash_utils.__file__, result)
sys.exit(result.failed > 0 or result.attempted < 15)'

# with_module FILE ARGUMENT...: runs a script with the module and the library of the sources, or the installed ones
with_module() {
	[ -n "${T_PYTHON-}" ] || local -x PYTHONPATH=$here/python SIMHASH_LIBRARY=$library
	"$python" "$@"
}

@test "the examples of the docstrings are true" {
	with_module -c "$EXAMPLES"
}

@test "module, project, library and sources have one version" {
	want=$(sed -n 's/^VERSION = //p' "$here/Makefile")
	with_module -c 'import simhash_utils as s; print(s.__version__, s.library_version())' >got
	[ "$(cat got)" = "$want $want" ]
}

@test "fingerprints, pairs and bands are those of the programs" {
	cat >same.py <<-'END'
	import sys
	from simhash_utils import Bands, Simhash, join

	documents = []
	for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
	    documents.append(line.rstrip("\n").split("\t"))

	def write(name, lines):
	    with open(name, "w", encoding="utf-8", newline="\n") as f:
	        f.writelines(line + "\n" for line in lines)

	def records(name, simhash):
	    found = [(simhash(text), i) for i, text in documents]
	    write(name, (simhash.hex(fp) + "\t" + i for fp, i in found if fp is not None))
	    return found

	def pairs(name, found, k, bits):
	    lines = []
	    for i, j, d in join([fp for fp, _ in found], k, bits=bits):
	        lines.append("%s\t%s\t%d" % (*sorted((found[i][1], found[j][1]), key=str.encode), d))
	    write(name, lines)

	found = records("got.64", Simhash())
	pairs("got.pairs", found, 10, 64)
	bands = Bands(64, 6)
	write("got.bands", (key + "\t%016x\t%s" % (fp, i) for fp, i in found for key in bands.keys(fp)))
	pairs("got.pairs32", records("got.32", Simhash(32, 2)), 3, 32)
	pairs("got.pairs256", records("got.256", Simhash(256, (1, 3), weight="set", seed=5)), 40, 256)
	records("got.char", Simhash(ngrams=4, chars=True, fold=False, mask_digits=True, weight="tf", hash="xxh3"))
	records("got.marks", Simhash(fold_marks=True, join_hyphens=True))
	records("got.py", Simhash(profile="pysimhash"))
	records("got.seomoz", Simhash(profile="seomoz"))
	records("got.seomoz2", Simhash(profile="seomoz", ngrams=2))
	END
	for language in en zh; do
		cut -f 1,2 "$T_DATA/${language}_dev.tsv" | tr -d '\\' | head -n 300 >docs
		with_module same.py docs
		shfp -n 1 --bare --raw docs >want.64
		shjoin -k 10 want.64 >want.pairs
		shband -k 6 want.64 >want.bands
		shfp --bare --raw -b 32 -n 2 docs >want.32
		shjoin -k 3 want.32 >want.pairs32
		shfp --bare --raw -b 256 -n 1-3 -w set --seed 5 docs >want.256
		shjoin -k 40 want.256 >want.pairs256
		shfp --bare --raw -n 4 -u char --no-fold --mask-digits -w tf -H xxh3 docs >want.char
		shfp --bare --raw --fold-marks --join-hyphens docs >want.marks
		shfp --bare -p pysimhash --raw docs >want.py
		shfp --bare -p seomoz --raw docs >want.seomoz
		shfp --bare -p seomoz --raw -n 2 docs >want.seomoz2
		for what in 64 pairs bands 32 pairs32 256 pairs256 char marks py seomoz seomoz2; do
			sort want.$what >want
			sort got.$what >got
			[ -s want ]
			same want got
		done
	done
}

@test "errors raise exceptions, and an exception in a callback ends the join" {
	cat >errors.py <<-'END'
	import threading
	from simhash_utils import Bands, Error, Simhash, distance, each_pair, join

	def refused(call, *words):
	    try:
	        call()
	    except Error as error:
	        assert all(word in str(error) for word in words), error
	    else:
	        raise AssertionError("not refused: " + repr(words))

	refused(lambda: Simhash(63), "63 bits")
	refused(lambda: Simhash(-1), "-1")
	refused(lambda: Simhash(2**32 + 64), "expected a number")
	refused(lambda: Simhash(seed=2**64), "seed")
	refused(lambda: Simhash(hash="none"), "no hash 'none'")
	refused(lambda: Simhash(ngrams=(3, 2)), "n-grams")
	refused(lambda: Simhash(profile="tfidf128"), "document frequencies")
	refused(lambda: join([1 << 64], 3), "expected at most 64 bits")
	refused(lambda: join([-1], 3), "-1: negative", "2**64")
	refused(lambda: distance(1, -2), "-2: negative")
	refused(lambda: Simhash().hex(-2), "-2: negative")
	refused(lambda: Simhash(bits=32).hex(1 << 32), "expected at most 32 bits")
	refused(lambda: Simhash(profile="none"), "no profile 'none'", "simhash-profiles(7)")
	refused(lambda: join([1], 3, bits=63), "63 bits")
	refused(lambda: join([1], -1), "distance -1")
	refused(lambda: Bands(64, 3, blocks=3), "choose at least 4")
	refused(lambda: Bands(64, 3).keys(-1), "-1: negative")
	refused(lambda: Bands(64, 3).keys(1 << 64), "expected at most 64 bits")
	assert join([], 3) == [] and join([5], 3) == [] and join([], 3, other=[1]) == []
	assert Simhash()("") is None and Simhash()(b"\xff\xfe") is None
	assert Simhash()("a \ud800 b") == Simhash()(b"a \xff b") == Simhash()("a b")
	assert Simhash()("a\0b") == Simhash()("a b")

	seen = []
	def stop(i, j, d):
	    seen.append(1)
	    if len(seen) == 3:
	        raise KeyError("enough")
	try:
	    each_pair([1] * 100, 0, stop)
	except KeyError:
	    assert len(seen) == 3
	else:
	    raise AssertionError("not ended")

	# Several threads use one object.
	simhash, bad = Simhash(256, 2), []
	texts = ["the %d of %d and %d" % (i, i * i, i + 1) for i in range(300)]
	want = [simhash(t) for t in texts]
	def work():
	    if [simhash(t) for t in texts] != want:
	        bad.append(1)
	threads = [threading.Thread(target=work) for _ in range(8)]
	for t in threads: t.start()
	for t in threads: t.join()
	assert not bad
	END
	with_module errors.py
}

@test "copied and pickled objects work after the original is gone, also in another process" {
	cat >copies.py <<-'END'
	import copy, gc, pickle, subprocess, sys
	from simhash_utils import Bands, Simhash

	text = "the quick brown dog and the lazy fox, 17 of them"
	makers = [
	    (lambda: Simhash(128, (1, 2), mask_digits=True, weight="tf", seed=9), lambda o: (o.bits, o(text))),
	    (lambda: Simhash(join_hyphens=True, fold_marks=True), lambda o: (o.bits, o("a co-\nefficient"))),
	    (lambda: Simhash(profile="pysimhash"), lambda o: (o.bits, o(text))),
	    (lambda: Bands(64, 3, blocks=6), lambda o: o.keys(12345)),
	]
	if len(sys.argv) > 1:
	    for (_, result), pickled in zip(makers, pickle.load(open(sys.argv[1], "rb"))):
	        print(result(pickle.loads(pickled)))
	    sys.exit()
	want = []
	for make, result in makers:
	    first = make()
	    want.append(str(result(first)))
	    others = [copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))]
	    del first
	    gc.collect()
	    assert [str(result(o)) for o in others] == want[-1:] * 3
	with open("pickled", "wb") as f:
	    pickle.dump([pickle.dumps(make()) for make, _ in makers], f)
	got = subprocess.run([sys.executable, sys.argv[0], "pickled"], stdout=subprocess.PIPE, check=True)
	assert got.stdout.decode().splitlines() == want, got.stdout
	END
	with_module copies.py
}

@test "any objects with __index__ are fingerprints; other objects are refused" {
	cat >numbers.py <<-'END'
	import array
	from simhash_utils import Bands, Error, Simhash, join

	class Whole:
	    # Integers of numpy have __index__, too.
	    def __init__(self, n):
	        self.n = n
	    def __index__(self):
	        return self.n

	top = (1 << 64) - 1
	want = [(0, 1, 1), (1, 2, 1), (0, 2, 2)]
	for bits in 64, 60, 128:
	    top = (1 << bits) - 1
	    numbers = [top, top - 1, top - 3]
	    want = join(numbers, 2, bits=bits)
	    assert want == [(0, 1, 1), (0, 2, 2), (1, 2, 1)]
	    assert join((n for n in numbers), 2, bits=bits) == want
	    assert join(map(Whole, numbers), 2, bits=bits) == want
	    assert join(tuple(numbers), 0, other=iter(numbers), bits=bits) == [(i, i, 0) for i in range(3)]
	    for bad, error, word in ([1, 2, None], Error, "fingerprint 2 is None"), ([1, 0.5], TypeError, "float"), \
	            (["a"], TypeError, "str"), ([1, top + 1], Error, "expected at most %d bits" % bits):
	        try:
	            join(bad, 3, bits=bits)
	        except error as e:
	            assert word in str(e), e
	        else:
	            raise AssertionError(bad)
	assert join(array.array("Q", [7, 5]), 1) == [(0, 1, 1)]
	assert Bands(64, 3).keys(Whole(5)) == Bands(64, 3).keys(5)
	# A shift by an integer of numpy would lose bits.
	assert join([top, top - 1], Whole(2), bits=Whole(128)) == [(0, 1, 1)]
	assert Bands(Whole(128), Whole(3)).keys(top) == Bands(128, 3).keys(top)
	assert Simhash(Whole(128), Whole(2), seed=Whole(1))("a b c") == Simhash(128, 2, seed=1)("a b c")
	for text in bytearray(b"a b"), memoryview(b"a b"):
	    assert Simhash()(text) == Simhash()("a b")
	END
	with_module numbers.py
}

@test "an exception raised by a signal ends a join at any point" {
	cat >signals.py <<-'END'
	import gc, os, signal, sys, threading, weakref
	from simhash_utils import each_pair, join

	class Stop(Exception):
	    pass

	def stop(*_):
	    raise Stop

	signal.signal(signal.SIGUSR1, stop)
	signal.alarm(60)
	hook = sys.unraisablehook
	for _ in range(10):
	    began, seen = threading.Event(), []
	    def pair(i, j, d):
	        seen.append(1)
	        began.set()
	        if len(seen) == 10 ** 6:
	            thread.join()  # the signal has come at the latest here
	    def send():
	        began.wait()
	        os.kill(os.getpid(), signal.SIGUSR1)
	    thread = threading.Thread(target=send)
	    thread.start()
	    try:
	        each_pair([1] * 1500, 0, pair)
	    except Stop:
	        pass
	    else:
	        raise AssertionError("not ended: %d pairs of %d" % (len(seen), 1500 * 1499 // 2))
	    thread.join()
	    assert sys.unraisablehook is hook

	# Other unraisable exceptions are still reported.
	told = []
	sys.unraisablehook = lambda args: told.append(type(args.exc_value))
	class Bad:
	    def __del__(self):
	        raise KeyError
	each_pair([1, 1], 0, lambda i, j, d: [Bad()] and None)
	assert told == [KeyError]

	# An exception holds no reference to the function that raised it.
	class Pair:
	    def __call__(self, i, j, d):
	        raise Stop
	gc.collect()
	gc.disable()
	pair = Pair()
	gone = weakref.ref(pair)
	try:
	    each_pair([1, 1], 0, pair)
	except Stop:
	    pass
	del pair
	assert gone() is None
	END
	with_module signals.py
}

@test "a fork beside threads, a signal handler and a finalizer may use an object" {
	cat >anywhere.py <<-'END'
	import gc, os, signal, threading, time
	from simhash_utils import Bands, Simhash

	simhash, text = Simhash(), "the quick brown fox " * 20000
	want, other = simhash(text), simhash("other")
	signal.alarm(60)

	# A child process is made while another thread uses the object.
	at_work = True
	def work():
	    while at_work:
	        simhash(text)
	thread = threading.Thread(target=work)
	thread.start()
	for _ in range(3):
	    child = os.fork()
	    if child == 0:
	        signal.alarm(20)
	        os._exit(simhash("other") != other)
	    assert os.waitpid(child, 0)[1] == 0
	at_work = False
	thread.join()

	# A signal handler uses the object while the main thread uses it.
	handled = []
	signal.signal(signal.SIGUSR1, lambda *_: handled.append(simhash("other")))
	def send():
	    for n in range(10):
	        os.kill(os.getpid(), signal.SIGUSR1)
	        while len(handled) <= n:
	            time.sleep(0.001)
	thread = threading.Thread(target=send)
	thread.start()
	while len(handled) < 10:
	    assert simhash(text) == want
	thread.join()
	assert handled == [other] * 10

	# A finalizer uses objects of the same reference cycle.
	class Last:
	    def __init__(self, *members):
	        self.members = members + (self,)
	    def __del__(self):
	        simhash, bands, _ = self.members
	        results.append((simhash("other"), bands.keys(5), bands.keys(6)))
	bands, results = Bands(64, 3), []
	Last(Simhash(), Bands(64, 3))
	gc.collect()
	assert results == [(other, bands.keys(5), bands.keys(6))]
	END
	with_module anywhere.py
}

@test "dir() lists public names only, and their type hints resolve" {
	with_module -c 'import simhash_utils, typing
public = [name for name in dir(simhash_utils) if not name.startswith("_")]
assert public == sorted(simhash_utils.__all__), public
leaks = [n for n in vars(simhash_utils) if not n.startswith("_") and n not in simhash_utils.__all__]
assert not leaks, leaks
for name in public:
    thing = getattr(simhash_utils, name)
    if callable(thing) and name != "Pair":
        typing.get_type_hints(thing)
        assert thing.__module__ == "simhash_utils" and thing.__doc__, name'
}

@test "dedup, verify and spans give the results of the programs" {
	cat >programs.py <<-'END'
	import sys
	from simhash_utils import Error, Simhash, dedup, duplicates, join, kept, spans, verify

	ids, texts = [], []
	for line in open("docs", encoding="utf-8", newline="\n"):
	    i, text = line.rstrip("\n").split("\t")
	    ids.append(i)
	    texts.append(text.replace("\\n", "\n").replace("\\t", "\t"))

	def write(name, lines):
	    with open(name, "w", encoding="utf-8", newline="\n") as f:
	        f.writelines("\t".join(map(str, line)) + "\n" for line in lines)

	write("got.dropped", sorted((ids[d.dropped], ids[d.keeper], "%.4f" % d.similarity, d.measure)
	    for d in duplicates(texts, threshold=0.7, ngrams=2)))
	mask = kept(texts, threshold=0.7, ngrams=2)
	write("got.kept", ([i] for i, stays in zip(ids, mask) if stays))
	items = [{"id": i, "body": text} for i, text in zip(ids, texts)]
	stay = dedup(iter(items), text="body", threshold=0.7, ngrams=2)
	assert stay == dedup(items, text=lambda item: item["body"], threshold=0.7, ngrams=2)
	assert [item["id"] for item in stay] == [i for i, stays in zip(ids, mask) if stays]
	assert dedup(texts, threshold=0.7, ngrams=2) == [item["body"] for item in stay]

	pairs = [(i, j) for i, j, d in join([Simhash(ngrams=3)(t) or 0 for t in texts], 14)]
	write("got.verified", sorted((*sorted((ids[v.first], ids[v.second]), key=str.encode), "%.4f" % v.similarity, v.measure)
	    for v in verify(pairs, texts, ngrams=3)))
	write("pairs", ((*sorted((ids[i], ids[j]), key=str.encode), 0) for i, j in pairs))

	# Positions count characters or bytes of the text, not of the escaped record.
	odd = "tab\there \\ back\\slash\nline \u4e2d\u6587 \U0001f600 "
	line = "four score and seven years ago our fathers brought forth on this continent a new nation"
	for texts in [odd + line, line + " end"], [(odd + line).encode(), (line + " end").encode()]:
	    found, = spans(texts)
	    a, b = texts[found.first][found.start1:found.end1], texts[found.second][found.start2:found.end2]
	    assert (found.first, found.second, a, b) == (1, 0, line if texts[0][:0] == "" else line.encode(), a), found
	    query, = spans(texts[:1], queries=["nothing here", texts[1]])
	    assert query[:3] == (0, found.start2, found.end2) and query[3:6] == (1, found.start1, found.end1), query

	# The program needs --bound here to find what the library finds.
	several = [line + odd + line, None, odd, "x " + line.upper(), "\ud800 " + line, line.encode()]
	wanted = [line, None, "none of these words", (odd + line).encode()]
	for more in {}, {"min_tokens": 14}, {"merge": 0}, {"min_tokens": 99}:
	    got = spans(several, queries=wanted, **more)
	    assert got == spans(several, queries=wanted, bound=200, **more), (got, more)
	    assert bool(got) == (more != {"min_tokens": 99}), got

	assert dedup([]) == [] and spans([]) == [] and verify([], []) == [] and kept([None, None]) == [True, True]
	assert kept(["a b", None, "a, b", b"a b"]) == [True, True, False, False]
	assert kept(["x", float("nan")]) == [True, True]
	for call, word in ((lambda: dedup(["a"], output="x"), "run the program with --output"), (lambda: kept([1]), "a text is int"),
	        (lambda: dedup(["a"], csv=True), "run the program with --csv"),
	        (lambda: spans(["a"], exit_code=True), "run the program with --exit-code"),
	        (lambda: verify([], ["a"], documents_fields="1,2"), "run the program with --documents-fields"),
	        (lambda: dedup(["a"], no_such=1), "no-such"), (lambda: verify([(0, 1)], ["a"]), "positions of 1 texts"),
	        (lambda: dedup(["a"], threshold=3), "shdedup: -T '3'")):
	    try:
	        call()
	    except Error as error:
	        assert word in str(error), error
	    else:
	        raise AssertionError(word)
	END
	cut -f 1,2 "$T_DATA/en_dev.tsv" | grep -v '\\\\' | head -n 300 >docs
	with_module programs.py
	shdedup -q -T 0.7 -n 2 --report report docs | cut -f 1 >want.kept
	cut -f 1-4 report | LC_ALL=C sort >want.dropped
	shverify -n 3 -d docs pairs | cut -f 1,2,4,5 | LC_ALL=C sort >want.verified
	for what in kept dropped verified; do
		[ -s "want.$what" ]
		LC_ALL=C sort "got.$what" >got
		LC_ALL=C sort "want.$what" >want
		same want got
	done
}

@test "columns of pandas, polars and Arrow are accepted" {
	cat >columns.py <<-'END'
	import sys
	from simhash_utils import Simhash, kept

	simhash = Simhash()
	texts = ["to be or not to be", None, "To be, or not to be!", "", "\u4e2d\u6587 \U0001f600", "x" * 100] * 3
	want = [None if t is None else simhash(t) for t in texts]
	mask = kept(texts)
	assert simhash.column(texts) == simhash.column(iter(texts)) == want
	tried = 0
	try:
	    import pyarrow as pa
	    tried += 1
	    for kind in pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view():
	        array = pa.array([None if t is None else t.encode() for t in texts] if "binary" in str(kind) else texts, kind)
	        many = pa.chunked_array([array[:5], array[5:5], array[5:]])
	        assert simhash.column(array) == simhash.column(many) == want, kind
	        assert simhash.column(array[4:9]) == want[4:9] and simhash.column(array[:0]) == []
	        assert kept(array) == kept(many) == mask
	    table = pa.table({"text": texts})
	    assert table.filter(pa.array(kept(table["text"])))["text"].to_pylist() == [t for t, m in zip(texts, mask) if m]
	except ImportError:
	    pass
	try:
	    import pandas as pd
	    tried += 1
	    df = pd.DataFrame({"text": texts})
	    assert simhash.column(df["text"]) == want and len(df[kept(df["text"])]) == sum(mask)
	    assert simhash.column(df["text"].astype("string")) == want
	except ImportError:
	    pass
	try:
	    import polars as pl
	    tried += 1
	    df = pl.DataFrame({"text": texts})
	    assert simhash.column(df["text"]) == want and len(df.filter(pl.Series(kept(df["text"])))) == sum(mask)
	    assert pl.Series(simhash.column(df["text"]), dtype=pl.UInt64).to_list() == want
	except ImportError:
	    pass
	print(tried)
	END
	with_module columns.py >tried
	[ "$(cat tried)" -gt 0 ] || skip 'lists only: no pyarrow, pandas or polars'
}

@test "without libsimhash, the ImportError names SIMHASH_LIBRARY" {
	mkdir alone
	cp -r "$here/python/simhash_utils" alone
	rm -f alone/simhash_utils/libsimhash.*
	try "PYTHONPATH=alone SIMHASH_LIBRARY=$PWD/none.so '$python' -c 'import simhash_utils'"
	exits 1
	grep -q 'ImportError: no libsimhash: .*name its file in SIMHASH_LIBRARY' err
}

@test "pip installs the module with the library, without a network" {
	[ -z "${T_PYTHON-}" ] || skip 'it is installed'
	"$python" -c 'import ensurepip, setuptools, wheel' 2>/dev/null || skip 'no setuptools, wheel or venv for Python'
	mkdir tree
	cp -r "$here/python" tree
	rm -rf tree/python/build tree/python/*.egg-info
	"$python" -m venv --system-site-packages venv
	unset SHBIN T_DATA
	SIMHASH_SOURCES=$here PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
		venv/bin/pip install -q --no-build-isolation --no-deps tree/python
	rm -rf tree
	venv/bin/python -c 'import simhash_utils as s, os; print(os.path.dirname(s.__file__)); print(s.Simhash().hex(s.Simhash()("the quick brown dog")))' >out
	installed=$(head -n 1 out)
	[ "$(tail -n 1 out)" = 1930283026df0494 ]
	[[ $installed = "$PWD"/venv/* ]]
	[ -e "$installed/py.typed" ]
	cmp "$installed"/libsimhash.so.* "$here"/build/libsimhash.so.*
	venv/bin/python -c "$EXAMPLES"
	venv/bin/pip uninstall -q -y simhash-utils
	[ ! -e "$installed" ]
}
