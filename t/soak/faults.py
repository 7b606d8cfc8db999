#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inject faults into each program, one after the other, and check how the program ends.

    t/soak/faults.py [-d N] [-c REGEX] [-f N] [-t SECONDS] KIND...

KIND is malloc, calls, syscalls, short, full, closed, signals, tmpfs, archive or cuts. A run must end in one of two ways:
with status 2, a message of the program, an unchanged output and no temporary file; or with the status and the output of
a run without faults. Prints a line for each kind, with the number of faults and the number of runs that ended otherwise.
Each of these runs is printed with the command that repeats it.

-d N injects only every Nth fault, without large inputs. -c REGEX selects the commands that match. malloc and syscalls
print the number of each command when it begins, because they take long. -f N begins with the Nth command. A run of more
than -t SECONDS [60] fails. Use more seconds on a busy machine.

The programs are in $SHBIN, the documents in $T_DATA, and the compiler is $CC.
"""
import argparse
import collections
import errno
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("SHBIN", os.path.join(HERE, "../../bin"))
DATA = os.environ.get("T_DATA", os.path.join(HERE, "../data"))
SECONDS = 60  # limit of a run; see -t
ENV = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], LC_ALL="C")
ENV.pop("TMPDIR", None)

# Commands. Each writes an output "new", and some write more outputs. Standard input is a file.
COMMANDS = """
shtok -n 1-2 -o new docs
shtok -j 2 -o new --rejects rejected mixed
shtok --stop words --trailer=out -o new docs
shtok --stem english -o new docs
shtok --json -o new json
shtok --segment jieba -o new zh
shseed -o new docs
shseed --segment jieba -n 3 -o new zh
shspan -n 3 --window 2 -o new docs docs.longer
shspan --all -j 2 --rejects rejected -o new mixed docs.longer
shspan --count -o new docs docs.longer
shspan --exact 5 --every-copy -o new docs docs.longer
shspan --pairs -T 0 -n 3 -d docs -o new docs.longer
shspan --seeds -d docs.longer -o new seeds
shspan -S 1 --archive passages -o new docs.longer
shcut -d marks -o new docs.longer
shcut -u sentence -n 1 -o new docs.longer
shspan -u line --every-copy -o new docs docs.longer
shfp -o new docs
shfp -w tf -b 128 -H md5 -o new docs
shfp -n 3 -j 2 -o new docs
shfp -o new features
shfp -p gomd5 --empty zero -o new docs
shweight -o new features
shweight -w tfidf -d table -o new features
shweight --idf idf -t 3 -o new features
shdf -o new features
shdf -S 1M -o new features
shdf -m --min-df 2 -o new table table
shband -k 3 -o new fps
shband -k 3 -o new <fps
shband -k 6 --trailer -j 2 -o new fps.trailer
shtok -j 4 -o new <many
shtok -j 2 -o new --rejects rejected <manymixed
shfp -j 4 -o new <many
shband -j 2 -k 3 -o new <fps20000
shband --explain -o new
shjoin -k 9 -o new fps
shjoin -k 9 --collapse -S 1M -o new fps
shjoin -k 9 -o new fps fps.2
shjoin -o new bands
shjoin --trailer -o new bands.trailer
shjoin -o new bands bands.2
shjoin --explain -o new fps
shjoin -k 3 -o new large
shjoin -k 2 -o new <large
shjoin -k 3 --collapse -o new large
shjoin -k 3 -S 1M -o new spilled
shverify -d docs -o new pairs
shverify --measure any -T 0.5,0.6 -d docs -o new pairs
shdedup -q --measure any -T 0.5,0.6 -o new docs
shverify -d - --measure cosine -o new pairs <docs
shverify --trailer -d docs.trailer -o new pairs.trailer
shverify -j 2 -d docs -o new <pairs
shgroup -o new pairs
shgroup -j 2 -d docs -o new pairs
shdrop -d groups -o new docs
shdrop -j 2 -d groups --mark m --rejects rejected -o new mixed
shgroup --link star -d docs --keep longest --audit audit -o new pairs
shgroup --keep words -o new pairs
shdedup -q --report report -o new docs
shdedup -q --link single --protect words --trailer -o new docs.trailer
shdedup -q --sample 2 -o new docs
shdedup -q -o new - <docs
shdedup -q -j 2 -S 64K --report report -o new many
shdedup -q -j 4 --rejects rejected -o new <manymixed
shdedup -q -a archive -o new docs
shdedup -q -j 2 -a archive --report report -o new <many
shdedup -q -j 2 -S 64K -a sketches --report report -o new many
sharchive -q compact archive -o new
sharchive -q compact passages -o new
sharchive -q expire passages 1d -o new
sharchive stats passages -o new
sharchive export passages -o new
shdedup -q -a archive --every 1 --report new docs
shstat -o new pairs
shstat -j 2 -o new pairs
shstat -o new groups
shreport -d docs -o new pairs
shreport -d - --rejects rejected -o new pairs <docs
shreport -d docs -o new spans
shdict --check -o new jieba.dict
shdoc -o new docs
shdoc -o new array.json
shdoc -o new <array.json
shdoc -o new <many.json.gz
shdoc -o new --rejects rejected array.json json array.json.gz page.html site
shdoc -o new site.tar.gz
shdoc -o new site.zip
shtok -o new docs.zst
shtok -o new <docs.xz
shfp -j 2 -o new docs.gz docs.bz2
shtok --csv -o new csv
shfp --header -j 2 --rejects rejected -o new tsv
shspan --csv --all -o new csv
shcut --csv -d csv.marks -o new csv
shverify --csv -d csv -o new pairs
shreport --header -d tsv -o new pairs
shdrop --csv -d groups --mark m -o new csv
shdedup -q --csv -o new csv
shdedup -q --csv --mark m --keep=max:id --report report -o new csv
shdedup -q --header --mark m -o new <tsv
shdedup -q -O new docs docs.longer.gz
shdedup -q -j 2 --csv --compress zstd --report report -O new csv
shdedup -q -a archive --mark m -O new docs docs.longer.gz
shdedup -q -S 1 --mark m -o new docs.gz docs.longer.gz
shverify -j 2 -S 1 -d docs.zst -o new pairs
shspan -S 1 -o new - <docs
""".strip().splitlines()


class Failed(Exception):
    pass


def sh(command):
    return subprocess.run(["bash", "-c", command + "\ntrue"], env=ENV, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare():
    """Writes small inputs of every kind to the current folder."""
    sh(f"head -n 6 '{DATA}/en_dev.tsv' | cut -c 1-400 >docs; head -n 3 '{DATA}/zh_dev.tsv' >zh")
    sh("cut -c 1-90 zh >z; mv z zh; cat docs zh >all; mv all docs")
    sh("{ cat docs; echo bad; echo; } >mixed")
    as_json = """awk -F '\\t' '{ gsub(/"/, ""); gsub(/\\\\/, ""); printf "{\\"id\\":\\"%s\\",\\"text\\":\\"%s\\"}\\n", $1, $2 }'"""
    sh(f"{as_json} docs >json")
    sh("head -n 4 docs | cut -f 1 >words; echo the >>words; echo of >>words")
    sh("shtok docs >features; shdf features >table; shfp docs >fps; cp fps fps.2; shfp --trailer=out docs >fps.trailer")
    sh("tail -n +2 table | head -n 40 >idf")
    sh("sed 's/^[^\\t]*/&-longer/' docs >docs.longer; shseed docs.longer | sort >seeds; shspan --exact 5 docs.longer >marks")
    sh("shband -k 9 -M 10 fps | sort >bands; cp bands bands.2; shband --trailer -k 9 -M 10 fps.trailer | sort >bands.trailer")
    sh("shjoin -k 30 fps >pairs; shjoin -k 30 --trailer fps.trailer >pairs.trailer; shgroup pairs >groups")
    sh("awk -F '\\t' 'NR > 1 { print $1, 0, 60, before, 3, 50, 9, 0.8 } { before = $1 }' OFS='\\t' docs >spans")
    sh("{ cat docs; printf '\\t\\tsimhash-trailer\\t%d\\t-\\n' $(wc -l <docs); } >docs.trailer")
    sh("{ echo '['; sed 's/$/,/; $s/,$//' json | fold -w 700; echo ']'; } >array.json; gzip -k array.json")
    sh("gzip -k docs; bzip2 -k docs; xz -k docs; zstd -q docs; gzip -k docs.longer")
    sh("{ echo id,text; sed 's/\"//g; s/\\t/,\"/; s/$/\"/' docs; } >csv; { printf 'id\\ttext\\n'; cat docs; } >tsv")
    sh("shspan --exact 5 --csv csv >csv.marks; shspan --all --csv csv | cut -f 1-3 | head -n 9 >>csv.marks")
    sh("echo '<!DOCTYPE html><p class=\"a b\" hidden>No<p>A page &eacute; <b>more</b><br/>' >page.html; mkdir site; cp page.html site; head -n 1 docs >site/text.txt")
    sh("tar -czf site.tar.gz site; python3 -m zipfile -c site.zip site/")
    sh(f"cut -c 1-2000 '{DATA}/en_dev.tsv' | head -n 200 >many; sed '50s/\t/ /; 150s/\t/ /' many >manymixed")
    sh(f"tr -d '\\001-\\010\\013-\\037' <many >plain; {as_json} plain | gzip >many.json.gz")
    large("fps20000", 20000)
    for name, store in ("archive", "documents"), ("sketches", "sketch"):
        sh(f"sharchive -q init {name}.before --store {store}; head -n 2 docs >some; shdedup -q -a {name}.before some")
        sh(f"sed -n 3p docs >some; shdedup -q -a {name}.before some")
    sh("for x in y z; do sed s/^/$x/ docs | SOURCE_DATE_EPOCH=1 shspan --archive passages.before; done")
    sh("sed s/^/x/ docs | shspan --archive passages.before; sharchive compact passages.before")
    sh("shspan --archive passages.before docs")
    if os.path.exists(os.path.join(BIN, "jieba.dict")):
        os.symlink(os.path.join(BIN, "jieba.dict"), "jieba.dict")


def large(name, n):
    """Writes n fingerprints, some of them near or equal to others. 60,000 do not fit in 1 MiB."""
    rng, words = random.Random(7), []
    for i in range(n):
        words.append(rng.getrandbits(64))
        if i % 1000 == 0:
            words[-1] = words[-2 - i % 3] ^ 1 << i % 64 ^ (i % 3 << 5) if i % 4000 else words[0]
    with open(name, "w") as f:
        f.writelines(f"{w:016x}\t{i}\n" for i, w in enumerate(words))


class Command:
    """One of COMMANDS."""

    def __init__(self, text):
        self.text = text
        line, _, self.stdin = text.partition(" <")
        self.argv = line.split()
        self.name = self.argv[0]
        self.files = None
        self.archive = next((a for a in ("archive", "sketches", "passages") if a in self.argv), None)
        self.outputs = [o for o in ("new", "rejected", "audit", "report") if o in self.argv]

    def usable(self):
        path = os.path.join(BIN, self.name)
        if "jieba" in self.text and not os.path.exists("jieba.dict"):
            return False
        return os.path.exists(path) and all(os.path.exists(f) for f in ("large", "spilled") if f in self.text)

    def clear(self):
        """Removes the outputs, and restores the archive."""
        for o in self.outputs:
            if os.path.isdir(o):
                shutil.rmtree(o)
            elif os.path.exists(o):
                os.unlink(o)
        if self.archive:
            shutil.rmtree(self.archive, ignore_errors=True)
            shutil.copytree(self.archive + ".before", self.archive)

    def run(self, prefix=(), env=None, argv=None, piped=False, **more):
        """Runs the command. Returns the status, negative for a signal, and the messages. piped: standard input is a
        pipe."""
        self.clear()
        text = open(self.stdin, "rb").read() if self.stdin and piped else None
        stdin = open(self.stdin or os.devnull, "rb")
        p = subprocess.Popen([*prefix, *(argv or self.argv)],
            stdin=stdin if text is None else subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=dict(ENV, **(env or {})), start_new_session=True, **more)
        stdin.close()
        try:
            out, err = p.communicate(input=text, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)  # also kills the program when strace has ended
            p.communicate()
            for f in self.left_behind():
                os.unlink(f)  # the next run would fail for this file
            raise Failed(f"still running after {SECONDS} seconds")
        self.out = out
        return p.returncode, err.decode(errors="replace")

    def run_without_faults(self):
        """Stores status, outputs and files of a run without faults."""
        self.status, err = self.run()
        if self.status != 0:
            sys.exit(f"faults.py: the command fails without faults: {self.text}: {err}")
        self.good = self.read()
        self.files = sorted(os.listdir("."))

    def left_behind(self):
        """The files that a run left behind. Empty before run_without_faults()."""
        return [f for f in os.listdir(".") if self.files and f not in self.files and f not in self.outputs]

    def read(self):
        """The content of each output. For a folder, the content of its files, without the list and its lock."""
        def content(o):
            if os.path.isdir(o):
                return {f: content(os.path.join(o, f)) for f in os.listdir(o) if not f.startswith(".simhash-shards")}
            return open(o, "rb").read() if os.path.exists(o) else None
        return {o: content(o) for o in self.outputs}

    def resume(self, got, unlinks):
        """Checks that a folder has whole files only, and that a run without faults completes the folder."""
        other = [f for f, text in got.items() if self.good["new"].get(f) != text]
        if other and (unlinks or any(not f.startswith(".") for f in other)):
            raise Failed(f"status 2 and in the folder: {other}")
        done = subprocess.run(self.argv, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode or self.read()["new"] != self.good["new"]:
            raise Failed(f"the next run does not complete the folder: {done.stderr!r}")

    def judge(self, status, err, unlinks=True, may_publish=False):
        """Raises Failed unless the run ended in a way that is allowed after a fault."""
        got = self.read()
        if status == self.status:
            if got != self.good:
                raise Failed("status 0 and another output")
        elif status != 2:
            raise Failed(f"signal {-status}" if status < 0 else f"status {status}: {err}")
        elif not re.search(rf"^{self.name}: .", err, re.M):
            raise Failed(f"status 2 and no message: {err!r}")
        elif isinstance(self.good["new"], dict):
            if got["new"] is not None:
                self.resume(got["new"], unlinks)
        elif got["new"] is not None and self.name != "shdoc" and not (
                # One of several outputs is complete first. shdoc skips files that it cannot read.
                (may_publish or len(self.outputs) > 1 or self.archive == "passages") and got["new"] == self.good["new"]):
            raise Failed("status 2 and an output")
        left = self.left_behind()
        for f in left:
            os.unlink(f)
        if left and unlinks:
            raise Failed(f"left behind: {left}")
        checks = [["sharchive", "-q", "check", self.archive]] if self.archive else []
        if self.archive == "passages":
            checks.append(["shspan", "--archive", "passages", "/dev/null"])
        if any(subprocess.run(check, env=ENV).returncode for check in checks):
            raise Failed("the archive is damaged")


class Tally:
    def __init__(self, kind):
        self.kind, self.n, self.bad, self.ends = kind, 0, 0, collections.Counter()
        self.start = time.time()

    def begin(self, command):
        print(f"# {self.kind} {command.number}: {command.text} ({self.n} faults before it)", flush=True)

    def attempt(self, command, how, run):
        self.n += 1
        try:
            status = run()
            self.ends[status] += 1
        except Failed as e:
            self.bad += 1
            print(f"not ok - {command.text}: {e}\n  by hand: {how}")

    def print_summary(self, what):
        ends = ", ".join(f"{n} with status {s}" for s, n in sorted(self.ends.items()))
        print(f"{self.kind}: {what}: {self.n} faults ({ends}), {self.bad} ended otherwise, "
            f"{time.time() - self.start:.0f} s", flush=True)


def shim():
    compiler = os.environ.get("CC", "cc")
    subprocess.run(f"{compiler} -O1 -shared -fPIC -o shim.so '{HERE}/failmalloc.c' -ldl", shell=True, check=True)
    return os.path.abspath("shim.so")


def steps(n, every, salt):
    """Every `every`th number of 1 .. n; the first one depends on salt."""
    return range(1 + salt % every, n + 1, every)


def with_shim(c, settings):
    return lambda: judged(c, *c.run(env=settings))


def judged(c, status, err, **more):
    c.judge(status, err, **more)
    return status


def by_hand(c, settings):
    return " ".join(f"{k}={v}" for k, v in settings.items()) + " " + c.text


def malloc(commands, every):
    library, t = shim(), Tally("malloc")
    # The ZIP reader of libarchive 3.6.2 uses a null pointer when one allocation fails.
    for i, c in enumerate(c for c in commands if ".zip" not in c.text):
        t.begin(c)
        c.run_without_faults()
        c.run(env={"LD_PRELOAD": library, "FAIL_COUNT": os.path.abspath("count")})
        n = int(open("count").read())
        os.unlink("count")
        c.files = sorted(os.listdir("."))
        for kind in ("FAIL_AT", "FAIL_FROM"):
            for k in steps(n, every, i):
                settings = {"LD_PRELOAD": library, kind: str(k)}
                t.attempt(c, by_hand(c, settings), with_shim(c, settings))
    t.print_summary(f"each allocation of {len(commands)} commands, alone, and with all after it")
    return t.bad


def short(commands, every):
    library, t = shim(), Tally("short")
    for c in commands:
        c.run_without_faults()
        for seed in range(1, max(2, 20 // every + 1)):
            settings = {"LD_PRELOAD": library, "SHORT": str(seed)}

            def run():
                status, err = c.run(env=settings, piped=True)
                c.judge(status, err)
                if status != c.status:
                    raise Failed(f"status {status}: {err}")
                return status
            t.attempt(c, by_hand(c, settings), run)
    t.print_summary(f"reads and writes of 1 to 6 bytes, interrupted or not ready, in {len(commands)} commands")
    return t.bad


ERRORS = ("EIO", "ENOMEM", "EINTR")
# Calls that do not return, and brk, which returns no error code. The kind malloc tests allocations.
NEVER = {"exit_group", "exit", "execve", "rt_sigreturn", "restart_syscall", "futex", "brk"}


def system_calls(c):
    """Two counters of system calls: before and after the beginning of the program's own work."""
    c.run(prefix=["strace", "-f", "-o", "trace", "-e", "signal=none"])
    before, n, own = collections.Counter(), collections.Counter(), False
    for line in open("trace", errors="replace"):
        m = re.match(r"\d+ +(\w+)\((.*)", line)
        if not m:
            continue
        # All programs first check descriptor 0.
        own = own or (m[1].startswith("fcntl") and m[2].startswith("0, F_GETFD"))
        (n if own else before)[m[1]] += 1
    os.unlink("trace")
    return before, n


