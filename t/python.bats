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
	begin "$BATS_TEST_TMPDIR"
	if [ -z "${T_PYTHON-}" ] && grep -Eq '__[at]san_init' "$library"; then skip 'the library is built with a sanitizer'; fi
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || skip 'no Python 3.8'
}

EXAMPLES='
import doctest, sys, simhash_utils
result = doctest.testmod(simhash_utils)
print(simhash_utils.__file__, result)
sys.exit(result.failed > 0 or result.attempted < 25)'

# with_module FILE ARGUMENT...: runs a script with the module and the library of the sources, or the installed ones.
# $fakes is a folder of further modules.
with_module() {
	local -x PYTHONPATH=${fakes-}
	[ -n "${T_PYTHON-}" ] || local -x PYTHONPATH=$here/python:${fakes-} SIMHASH_LIBRARY=$library SIMHASH_PROGRAMS=$SHBIN
	"$python" "$@"
}

# read_documents: writes documents.py, which reads the records of the file docs.
read_documents() {
	cat >documents.py <<-'END'
	ids, texts = [], []
	for line in open("docs", encoding="utf-8", newline="\n"):
	    i, text = line.rstrip("\n").split("\t")
	    ids.append(i)
	    texts.append(text.replace("\\n", "\n").replace("\\t", "\t"))
	END
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
	read_documents
	cat >programs.py <<-'END'
	import sys
	from simhash_utils import Error, Simhash, cluster, dedup, duplicates, join, kept, spans, verify
	from documents import ids, texts

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

	# The library and the program give the same similarities; jobs=1 chooses the program.
	pairs = [(i, i + d) for i in range(len(texts) - 9) for d in (1, 9)] + pairs + [(0, 0)]
	for how in {}, {"threshold": 0.1}, {"threshold": 0}, {"threshold": (0.3, 0.4)}, {"measure": "edit", "threshold": 0.2}, \
	        {"measure": "cosine", "weight": "tf", "threshold": 0.3, "ngrams": 1}, {"measure": "containment1", "threshold": 0.2}, \
	        {"measure": "any", "threshold": 0.3, "ngrams": (1, 2)}, {"unit": "char", "ngrams": 5, "threshold": 0.3}, \
	        {"no_fold": True, "mask_digits": True, "fold_marks": True, "join_hyphens": True, "threshold": 0.1, "ngrams": 1}:
	    got = verify(pairs, texts, **how)
	    assert got and got == verify(pairs, texts, jobs=1, **how), how

	# Positions count characters or bytes of the text, not of the escaped record.
	odd = "tab\there \\ back\\slash\nline \u4e2d\u6587 \U0001f600 "
	line = "four score and seven years ago our fathers brought forth on this continent a new nation"
	for texts in [odd + line, line + " end"], [(odd + line).encode(), (line + " end").encode()]:
	    found, = spans(texts)
	    a, b = texts[found.first][found.start1:found.end1], texts[found.second][found.start2:found.end2]
	    assert (found.first, found.second, a, b) == (1, 0, line if texts[0][:0] == "" else line.encode(), a), found
	    query, = spans(texts[:1], queries=["nothing here", texts[1]])
	    assert query[:3] == (0, found.start2, found.end2) and query[3:6] == (1, found.start1, found.end1), query

	several = [line + odd + line, None, odd, "x " + line.upper(), "\ud800 " + line, line.encode(), b"\xff " + line.encode()]
	wanted = [line, None, "none of these words", (odd + line).encode()]
	got = spans(several, queries=wanted, bound=200)
	assert {(s.first, s.second) for s in got} == {(i, q) for i in (0, 3, 4, 5, 6) for q in (0, 3)}, got
	assert {several[s.first][s.start1:s.end1] for s in got if s.second == 0} >= {line, line.upper(), line.encode()}, got

	keepers = list(range(len(texts)))
	for d in duplicates(texts):
	    keepers[d.dropped] = d.keeper
	assert cluster(texts) == keepers and cluster(iter(texts)) == keepers
	some = ["a b c d", "x y", "a, b, c, d", "A B C D!"]
	assert cluster(some) == [0, 1, 0, 0] and cluster(some, keep=[2]) == [2, 1, 2, 2]
	assert cluster(some, keep="newest") == [3, 1, 3, 3] and cluster(some, protect=[0, 2]) == [0, 1, 2, 0]
	told = []
	assert dedup(some, progress=lambda *what: told.append(what)) == ["a b c d", "x y"]
	assert (told[0], told[-1]) == (("read", 0, 4), ("decided", 4, 4)), told
	assert verify([(0, 1), (0, 2), (1, 3)], ["a b", None, "a, b", "c"]) == [(0, 2, 1.0, "jaccard")]

	assert dedup([]) == [] and spans([]) == [] and verify([], []) == [] and kept([None, None]) == [True, True]
	assert kept(["a b", None, "a, b", b"a b"]) == [True, True, False, False]
	assert kept(["x", float("nan")]) == [True, True]
	for call, word in ((lambda: verify([(0, 1)], ["a"]), "positions of 1 texts"),
	        (lambda: verify([(-1, 0)], ["a"]), "positions of 1 texts"),
	        (lambda: dedup(["a"], threshold=3), "shdedup: -T '3'"),
	        (lambda: verify([(0, 0)], ["a"], threshold=3), "threshold 3: expected a number from 0 to 1"),
	        (lambda: verify([(0, 0)], ["a"], unit="line"), "line"), (lambda: verify([], ["a"], weight="tf"), "-w has no effect"),
	        (lambda: verify([], ["a"], measure="none"), "no measure 'none'"), (lambda: verify([], ["a"], ngrams=0), "n-grams of 0"),
	        (lambda: verify([], ["a"], measure="edit", threshold=(0.5, 0.5)), "two thresholds"),
	        (lambda: dedup("to be"), "a str is one text: give a list of texts, as in [text]"),
	        (lambda: spans(b"to be"), "a bytes is one text"),
	        (lambda: dedup({"a": ["x"]}), "has columns: name that of the texts"),
	        (lambda: dedup([{"a": "x"}]), "name its field with text='...'"),
	        (lambda: dedup([{"a": "x"}], text="b"), "item 0 (dict) has no field 'b'"),
	        (lambda: dedup({"a": ["x"]}, text="b"), "no column 'b', which text= names (there are 'a')"),
	        (lambda: dedup(7), "expected a list of texts, a column or a table, not int"),
	        (lambda: spans([1, 2]), "text 0 is of type int, expected str, bytes or None: convert it to str first"),
	        (lambda: spans(["a", 10**8]), "text 1 is of type int"),
	        (lambda: kept([1.5]), "text 0 is of type float"),
	        (lambda: cluster([["a"]]), "text 0 is of type list")):
	    try:
	        call()
	    except Error as error:
	        assert word in str(error), error
	    else:
	        raise AssertionError(word)
	for call, word in ((lambda: dedup(["a"], treshold=1), "did you mean 'threshold'?"),
	        (lambda: verify([], ["a"], output="x"), "verify() has no option 'output'")):
	    try:
	        call()
	    except TypeError as error:
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

# t/python-fakes has as much of these packages as the module uses; `make check-columns` tries the packages themselves.
@test "columns and tables of pandas, polars, Arrow and datasets come out as they went in" {
	cat >columns.py <<-'END'
	import datasets, pandas as pd, polars as pl, pyarrow as pa
	from simhash_utils import Error, Simhash, cluster, dedup, fingerprints, kept, spans, verify

	texts = ["to be or not to be", None, "To be, or not to be!", "", "\u4e2d\u6587 \U0001f600"]
	stay, mask, keeper = [0, 1, 3, 4], [True, True, False, True, True], [0, 1, 0, 3, 4]
	prints = Simhash().column(texts)
	left = [texts[i] for i in stay]
	rows = {"id": [1, 2, 3, 4, 5], "text": texts}
	rest = {name: [values[i] for i in stay] for name, values in rows.items()}

	for whole in list, tuple:
	    assert dedup(whole(texts)) == whole(left) and cluster(whole(texts)) == whole(keeper)
	assert dedup(t for t in texts) == left and kept(iter(texts)) == mask
	assert dedup(rows, text="text") == rest

	index = [9, 7, 7, "x", None]
	for items, options in (pd.Series(texts, index), {}), (pd.DataFrame(rows, index), {"text": "text"}):
	    for got, want in (cluster, keeper), (kept, mask), (fingerprints, prints):
	        column = got(items, **options)
	        assert type(column) is pd.Series and column.values == want and column.index == index, column
	assert column.dtype == "UInt64"
	series, frame = dedup(pd.Series(texts, index)), dedup(pd.DataFrame(rows, index), text="text")
	assert type(series) is pd.Series and series.values == left and series.index == [9, 7, "x", None]
	assert type(frame) is pd.DataFrame and frame._columns == rest and frame.index == [9, 7, "x", None]
	nulls = type("NAType", (), {})(), float("nan"), type("NaTType", (), {})()
	assert kept(pd.Series([*nulls, "a"])).values == [True] * 4

	assert dedup(pl.Series(texts)).values == left and dedup(pl.DataFrame(rows), text="text")._columns == rest
	assert cluster(pl.Series(texts)).dtype == pl.Int64 and fingerprints(pl.DataFrame(rows), text="text").values == prints
	assert dedup(pa.array(texts)).values == left and dedup(pa.Table(rows), text="text")._columns == rest
	assert kept(pa.Table(rows), text="text").type == "bool" and fingerprints(pa.array(texts)).type == "uint64"
	assert dedup(datasets.Dataset(rows), text="text")._columns == rest
	assert cluster(datasets.Dataset(rows), text="text") == keeper and dedup(datasets.Column(texts)) == left

	class Exports:
	    def __init__(self, columns):
	        self.columns = columns
	    def __arrow_c_stream__(self, schema=None):
	        return self.columns
	assert dedup(Exports(rows), text="text")._columns == rest and dedup(Exports(texts)).values == left

	two = {"q": ["what is it", "what", None, None], "a": ["a bird", "is it a bird", "none", None]}
	records = [{"q": q, "a": a} for q, a in zip(*two.values())]
	for items in pd.DataFrame(two, "abcd"), pl.DataFrame(two), pa.Table(two), datasets.Dataset(two), two, records:
	    assert list(getattr(m := kept(items, text=["q", "a"]), "values", m)) == [True, False, True, True], items
	assert verify([(0, 2)], pd.Series(texts, index)) == [(0, 2, 1.0, "jaccard")]
	assert verify([(0, 2)], pa.Table(rows), text="text") == [(0, 2, 1.0, "jaccard")]
	line = "four score and seven years ago our fathers brought forth on this continent a new nation"
	assert spans(pl.Series([line, line]), queries=pa.array([line]))[1][:3] == (1, 0, len(line))

	for items, options, word in ((pl.LazyFrame(), {"text": "text"}, "call collect() first"),
	        (pd.DataFrame(rows, index), {}, "name that of the texts, as in text='body' (it has 'id', 'text')"),
	        (pa.Table(rows), {"text": "body"}, "no column 'body'"), (pd.Series([1, 2]), {}, "text 0 is of type int"),
	        (pl.DataFrame(rows), {"text": "id"}, "text 0 is of type int")):
	    try:
	        dedup(items, **options)
	    except Error as error:
	        assert word in str(error), error
	    else:
	        raise AssertionError(word)
	END
	fakes=$BATS_TEST_DIRNAME/python-fakes with_module columns.py
}

@test "files of Parquet, JSONL and CSV are copied without near-duplicates" {
	cat >files.py <<-'END'
	import json, os
	from simhash_utils import Counts, Error, dedup_file

	rows = [("1", "to be or not to be"), ("2", "To be, \"or\" not\nto be"), ("3", "that is the question"), ("4", "")]
	with open("in.jsonl", "w") as file:
	    file.writelines(json.dumps({"id": i, "n": {"x": 1.50}, "text": t}) + "\n" for i, t in rows)
	lines = open("in.jsonl").readlines()
	assert dedup_file("in.jsonl", "out.jsonl") == Counts(4, 3)
	assert open("out.jsonl").readlines() == [lines[0], lines[2], lines[3]]
	raw = b'\xef\xbb\xbfid,text\r\n1,to be or not to be\r\n2,"To be, ""or"" not\nto be"\r\n3,"that\xff is"\r\n\r\n4,'
	open("in.csv", "wb").write(raw)
	assert dedup_file("in.csv", "out.csv", threshold=0.9) == Counts(5, 4)
	assert open("out.csv", "rb").read() == b'id,text\r\n1,to be or not to be\r\n3,"that\xff is"\r\n\r\n4,'
	assert dedup_file("in.csv", "out.csv", text=["id", "text"]) == Counts(5, 5)
	with open("in.parquet", "w") as file:
	    json.dump({"id": [i for i, _ in rows], "q": [t for _, t in rows], "a": ["x"] * 4}, file)
	assert dedup_file("in.parquet", "out.parquet", text=["q", "a"]) == Counts(4, 3)
	assert json.load(open("out.parquet"))["id"] == ["1", "3", "4"]

	left = set(os.listdir())
	for source, target, options, word in (("in.jsonl", "out.csv", {}, "expected the form of in.jsonl"),
	        ("in.tsv", "out.tsv", {}, "ends with .parquet, .csv"), ("in.csv", "in.csv", {}, "is the source, too"),
	        ("in.csv", "new.csv", {"text": "body"}, "no column 'body' (there are id, text)"),
	        ("in.parquet", "new.parquet", {"text": "body"}, "no column 'body'"),
	        ("in.jsonl", "new.jsonl", {"text": "body"}, "body")):
	    try:
	        dedup_file(source, target, **options)
	    except Error as error:
	        assert word in str(error), error
	    else:
	        raise AssertionError(word)
	assert set(os.listdir()) == left
	END
	fakes=$BATS_TEST_DIRNAME/python-fakes with_module files.py
}

@test "an archive finds what shdedup would drop, also beside other processes" {
	read_documents
	cat >archive.py <<-'END'
	import os, pickle, random, subprocess, sys, threading
	from simhash_utils import Archive, Dropped, Error, Match, verify
	from simhash_utils._archive import _dictionary
	from simhash_utils._options import ArchiveOptions, arguments
	from simhash_utils._programs import write
	from documents import ids, texts
	half = len(texts) // 2
	os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
	for path, options in ("sketch", {}), ("documents", {"store": "documents"}), ("edit", {"measure": "edit", "threshold": 0.6}), \
	        ("chars", {"unit": "char", "ngrams": (5, 6), "threshold": 0.6, "mask_digits": True, "seed": "random", "stem": "english"}):
	    with Archive(path, **options) as archive:
	        dropped = archive.add(ids[:half], texts[:half])
	        assert dropped and archive.add(ids[:half], texts[:half]) == dropped
	        archive.add(ids[:3], texts[:3])
	        gone = {d.id for d in dropped}
	        # A text finds itself, or its keeper, and then what the program finds.
	        for i, text in zip(ids[:half], texts[:half]):
	            if text.strip():
	                assert archive.query(text), (path, i)
	        found = {i: archive.query(text) for i, text in zip(ids[half:], texts[half:])}
	        for d in archive.add(ids[half:], texts[half:]):
	            if d.keeper in ids[:half]:
	                assert (d.keeper, d.similarity, d.measure) in found[d.id], (path, d, found[d.id])
	        assert all(m.id in ids[:half] and m.id not in gone for all in found.values() for m in all)
	        some = next(all for all in found.values() if all)
	        assert [m.similarity for m in some] == sorted((m.similarity for m in some), reverse=True)
	        archive.compact()
	        assert archive.query(texts[half]) == archive.query(texts[half].encode())
	        keeper = dropped[0].keeper
	        assert archive.remove([keeper, "no such id"]) >= 2
	        assert keeper not in [m.id for m in archive.query(texts[ids.index(keeper)])]
	    assert repr(archive) == "Archive(%r)" % os.path.abspath(path)
	    subprocess.run(["sharchive", "check", "-q", path], check=True)
	    # shdedup gives the same verdicts, and an archive of the same size.
	    made_with, twin, rows = arguments("", ArchiveOptions, {k: v for k, v in options.items() if k != "store"}), Archive(path + 2 * "x", **options), []
	    subprocess.run(["sharchive", "init", path + "x", "--store=" + options.get("store", "sketch"), *made_with], check=True)
	    for part in slice(0, half), slice(half - 9, None), slice(0, 3):
	        rows.append(twin.add(ids[part], texts[part]))
	        with open("batch", "wb") as batch:
	            write(batch, map(str.encode, ids[part]), texts[part])
	        subprocess.run(["shdedup", "-q", "-a", path + "x", *made_with, "--report=report", "-o", "/dev/null", "batch"], check=True)
	        told = [line.rstrip("\n").split("\t") for line in open("report")]
	        assert [Dropped(a, b, float(s), m) for a, b, s, m in told] == rows[-1], path
	    sizes = [subprocess.run(["sharchive", "stats", p], stdout=subprocess.PIPE, check=True).stdout for p in (path + "x", path + "xx")]
	    assert sizes[0] == sizes[1] and rows[1] and b"documents" in sizes[0], sizes

	# The files with which an archive was made are given again; nothing else need be.
	with open("stop", "w") as stop:
	    stop.write("\ufeffTHE\nquestion\n")
	stopped = Archive("stops", stop="stop", ngrams=1)
	stopped.add(["a"], ["the question is here"])
	assert Archive("stops", stop="stop").query("question: is here?") == [("a", 1.0, "jaccard")]
	if _dictionary("jieba", None):
	    with open("dict", "w") as extra:
	        extra.write("\u6765\u5230\u5317\u4eac 1000000\n")
	    chinese = Archive("chinese", segment="jieba", dict="dict", ngrams=1)
	    chinese.add(["a"], ["\u6211\u6765\u5230\u5317\u4eac\u6e05\u534e\u5927\u5b66"])
	    assert chinese.query("\u6211 \u6765\u5230\u5317\u4eac \u6e05\u534e\u5927\u5b66") == [("a", 1.0, "jaccard")]
	    assert chinese.query("\u6211 \u6765\u5230 \u5317\u4eac \u6e05\u534e\u5927\u5b66") == []

	# Processes, forked ones too, and threads use one archive at once.
	archive = Archive("shared")
	archive.add([7, b"\xc3\xa9"], ["to be or not to be", "that is the question \t\\ \n"])
	archive = shared = pickle.loads(pickle.dumps(archive))
	assert archive.query("That is the question") == [Match("\u00e9", 1.0, "jaccard")]
	def words(name, n):
	    return " ".join("%s%d%s" % (name, n, letter) for letter in "pqrstuv")
	def use(name):
	    for n in range(5):
	        archive.add(["%s-%d" % (name, n)], [words(name, n)])
	        assert [m.id for m in archive.query("to be or not to be")] == ["7"]
	children = []
	for name in "abc":
	    child = os.fork()
	    if child == 0:
	        try:
	            use(name)
	            os._exit(0)
	        finally:
	            os._exit(1)
	    children.append(child)
	threads = [threading.Thread(target=use, args=(name,)) for name in "de"]
	for t in threads: t.start()
	for t in threads: t.join()
	assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
	for name in "abcde":
	    assert archive.query(words(name, 3)) == [("%s-3" % name, 1.0, "jaccard")]

	# A query finds what a comparison with all documents finds, but for what the keys of long texts miss.
	random.seed(7)
	some = ["w%d" % i for i in range(300)]
	base = [" ".join(random.choices(some, k=random.choice([1, 2, 3, 5, 8, 12, 18, 25, 40]))) for _ in range(200)]
	asked = []
	for text in random.choices(base, k=150):
	    w = text.split()
	    for _ in range(random.randrange(3)):
	        w[random.randrange(len(w))] = random.choice(some)
	        w.insert(random.randrange(len(w) + 1), random.choice(some))
	    asked.append(" ".join(w))
	for path, options in ("any", {}), ("jaccard", {"threshold": 0.6}), ("order", {"measure": "edit", "threshold": 0.8}):
	    archive = Archive(path, **options)
	    for at in range(0, 200, 50):
	        archive.add(range(at, at + 50), base[at:at + 50])
	    stay = [i for i in range(200) if str(i) in [m.id for m in archive.query(base[i])]]
	    pairs = [(i, 200 + q) for q in range(150) for i in stay]
	    want = {(v.second, str(v.first), v.similarity, v.measure) for v in verify(pairs, base + asked, **options)}
	    got = {(200 + q, *m) for q in range(150) for m in archive.query(asked[q])}
	    assert got <= want and len(want - got) <= len(want) / 100 and len(want) > 50, (path, want - got)

	# The most similar document comes first. A short text finds a long one, and the other way round.
	archive = Archive("words", ngrams=1, threshold=0.5)
	def run(first, last):
	    return " ".join("w%d" % i for i in range(first, last))
	archive.add(["second", "first", "long", "short"], [run(5, 13), run(1, 9), run(100, 122), run(200, 219)])
	assert archive.query(run(2, 11)) == [("first", 0.7, "jaccard"), ("second", 0.5455, "jaccard")]
	assert archive.query(run(100, 119)) == [("long", 0.8636, "jaccard")]
	assert archive.query(run(200, 222)) == [("short", 0.8636, "jaccard")]

	os.mkdir("full")
	open("full/file", "w")
	for call, word in ((lambda: Archive("full", memory="1G", progress=True), "'%s' is not empty" % os.path.abspath("full")),
	        (lambda: shared.add(["x"], ["a", "b"]), "1 ids and 2 texts"), (lambda: shared.add(["a\tb"], ["x"]), "without TAB"),
	        (lambda: shared.query(7), "one text, a str or bytes, not a int"), (lambda: shared.query(["a"]), "not a list"),
	        (lambda: Archive("shared", ngrams=2), "the archive was made with -n 3, not with 2"),
	        (lambda: Archive("shared", memory="much"), "memory='much'"),
	        (lambda: Archive("stops", stop="docs"), "open it with the same files"),
	        (lambda: Archive("stops", stop="stop", ngrams=2), "the archive was made with -n 1, not with 2"),
	        (lambda: Archive("stops"), "open it with the same files")):
	    try:
	        call()
	    except Error as error:
	        assert word in str(error), error
	    else:
	        raise AssertionError(word)
	END
	cut -f 1,2 "$T_DATA/en_dev.tsv" | grep -v '\\\\' | head -n 300 >docs
	with_module archive.py
}

@test "every option of a function is an option of its program" {
	cat >options.py <<-'END'
	import subprocess
	from simhash_utils import _options as o, _programs as p

	for options, program in (o.DedupOptions, "shdedup"), (o.FileOptions, "shdedup"), (o.ArchiveOptions, "sharchive"), \
	        (o.VerifyOptions, "shverify"), (o.SpanOptions, "shspan"):
	    shown = subprocess.run([p.program_path(program), "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
	    for name in options.__annotations__:
	        option = "--ngram=" if name == "ngrams" else "--" + name.replace("_", "-")
	        assert option in shown or (program, name) == ("sharchive", "memory"), (program, option)
	END
	with_module options.py
}

@test "docs/python.md is the page that python/reference makes" {
	[ -z "${T_PYTHON-}" ] || skip 'this concerns the sources'
	with_module "$here/python/reference" >page
	same "$here/docs/python.md" page
}

@test "without libsimhash, the ImportError names SIMHASH_LIBRARY" {
	mkdir alone
	cp -r "$here/python/simhash_utils" alone
	rm -f alone/simhash_utils/libsimhash.*
	try "PYTHONPATH=alone SIMHASH_LIBRARY=$PWD/none.so '$python' -c 'import simhash_utils'"
	exits 1
	grep -q 'ImportError: no libsimhash: .*name its file in SIMHASH_LIBRARY' err
}

@test "pip builds the module, library and programs without a network, and the module finds its programs" {
	[ -z "${T_PYTHON-}" ] || skip 'it is installed'
	"$python" -c 'import ensurepip, setuptools, wheel' 2>/dev/null || skip 'no setuptools, wheel or venv for Python'
	mkdir tree fail
	cp -r "$here/python" tree
	rm -rf tree/python/build tree/python/*.egg-info
	"$python" -m venv --system-site-packages venv
	unset SHBIN T_DATA
	export SIMHASH_SOURCES=$here PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
	printf '#!/bin/sh\nexit 7\n' >fail/make
	chmod +x fail/make
	try "PATH=$PWD/fail:\$PATH venv/bin/pip wheel --no-build-isolation --no-deps -w wheels tree/python"
	exits 1
	grep -q 'simhash-utils: cannot build the programs and the library (.*7' out err
	venv/bin/pip wheel -q --no-build-isolation --no-deps -w wheels tree/python
	rm -rf tree
	venv/bin/pip install -q --no-deps wheels/*.whl
	venv/bin/python -c 'import simhash_utils as s, os; print(os.path.dirname(s.__file__)); print(s.Simhash().hex(s.Simhash()("the quick brown dog")))' >out
	installed=$(head -n 1 out)
	[ "$(tail -n 1 out)" = 1930283026df0494 ]
	[[ $installed = "$PWD"/venv/* ]]
	[ -e "$installed/py.typed" ]
	cmp "$installed"/libsimhash.so.* "$here"/build/libsimhash.so.*
	FOUND='from simhash_utils import _programs as p; print(p.dedup(["a b", "A, b"]), p.program_path("shdedup"))'
	PATH=/usr/bin:/bin venv/bin/python -c "$FOUND" >out
	echo "['a b'] $PWD/venv/bin/shdedup" >want
	same want out
	# Below --target, and in the home directory as with --user.
	venv/bin/pip install -q --no-deps --target target wheels/*.whl
	PATH=/usr/bin:/bin PYTHONPATH=target "$python" -c "$FOUND" >out
	echo "['a b'] $PWD/target/bin/shdedup" >want
	same want out
	mkdir -p home/.local/lib/python3/site-packages
	cp -r target/bin home/.local
	cp -r target/simhash_utils home/.local/lib/python3/site-packages
	PATH=/usr/bin:/bin PYTHONPATH=home/.local/lib/python3/site-packages "$python" -c "$FOUND" >out
	echo "['a b'] $PWD/home/.local/bin/shdedup" >want
	same want out
	venv/bin/python -c "$EXAMPLES"
	venv/bin/pip uninstall -q -y simhash-utils
	[ ! -e "$installed" ]
	[ ! -e venv/bin/shdedup ]
}
