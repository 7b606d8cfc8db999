#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests of share/cluster, share/spark and share/hadoop that need no engine. `make check-cluster` runs the engines.

load helper

SHARE=$BATS_TEST_DIRNAME/../share

# python <CODE: runs the code with the modules of share/cluster, share/spark and share/hadoop
python() {
	cat >code.py
	tried='python3 code.py'
	status=0
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SHARE/cluster:$SHARE/spark:$SHARE/hadoop \
	    python3 -W error code.py >out 2>err || status=$?
}

@test "groups formed in rounds equal the groups of shgroup, for any ids" {
	python <<-'END'
		import random, subprocess
		import shcluster as c

		def single(pairs):
		    edges, moves = pairs, [1]
		    while moves:
		        moves = []
		        edges = list(c.large_star(sorted(c.both_ways(edges)), lambda: moves.append(1)))
		        edges = list(c.small_star(sorted(c.downward(edges)), lambda: moves.append(1)))
		    return set(c.members(edges))

		def star(pairs):
		    remaining, removed = sorted(c.remaining(pairs)), []
		    while remaining:
		        result = list(c.remove_neighbours(sorted(c.select_keepers(remaining))))
		        removed += [line for is_removed, line in result if is_removed]
		        remaining = sorted(line for is_removed, line in result if not is_removed)
		    result = list(c.propose_keepers(sorted(list(c.both_ways(pairs)) + removed)))
		    proposals = sorted(line for is_keeper, line in result if not is_keeper)
		    return {line for is_keeper, line in result if is_keeper} | set(c.least_keepers(proposals))

		seed = random.randrange(1 << 32)
		r = random.Random(seed)
		for case in range(60):
		    n = r.choice([2, 3, 8, 30, 200])
		    ids = [bytes(r.choice(b"\0\1\bab~\xff ") for _ in range(r.randint(1, 4))) for _ in range(n)]
		    if case % 5 == 0:  # a chain needs the most rounds
		        ids = sorted(set(ids))
		        pairs = list(zip(ids, ids[1:]))
		    else:
		        pairs = [(r.choice(ids), r.choice(ids)) for _ in range(r.randint(1, n))]
		    pairs = [b"%s\t%s\t%d" % (a, b, r.randint(0, 9)) for a, b in pairs if a != b]
		    if not pairs:
		        continue
		    for link, groups in ("single", single), ("star", star):
		        want = subprocess.run(["shgroup", "--link", link], input=b"\n".join(pairs),
		                              stdout=subprocess.PIPE, check=True).stdout.splitlines(True)
		        assert groups(pairs) == {w[:-1] for w in want}, (seed, case, link)
	END
	exits 0
}

@test "hot keys split among tasks give each pair once, also for repeated ids and records" {
	cat >docs.fp <<-'END'
		0000000000000000	same
		0000000000000001	same
		0000000000000000	twice
		0000000000000000	twice
	END
	for i in $(seq 60); do printf '%016x\tn%d\n' $((i % 8)) "$i"; done >>docs.fp
	for i in $(seq 60); do printf '00000000abc%05x\tm%d\n' $((i * i)) "$i"; done >>docs.fp
	shband -k 3 -M 5 docs.fp | sort >bands
	shjoin bands 2>/dev/null | sort >want
	python <<-'END'
		import collections
		import shcluster as c
		bands = open("bands", "rb").read().split(b"\n")[:-1]
		counts = collections.Counter(map(c.first_field, bands))
		for limit in 1000, 50, 7, 3:
		    notes = []
		    hot = {key: c.fragments_of(n, limit, 1.0) for key, n in counts.items()}
		    hot = {key: fragments for key, fragments in hot.items() if fragments > 1}
		    assert bool(hot) == (limit < 100)
		    records = sorted(c.split(bands, hot))
		    largest = collections.Counter(map(c.first_field, records)).most_common(1)[0][1]
		    assert largest <= 5 * limit  # a task has two fragments; a hash makes their sizes differ
		    got = sorted(c.join(records, ["shjoin"], note=notes.append))
		    open("got", "wb").write(b"".join(line + b"\n" for line in got))
		    assert open("got", "rb").read() == open("want", "rb").read(), limit
		    assert notes == ["shjoin: 1 record with the id and the fingerprint of another: left out"], notes
	END
	exits 0
}