def syscalls(commands, every):
    if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode:
        print("syscalls: skipped: no strace(1), or no permission to trace")
        return 0
    t, kinds = Tally("syscalls"), set()
    commands = [c for c in commands if "-j" not in c.argv]
    for i, c in enumerate(commands):
        t.begin(c)
        c.run_without_faults()
        before, n = system_calls(c)
        for name in sorted(set(n) - NEVER):
            kinds.add(name)
            for e, error in enumerate(ERRORS):
                for k in steps(n[name], every, i + e):
                    # Other calls never return EINTR.
                    if error == "EINTR" and name not in ("read", "write", "pread64", "openat", "fsync", "poll"):
                        continue
                    prefix = ["strace", "-f", "-o", os.devnull, "-e", f"trace={name}", "-e",
                        f"inject={name}:error={error}:when={before[name] + k}"]

                    def run():
                        status, err = c.run(prefix=prefix)
                        return judged(c, status, err, unlinks=not name.startswith("unlink"),
                            may_publish=name in ("fsync", "close", "openat", "open"))
                    t.attempt(c, " ".join(prefix) + " " + c.text, run)
    t.print_summary(f"each call of {len(kinds)} system calls in {len(commands)} commands with {', '.join(ERRORS)}")
    return t.bad


# Functions that any thread calls: the error, and whether the error must end the program.
CALLS = {"read": (errno.EIO, True), "write": (errno.EIO, True), "pread": (errno.EIO, True), "poll": (errno.ENOMEM, True),
    "pipe2": (errno.EMFILE, True), "pthread_create": (errno.EAGAIN, False), "open": (errno.EIO, False),
    "mmap": (errno.ENOMEM, False)}


def sleeps(pid):
    """Whether all threads of a process sleep in a system call."""
    try:
        tasks = [f"/proc/{pid}/task/{t}/stat" for t in os.listdir(f"/proc/{pid}/task")]
        return all(open(t).read().rpartition(")")[2].split()[0] == "S" for t in tasks)
    except OSError:
        return False


def run_with_open_pipe(c, settings, must_end):
    """Runs the command with a pipe as standard input. The pipe stays open until the program sleeps after it has read
    all. If the fault must end the program, the pipe stays open, and a program that does not end exceeds the limit."""
    c.clear()
    with open("mark", "wb"), open("messages", "wb") as messages:
        p = subprocess.Popen(c.argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=messages,
            env=dict(ENV, FAIL_MARK=os.path.abspath("mark"), **settings))
    fed = threading.Event()

    def feed():
        try:
            with open(c.stdin, "rb") as f:
                p.stdin.write(f.read())
            p.stdin.flush()
        except BrokenPipeError:
            pass
        fed.set()

    feeder = threading.Thread(target=feed)
    feeder.start()
    end, slept, closed = time.time() + SECONDS, 0, False
    while p.poll() is None and time.time() < end:
        time.sleep(0.005)
        slept = slept + 1 if fed.is_set() and sleeps(p.pid) else 0
        if slept >= 4 and not closed and not (must_end and os.path.getsize("mark")):
            close_pipe(p.stdin)
            closed = True
    hung = p.poll() is None
    p.kill()
    p.wait()
    feeder.join()
    if not closed:
        close_pipe(p.stdin)
    if hung:
        raise Failed(f"still running after {SECONDS} seconds" + ("" if closed else ", its standard input open"))
    with open("messages", errors="replace") as f:
        return p.returncode, f.read()