@test "collapse() writes the pairs of shjoin --collapse" {
	for i in $(seq 40); do printf '%016x\tn%d\n' $((i % 4 * 255)) "$i"; done >docs.fp
	for tag in '' '\te9a1'; do
		cat docs.fp docs.fp | sed "s/\$/$tag/" | sort >twice
		shjoin --collapse -k 8 twice 2>/dev/null | sort >want
		python <<-'END'
			import shcluster as c
			result = list(c.collapse(open("twice", "rb").read().split(b"\n")[:-1]))
			open("first.fp", "wb").write(b"".join(line + b"\n" for is_pair, line in result if not is_pair))
			open("copies", "wb").write(b"".join(line + b"\n" for is_pair, line in result if is_pair))
		END
		exits 0
		shjoin -k 8 first.fp | sort - copies >got
		same want got
	done
}

@test "a filter that fails or leaves input unread is an error, and so is an input that breaks off" {
	python <<-'END'
		import shcluster as c
		def fails(command, lines, error):
		    try:
		        list(c.run_filter(command, lines))
		    except Exception as e:
		        return isinstance(e, error) and str(e)
		    raise AssertionError(command)

		assert fails(["shfp"], [b"a\tb c", b"d"], c.FilterError).startswith(
		    "shfp: -:2: 1 field, expected id<TAB>text")
		assert "status 3 and no message" in fails(["sh", "-c", "cat >/dev/null; exit 3"], [], c.FilterError)
		assert "did not read all" in fails(["true"], (b"x" * 1000 for _ in range(10000)), c.FilterError)
		fails(["no-such-program"], [], OSError)
		def broken():
		    yield b"a\tb c"
		    raise ValueError("broke off")
		assert fails(["shfp"], broken(), ValueError) == "broke off"
		# The input and the output are larger than a pipe. They have bytes that are not UTF-8, and a carriage return.
		lines = [b"\xff\r%d" % i for i in range(300000)]
		assert list(c.run_filter(["cat"], iter(lines))) == lines
		notes = []
		assert list(c.run_filter(["shfp"], [b"a\t."], notes.append)) == []
		assert notes[0].startswith("shfp: -:1: document 'a' has no features"), notes
		next(c.run_filter(["cat"], iter(lines))), "a filter whose output is not read to its end is killed"
	END
	exits 0
}

@test "the commands of shcluster.py give the same pairs and groups" {
	logic="python3 $SHARE/cluster/shcluster.py"
	for i in $(seq 30); do printf '%016x\tn%d\n' $((i % 4)) "$i"; done >docs.fp
	shjoin -k 3 docs.fp | sort >want
	try "$logic sample 1.0 <docs.fp | shband -k 3 | cut -f 1 | sort | $logic count"
	exits 0
	sed 's/$/\t/' out >counts # Hadoop Streaming appends a tab to a key
	try "sed 's/\t.*//' counts | $logic count | awk '{ n += \$2 } END { print n }'"
	gives 7 # keys: one in each of three tables, and four in the table of the lowest bits
	try "cut -f 1,2 counts | $logic hot 5 1.0 | tee hot"
	[ -s hot ]
	try "shband docs.fp | $logic split hot | sort | sed 's/\$/\t/' | $logic join shjoin | sort"
	exits 0
	same want out
	try "$logic edges both <want | sort | $logic star large | sort -u | $logic edges down | sort | $logic star small | $logic members | sort | $logic distinct"
	exits 0
	grep -q '^reporter:counter:simhash-utils,moves,1$' err
	shgroup want | sort >groups
	same groups out
	try "echo x | $logic split nowhere"
	exits 2
	says "shcluster.py: [Errno 2] No such file or directory: 'nowhere'"
	try "echo x | $logic join shjoin"
	exits 2
	try "$logic"
	exits 1
	grep -q '^usage:' err
}