def close_pipe(pipe):
    try:
        pipe.close()
    except BrokenPipeError:
        pass


def calls(commands, every):
    library, t = shim(), Tally("calls")
    commands = [c for c in commands if "-j" in c.argv or c.stdin.endswith(".gz")]
    for name in ("mark", "messages", "counts"):
        open(name, "w").close()
    for i, c in enumerate(commands):
        c.run_without_faults()
        c.run(env={"LD_PRELOAD": library, "CALL_COUNT": os.path.abspath("counts")}, piped=True)
        counts = dict(line.split() for line in open("counts"))
        for j, (name, (error, must_end)) in enumerate(CALLS.items()):
            # The number of calls differs from run to run, so two more are tried.
            for k in steps(int(counts[name]) + 2, every, i + j):
                settings = {"LD_PRELOAD": library, "FAIL_CALL": f"{name}:{k}:{error}"}

                def run():
                    if c.stdin:
                        status, err = run_with_open_pipe(c, settings, must_end)
                    else:
                        status, err = c.run(env=settings)
                    return judged(c, status, err, may_publish=name == "open")
                t.attempt(c, by_hand(c, settings), run)
    t.print_summary(f"each call of {len(CALLS)} functions in {len(commands)} commands with several threads or processes")
    return t.bad


def full(commands, every):
    t = Tally("full")
    for i, c in enumerate(commands):
        if i % every:
            continue
        c.run_without_faults()
        for o in c.outputs:
            if not c.good[o] or (o == "new" and "-O" in c.argv):
                continue  # the output is empty or a folder
            argv = ["/dev/full" if a == o else a for a in c.argv]

            def run(argv=argv):
                status, err = c.run(argv=argv)
                if status != 2 or "/dev/full: No space left on device" not in err:
                    raise Failed(f"status {status}: {err}")
                left = [f for f in os.listdir(".") if f not in c.files and f not in c.outputs]
                if left:
                    raise Failed(f"left behind: {left}")
                return status
            t.attempt(c, " ".join(argv), run)
        if "new" in c.argv and c.good["new"] and "-O" not in c.argv:
            argv = [a for a in c.argv]
            at = argv.index("new")
            del argv[at - 1:at + 1]

            def run(argv=argv):
                c.clear()
                with open("/dev/full", "wb") as f, open(c.stdin or os.devnull, "rb") as i:
                    p = subprocess.run(argv, stdin=i, stdout=f, stderr=subprocess.PIPE, env=ENV)
                if p.returncode != 2 or b"cannot write to standard output: No space left" not in p.stderr:
                    raise Failed(f"status {p.returncode}: {p.stderr}")
                c.clear()
                with open("/dev/full", "wb") as f, open(c.stdin or os.devnull, "rb") as i:
                    p = subprocess.run(c.argv, stdin=i, stdout=subprocess.PIPE, stderr=f, env=ENV)
                if p.returncode != c.status or c.read() != c.good:
                    raise Failed("another output when messages cannot be written")
                return 2
            t.attempt(c, " ".join(argv) + " >/dev/full", run)
    t.print_summary(f"/dev/full for each output of {len(commands)} commands")
    return t.bad


def closed(commands, every):
    t = Tally("closed")
    for i, c in enumerate(commands):
        masks = [m for m in range(1, 8) if (i + m) % every == 0]
        if masks:
            c.run_without_faults()
        for mask in masks:
            closes = " ".join(f"{fd}>&-" for fd in range(3) if mask >> fd & 1)

            def run():
                c.clear()
                redirect = f"<{c.stdin}" if c.stdin else "</dev/null"
                p = subprocess.run(["bash", "-c", f"{' '.join(c.argv)} {redirect} {closes}"], env=ENV,
                    capture_output=True)
                reads_stdin = c.stdin and mask & 1
                if reads_stdin:
                    if p.returncode != 2 or (c.read()["new"] is not None and c.name != "shdoc"):
                        raise Failed(f"status {p.returncode}: {p.stderr}")
                elif mask & 2 and not {"-o", "-O"} & set(c.argv):  # writes to standard output
                    if p.returncode != 2 or c.read()["new"] is not None:
                        raise Failed(f"status {p.returncode}: {p.stderr}")
                elif p.returncode != c.status or c.read() != c.good:
                    raise Failed(f"status {p.returncode} or another output: {p.stderr}")
                return p.returncode
            t.attempt(c, f"{c.text} {closes}", run)
    t.print_summary(f"descriptors 0, 1, 2 closed in every combination, {len(commands)} commands")
    return t.bad