@test "the spans of all partitions are the spans of shspan, also for frequent seeds" {
	# Many documents have the same passages with some words changed: a seed has more than four postings.
	awk 'BEGIN {
		srand(7)
		for (d = 0; d < 100; d++) {
			line = sprintf("%d/%c\t", d % 7, 65 + d % 26) d
			sub(/\t/, ".", line)
			line = line "\t"
			for (p = 0; p < 4; p++) {
				passage = int(rand() * (p < 2 ? 3 : 60))
				for (w = 0; w < 40; w++)
					line = line (rand() < 0.03 ? "x" int(rand() * 1e6) : "p" passage "w" w % 31) " "
			}
			print line
		}
	}' >docs.tsv
	head -qn "$(fewer 1000 100)" "$T_DATA/en_dev.tsv" "$T_DATA/zh_dev.tsv" >>docs.tsv
	sort -t "$(printf '\t')" -k 1,1 docs.tsv >sorted
	for options in '' '-n 4 --window 3'; do
		eval "shspan $options sorted" | sort >want
		[ "$(wc -l <want)" -gt 300 ]
		eval "shseed $options docs.tsv" >seeds
		python <<-END
			import itertools, shlex
			import shcluster as c
			options = shlex.split("$options")
			documents = {line.split(b"\t")[0]: line[:-1] for line in open("docs.tsv", "rb")}
			postings = sorted(c.posting_of(line[:-1]) for line in open("seeds", "rb"))
			assert max(len(s[1]) for s in c.comparisons(postings)) == 4
			with open("got", "wb") as got:
			    for partition in range(3):
			        own = [s for s in c.comparisons(postings) if c.stable_hash(s[0]) % 3 == partition]
			        earlier = {id for s in own for id, _ in s[1]}
			        records = [(b"s", documents[id]) for id in sorted(earlier)]
			        records += [(b"t", documents[id]) for id in sorted({s[0] for s in own})]
			        records += [(b"", s) for s in own]
			        for span in c.spans_of_partition(records, ["shspan"] + options):
			            got.write(span + b"\n")
		END
		exits 0
		sort got >got.sorted
		same want got.sorted
	done
}

@test "options that cannot work on a part of the input are refused" {
	python <<-'END'
		import shcluster as c
		assert c.options("shfp", "-n3 -w set --keep 'han,alpha'") == ["-n", "3", "-w", "set", "--keep-words=han,alpha"]
		assert c.options("shfp", "--seg jieba --bar --stop=") == ["--segment=jieba", "--bare", "--stop="]
		assert c.options("shverify", "") == []
		for bad in ("-o x", "--output=x", "--outp x", "-l", "--rejects r", "--explain", "-V", "-dx", "-n", "--se 3",
		            "docs.tsv", "-", "-n 2 docs.tsv", "--bare docs.tsv", "-w set -- -x", "'"):
		    try:
		        c.options("shfp", bad)
		    except ValueError as e:
		        assert str(e).startswith("shfp") or bad == "'", e
		    else:
		        raise AssertionError(bad)
	END
	exits 0
	for script in spark/shspark hadoop/shhadoop; do
		try "python3 -B $SHARE/$script.py --shfp=-l docs out"
		exits 2
		grep -q 'shfp: option -l not recognized (some options cannot be used on a cluster' err
		try "python3 -B $SHARE/$script.py --shfp='-n 2 docs' docs out"
		exits 2
		grep -q 'shfp docs: expected options only: each task would read this file and not its part of the input' err
		try "python3 -B $SHARE/$script.py --shjoin=--coll docs out"
		exits 2
		grep -q -- '--shjoin=--collapse[ :]' err
		try "python3 -B $SHARE/$script.py --help"
		exits 0
	done
	try "python3 -B $SHARE/spark/shspark.py --link star --collapse docs out"
	exits 2
	grep -q -- '--link star cannot be used with --collapse, which omits pairs' err
	for hidden in _docs in/.docs _docs/; do
		try "python3 -B $SHARE/spark/shspark.py $hidden out"
		exits 2
		grep -q "$hidden: Spark reads no files or folders whose names begin with _ or ." err
	done
}

@test "OPTIONS agrees with --help of the programs, and every other option is refused" {
	python <<-'END'
		import re, subprocess
		import shcluster as c
		refused = set("fields documents-fields exit-code line-ids json csv delimiter header output rejects progress trailer explain features documents check help version".split())
		refused |= set("permutations scheme rows bands".split())  # shband cannot read signatures
		refused.add("keys")  # the jobs have an option --keys of their own
		# --shspan takes only the options that shseed lacks; the job adds --first.
		spans = set("first all count exact every-copy pairs threshold bound seeds archive".split())
		spans |= {name.rstrip("=") for name in c.OPTIONS["shseed"][1].split()} | {"ngram"}
		for program, (letters, names) in c.OPTIONS.items():
		    usage = subprocess.run([program, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
		    want_letters, want_names = "", set()
		    for letter, name, takes in re.findall(r"^ +(?:-(.), )?--([a-z-]+)(\[?=)?", usage, re.M):
		        if name in refused or program == "shspan" and name in spans:
		            continue
		        want_names.add(name + ("=" if takes else ""))
		        if letter:
		            assert takes, letter
		            want_letters += letter + ":"
		    assert len(want_names) > 4 and want_names == set(names.split()), (program, want_names ^ set(names.split()))
		    assert sorted(want_letters) == sorted(letters), (program, want_letters, letters)
	END
	exits 0
}

@test "features are refused, because a task may read only some of a document's; documents are not" {
	logic="python3 -B $SHARE/cluster/shcluster.py"
	printf 'a\tx\t1\na\ty\t-0.5\n' >features
	for part in 1 2; do
		try "sed -n ${part}p features | $logic documents"
		exits 2
		grep -q '^shfp: the input is features (three fields, the last a number), expected documents' err
		[ ! -s out ]
	done
	printf 'a\t1 x\t y\nb\tx\t1\nc\n\n\377\t\r\n' >docs # shfp reports other errors
	try "$logic documents <docs"
	exits 0
	same docs out
	try "$logic documents </dev/null"
	exits 0
	[ ! -s out ]
}

@test "Spark prints all messages of a filter that runs several times in a partition" {
	python <<-'END'
		from types import SimpleNamespace as Object
		import shcluster, shspark
		added = []
		class Lines:
		    def mapPartitionsWithIndex(self, part, preservesPartitioning):
		        return list(part(7, iter([b"x"]))) + list(part(8, iter([])))
		def body(lines, command, note):
		    note("one")
		    yield from lines
		    note("two")
		job = Object(programs=Object(command=lambda program, words: [program] + words), notes=Object(add=added.append))
		assert shspark.Job.step(job, Lines(), "shjoin", ["-j", "1"], body) == [b"x"]
		assert added == [{("shjoin", 7): "one\ntwo"}], added
	END
	exits 0
}

@test "jobs of Hadoop Streaming run the expected commands" {
	python <<-'END'
		import os, sys
		import shhadoop
		os.environ["HADOOP_STREAMING"] = "hadoop jar 'my streaming.jar'"
		args = shhadoop.arguments(["--shband=-k 3", "--ship", "programs", "--reducers", "7", "-D", "a=b",
		                           "in1", "in2", "out"])
		os.mkdir("scripts")
		jobs = shhadoop.Jobs(args, "scripts")
		command = jobs.command(args.docs, "out/pairs", jobs.program("shband") + " | x", "y", sorted_fields=3)
		line = " ".join(command)
		assert command[:3] == ["hadoop", "jar", "my streaming.jar"], command
		for part in ("-D mapreduce.job.reduces=7", "-D a=b", "-input in1 -input in2 -output out/pairs",
		             "-D stream.num.map.output.key.fields=3", "programs/shband", "-mapper bash map1.sh"):
		    assert part in line, (part, line)
		# Profiles and shverify need the dictionary, too. So it is sent with any options, if the folder has it.
		assert "jieba.dict" not in line, line
		os.mkdir("programs")
		open("programs/jieba.dict", "w").close()
		assert os.path.abspath("programs/jieba.dict") in jobs.files([], []).split(",")
		assert open("scripts/map1.sh").read() == "set -o pipefail\nexport LC_ALL=C\n./shband -k 3 | x\n"
		# Arguments keep their bytes in every locale.
		name = jobs.script("map", os.fsdecode(b"shfp --stop=\xff\xc3\xa9"))
		assert open("scripts/" + name, "rb").read().endswith(b"\nshfp --stop=\xff\xc3\xa9\n")
		assert shhadoop.moves("Counters: 3\n\tsimhash-utils\n\t\tmoves=12\n")
		assert not shhadoop.moves("Counters: 3\n")
		try:
		    shhadoop.moves("")
		except shhadoop.JobError:
		    sys.exit(0)
		sys.exit("a log without counters is no error")
	END
	exits 0
}

@test "the scripts compile" {
	cp "$SHARE"/*/*.py .
	try "python3 -W error -m py_compile shcluster.py shspark.py shhadoop.py"
	exits 0
}