def larger():
    """Writes inputs that take the programs some time."""
    sh(f"for i in $(seq 6); do sed \"s/^/$i-/\" '{DATA}/en_dev.tsv'; done >docs; shfp --trailer=out docs >fps.trailer")
    sh("shfp docs >fps; head -n 2000 docs | cut -c 1-3000 | shtok >features")
    sh("shband -k 9 -M 10 fps | sort >bands; shjoin -k 6 fps | head -n 9000 >pairs; cut -f 1 docs | head -n 9 >words")


BUSY = """
shtok -n 1-2 -o new --rejects rejected docs
shfp -j 2 -o new docs
shweight -o new features
shdf -S 1M -o new features
shband -k 9 -o new fps
shjoin -k 12 -S 1M -o new fps
shjoin -o new bands
shverify -d docs -o new pairs
shgroup -d docs --audit audit -o new pairs
shdedup -q --report report -o new docs
shstat -o new pairs
""".strip().splitlines()

FATAL = [s for s in range(1, 65) if s not in (9, 17, 18, 19, 20, 21, 22, 23, 28, 32, 33)]


def signals(commands, every):
    t, rng = Tally("signals"), random.Random(int(os.environ.get("SEED", "7")))
    larger()
    commands = [Command(x) for x in BUSY]
    took = {}
    for c in commands:
        c.run_without_faults()
        start = time.time()
        c.run()
        took[c.text] = time.time() - start
    for i in range(max(1, 500 // every)):
        c = commands[i % len(commands)]
        sig, delay = rng.choice(FATAL), rng.random() * took[c.text]

        def run():
            for o in ("new", "rejected", "audit", "report"):
                if o in c.outputs:
                    with open(o, "w") as f:
                        f.write("before")
                elif os.path.exists(o):
                    os.unlink(o)
            p = subprocess.Popen(c.argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENV,
                stdin=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            time.sleep(delay)
            p.send_signal(sig)
            status = p.wait()
            got = c.read()
            for o in c.outputs:
                if got[o] not in (b"before", c.good[o]):
                    raise Failed(f"signal {sig}: {o} is neither unchanged nor complete")
            if status == 0 and got != c.good:
                raise Failed(f"signal {sig}: status 0 and another output")
            if status not in (0, -sig):
                raise Failed(f"signal {sig}: status {status}")
            left = [f for f in os.listdir(".") if f not in c.files and f not in c.outputs]
            if left:
                raise Failed(f"signal {sig}: left behind: {left}")
            return "of the signal" if status else 0
        t.attempt(c, f"kill -{sig} after {delay:.4f} s: {c.text}", run)
    t.ends = collections.Counter({str(k): v for k, v in t.ends.items()})
    t.print_summary(f"{len(FATAL)} signals at random times of {len(commands)} commands")
    return t.bad


def in_namespace(kind, every):
    """Runs a kind again in a namespace in which it may mount. Returns None in that namespace, else whether runs
    failed."""
    if os.environ.get("FAULTS_MAY_MOUNT"):
        return None
    for how in ("-m", "-rm"):  # as root, or as root of a user namespace
        if subprocess.run(["unshare", how, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode == 0:
            p = subprocess.run(["unshare", how, sys.executable, os.path.join(HERE, "faults.py"), "-d", str(every),
                kind], env=dict(os.environ, FAULTS_MAY_MOUNT="1"))
            return p.returncode != 0
    print(f"{kind}: skipped: no permission to mount a file system, or to be root of a namespace (unshare -rm)")
    return 0


def tmpfs(commands, every):
    bad = in_namespace("tmpfs", every)
    if bad is not None:
        return bad
    t = Tally("tmpfs")
    larger()
    sh("head -n 3000 fps >f; mv f fps; head -n 60000 features >f; mv f features; head -n 400 docs >d; mv d docs")
    cases = ["shfp -o mnt/new docs", "shband -k 4 -o mnt/new fps", "shjoin -k 9 -o mnt/new fps",
        "shdf -S 1M --tmpdir mnt -o new features", "shverify -S 1 -d - --tmpdir mnt -o new pairs <docs",
        "shdf -o mnt/new features"]
    sh("shjoin -k 9 fps >pairs; grep -Ff <(cut -f 1 docs) pairs | head -n 20 >p; shfp docs | shjoin -k 9 >pairs")
    for text in cases:
        need = peak(text)
        for kib in range(4, need + 12, 4 * every):
            def run():
                mounted("mnt", kib)
                try:
                    return fill(text, kib, need)
                finally:
                    subprocess.run(["umount", "mnt"], check=True)
            t.attempt(Command(text), f"mount -t tmpfs -o size={kib}k none mnt; {text}", run)
    t.print_summary(f"a file system that is full at every {4 * every} KiB, for output and temporary files, {len(cases)} commands")
    return t.bad


# Commands that change an archive. The archive has two segments and some dropped documents.
CHANGES = """
shdedup -q -a mnt/archive -o new docs
shdedup -q -a mnt/archive --report report -o new more
sharchive -q compact mnt/archive
sharchive -q remove mnt/archive words
sharchive -q expire mnt/archive 1d
""".strip().splitlines()


FILLER = 2048


class Full:
    """A change of an archive on file systems of several sizes."""

    def __init__(self, text):
        self.text = text
        self.kib = 64
        while self.run(self.kib, keep="wanted")[0] != 0:
            self.kib *= 2
        self.want, self.after = self.outputs(), files_of("wanted")
        self.old = files_of("before")
        # The KiB of the archive before the change.
        self.least = sum((len(x) + 4095) // 4096 * 4 for x in self.old.values())

    def outputs(self):
        return {o: open(o, "rb").read() if os.path.exists(o) else None for o in ("new", "report")}

    def change(self):
        for o in ("new", "report"):
            if os.path.exists(o):
                os.unlink(o)
        p = subprocess.run(self.text.split(), env=dict(ENV, SOURCE_DATE_EPOCH="900000000"),
            capture_output=True)
        return p.returncode, p.stderr.decode(errors="replace")

    def run(self, kib, keep=None):
        """Runs the change on a file system of `kib` KiB. If it fails, repeats it with free space, where it must succeed.
        Returns the status of the first run; with `keep` also its messages, without a check."""
        # A user namespace cannot enlarge a file system. So a file fills it, which is removed for the second run.
        if not mounted("mnt", kib + FILLER):
            raise Failed("cannot mount a file system")
        try:
            with open("mnt/filler", "wb") as filler:
                filler.write(bytes(FILLER << 10))
            try:
                shutil.copytree("before", "mnt/archive")
            except shutil.Error:
                raise Failed("no space for the archive before the change")
            status, err = self.change()
            if keep:
                shutil.rmtree(keep, ignore_errors=True)
                shutil.copytree("mnt/archive", keep)
                return status, err
            self.judge(status, err)
            if status == 0:
                return 0
            os.unlink("mnt/filler")
            again, err = self.change()
            if again != 0 or self.outputs() != self.want or files_of("mnt/archive") != self.after:
                raise Failed(f"with free space: status {again}: {err}")
            return status
        finally:
            subprocess.run(["umount", "mnt"], check=True)

    def judge(self, status, err):
        now = files_of("mnt/archive")
        if status == 0:
            if now != self.after or self.outputs() != self.want:
                raise Failed("status 0, and another archive or output than with free space")
            return
        if status != 2 or not re.search(r"^sh(dedup|archive): .*\bmnt/archive(/\S+?)?'?: No space left on device$", err, re.M):
            raise Failed(f"status {status}: {err}")
        # Files of a failed run are no part of the archive. The next run removes them.
        if now.get("manifest") not in (self.old["manifest"], self.after["manifest"]):
            raise Failed("the manifest is neither the old nor the new manifest")
        good = self.old if now["manifest"] == self.old["manifest"] else self.after
        if any(now.get(name) != text for name, text in good.items()):
            raise Failed("a file of the archive has changed")
        if os.path.exists("new"):
            raise Failed("status 2 and an output")
        if subprocess.run(["sharchive", "-q", "check", "mnt/archive"], env=ENV).returncode:
            raise Failed("the archive is damaged")


def files_of(folder):
    """The content of all files of a folder, without the empty lock."""
    return {name: open(os.path.join(folder, name), "rb").read()
            for name in sorted(os.listdir(folder)) if name != "lock"}


def archive(commands, every):
    """Changes an archive on file systems of all sizes in steps of 4 KiB."""
    bad = in_namespace("archive", every)
    if bad is not None:
        return bad
    t = Tally("archive")
    sh(f"cut -c 1-1500 '{DATA}/en_dev.tsv' | head -n 60 >docs; tail -n 200 '{DATA}/en_dev.tsv' | cut -c 1-5000 >more")
    sh("sharchive -q init before --store documents; head -n 20 docs >some")
    sh("SOURCE_DATE_EPOCH=1 shdedup -q -a before some; sed -n 15,30p docs >some; SOURCE_DATE_EPOCH=800000000 shdedup -q -a before some")
    sh("head -n 3 docs | cut -f 1 >words")
    cases = CHANGES
    for i, text in enumerate(cases):
        f = Full(text)
        for kib in range(f.least + i % every * 4, f.kib + 4, 4 * every):
            t.attempt(Command(text), f"an archive on a tmpfs of {kib} KiB: {text}", lambda: f.run(kib))
    t.print_summary(f"an archive on a file system that is full at every {4 * every} KiB, {len(cases)} commands")
    return t.bad


def mounted(path, kib):
    os.makedirs(path, exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", path],
        capture_output=True).returncode == 0


def output_of(text):
    return "mnt/new" if "mnt/new" in text else "new"


def peak(text):
    """The KiB of a file system on which the command succeeds, within a quarter. Stores the output in WANT."""
    kib = 64
    while True:
        mounted("mnt", kib)
        p = subprocess.run(["bash", "-c", text], env=ENV, capture_output=True)
        if p.returncode == 0:
            WANT[text] = open(output_of(text), "rb").read()
        subprocess.run(["umount", "mnt"], check=True)
        if p.returncode == 0:
            return kib
        kib = kib * 5 // 4 // 4 * 4
        if kib > 1 << 20:
            sys.exit(f"faults.py: {text}: {p.stderr}")


WANT = {}


def fill(text, kib, need):
    new = output_of(text)
    if os.path.exists(new):
        os.unlink(new)
    p = subprocess.run(["bash", "-c", text], env=ENV, capture_output=True)
    left = [f for f in os.listdir("mnt") if "mnt/" + f != new]
    if left:
        raise Failed(f"left behind: {left}")
    if p.returncode == 0:
        if open(new, "rb").read() != WANT[text]:
            raise Failed("status 0 and another output")
    elif p.returncode != 2 or b"No space left on device" not in p.stderr:
        raise Failed(f"status {p.returncode}: {p.stderr}")
    elif os.path.exists(new):
        raise Failed("status 2 and an output")
    return p.returncode


def cuts(commands, every):
    """Cuts a stream with a trailer at every 64 KiB."""
    t = Tally("cuts")
    sh(f"shfp --bare '{DATA}/en_dev.tsv' >some; for i in $(seq 100); do sed \"s/$/-$i/\" some; done >fps")
    sh("{ cat fps; printf '\\t\\tsimhash-trailer\\t%d\\t-\\n' $(wc -l <fps); } | shband --trailer -k 1 -M 4 >bands.trailer")
    size = os.path.getsize("bands.trailer")
    cases = [Command(x) for x in ("shjoin --trailer=in -o new - <cut", "shjoin --trailer=in -o new sorted")]
    for at in range(0, size, 65536 * every):
        sh(f"head -c {at} bands.trailer >cut; LC_ALL=C sort cut >sorted")
        for c in cases:
            c.status, c.files = 0, os.listdir(".")

            def run():
                status, err = c.run()
                if status != 2 or os.path.exists("new"):
                    raise Failed(f"status {status}: {err}")
                return status
            t.attempt(c, f"head -c {at} bands.trailer | ...", run)
    t.print_summary(f"a stream of {size} bytes cut at every {64 * every} KiB, unsorted and sorted")
    return t.bad


KINDS = {f.__name__: f for f in (malloc, calls, syscalls, short, full, closed, signals, tmpfs, archive, cuts)}


def main():
    global SECONDS
    p = argparse.ArgumentParser()
    p.add_argument("-d", type=int, default=1)
    p.add_argument("-c", default="")
    p.add_argument("-f", type=int, default=1)
    p.add_argument("-t", type=int, default=SECONDS)
    p.add_argument("kinds", nargs="*")
    args = p.parse_args()
    SECONDS = args.t
    bad = 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core file would count as left behind
    for kind in args.kinds or KINDS:
        work = tempfile.mkdtemp(prefix="simhash-faults.")
        os.chdir(work)
        try:
            prepare()
            if args.d == 1:
                large("large", 200000)
                large("spilled", 60000)
            commands = [c for c in map(Command, COMMANDS) if re.search(args.c, c.text) and c.usable()]
            for n, c in enumerate(commands):
                c.number = n + 1
            bad += KINDS[kind](commands[args.f - 1:], args.d)
        finally:
            os.chdir("/")
            shutil.rmtree(work, ignore_errors=True)
    sys.exit(bad > 0)


main()
