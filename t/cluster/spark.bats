#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests of share/spark on a cluster of one master and two workers, which t/cluster/run kills at the end.
load helper

setup_file() {
	export SPARK_HOME SPARK_MASTER
	SPARK_HOME=$("$CLUSTER_CACHE/venv/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
	# Listen on the loopback address only, limit the memory, and write files below $CLUSTER.
	export SPARK_LOCAL_IP=127.0.0.1 SPARK_DAEMON_MEMORY=256m SPARK_LOCAL_DIRS=$CLUSTER/local
	export PYSPARK_PYTHON=$CLUSTER_CACHE/venv/bin/python
	cd "$CLUSTER" || return 1

	daemon master org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0
	until_true 60 grep -q 'Starting Spark master at' master.log
	SPARK_MASTER=$(sed -n 's/.*Starting Spark master at //p' master.log)
	worker one
	worker two
	until_true 60 workers_are 2
}

# daemon NAME CLASS ARGUMENT...: starts a daemon of Spark, and writes its process group to NAME.group.
daemon() {
	local name=$1
	shift
	(started "$SPARK_HOME/bin/spark-class" "$@" >"$CLUSTER/$name.log" 2>&1 </dev/null) &
	echo $! >"$CLUSTER/$name.group"
}

worker() {
	daemon "$1" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --port 0 --webui-port 0 \
	    --cores 1 --memory 700m --work-dir "$CLUSTER/work-$1" "$SPARK_MASTER"
}

workers_are() {
	[ "$(grep -c 'Registering worker' "$CLUSTER/master.log")" -eq "$1" ]
}

# spark ARGUMENT...: runs shspark.py on the cluster.
spark() {
	started "$SPARK_HOME/bin/spark-submit" --master "$SPARK_MASTER" \
	    --conf spark.ui.enabled=false --conf spark.executor.memory=512m \
	    --conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 \
	    --conf spark.shuffle.io.retryWait=1s \
	    "$SHARE/spark/shspark.py" --partitions 4 "$@"
}

# try_spark ARGUMENT...: runs shspark.py as try() does. spark-submit writes the messages of the script to standard
# output, and the many messages of Spark to standard error.
try_spark() {
	tried="shspark.py $*"
	status=0
	(spark "$@" >out 2>log </dev/null) || status=$?
	sed '/ INFO /d' log >err
}

@test "documents: verified pairs and groups equal those of one machine" {
	documents >docs.tsv
	one_machine plain '-n 2 -w set' '-k 10 -M 12' '' '-n 2 -T 0.5' ''
	grep -q "$(printf '\377')" plain/pairs # ids that are not UTF-8
	try_spark --ship "$SHBIN" --shfp='-n 2 -w set' --shband='-k 10 -M 12' --shverify='-n 2 -T 0.5' docs.tsv got
	exits 0
	same_as plain got
}

@test "documents by keys: verified pairs and groups equal those of one machine" {
	documents >docs.tsv
	mkdir plain
	sort -t "$(printf '\t')" -k 1,1 docs.tsv | shfp -n 2 --keys | sort -s -k1,1 | shjoin | sort -u |
		shverify -n 2 -T 0.5 -d docs.tsv | sort >plain/pairs
	shgroup plain/pairs | sort >plain/groups
	[ -s plain/pairs ]
	try_spark --ship "$SHBIN" --shfp='-n 2' --shverify='-n 2 -T 0.5' docs.tsv got
	exits 0
	same_as plain got
}

@test "passages: the spans equal those of one machine on documents in the order of their ids" {
	documents >docs.tsv
	mkdir plain
	sort -t "$(printf '\t')" -k 1,1 docs.tsv | shspan -n 5 --window 6 --min-tokens 10 | sort >plain/spans
	[ "$(wc -l <plain/spans)" -gt 100 ]
	try_spark --ship "$SHBIN" --passages --shseed='-n 5 --window 6' --shspan='--min-tokens 10' docs.tsv got
	exits 0
	test -e got/spans/_SUCCESS
	cat got/spans/part-* | sort >got.spans
	same plain/spans got.spans
	[ ! -e got/pairs ]
}

@test "skewed fingerprints: hot keys are split among many tasks, and the result is the same" {
	skewed >docs.fp
	one_machine plain - '-k 3 -M 5' '' - '--link star'
	try_spark --bin "$SHBIN" --fingerprints --shband='-k 3 -M 5' --split 40 --link star docs.fp got
	exits 0
	grep -E '^shspark.py: [0-9]+ keys have more than 40 records: split among [0-9]+ tasks$' out
	same_as plain got
}

@test "identical fingerprints are collapsed, also with repeated records" {
	skewed >docs.fp
	one_machine plain - '-k 3 -M 5' --collapse - ''
	try_spark --bin "$SHBIN" --fingerprints --shband='-k 3 -M 5' --collapse docs.fp got
	exits 0
	same_as plain got
}

@test "a filter that exits 2 fails the job, with its message" {
	documents >docs.tsv
	echo 'no tab here' >>docs.tsv
	try_spark --bin "$SHBIN" docs.tsv got
	exits 2
	grep -E '^shspark.py: shfp, partition [0-9]+: shfp: -:[0-9]+: 1 field, expected id<TAB>text' out
	[ ! -e got/pairs/_SUCCESS ]
}

@test "two documents of one id fail the verification; an existing OUT is not changed" {
	printf 'a\tone two three four\nb\tone two three four\na\tone two three five\n' >docs.tsv
	try_spark --bin "$SHBIN" --shverify= docs.tsv got
	exits 2
	grep -F "shspark.py: shverify: 2 documents have the id b'a': make ids distinct" out
	mkdir -p there/pairs
	try_spark --bin "$SHBIN" docs.tsv there
	exits 2
	[ ! -e got/pairs/_SUCCESS ]
	grep -F 'shspark.py: there/pairs: exists already; expected a new folder' out
	[ -z "$(ls there/pairs)" ] && [ ! -e there/groups ]
}

@test "a worker killed during a job: the result is the same" {
	documents >docs.tsv
	one_machine plain '-n 2 -w set' '-k 10 -M 12' '' - ''
	# This shjoin waits until the file go exists.
	mkdir slow
	ln -s "$SHBIN/shfp" "$SHBIN/shband" slow
	cat >slow/shjoin <<-END
		#!/bin/sh
		: >"$PWD/started.\$\$"
		until [ -e "$PWD/go" ]; do sleep 0.2; done
		exec "$SHBIN/shjoin" "\$@"
	END
	chmod +x slow/shjoin

	(spark --bin "$PWD/slow" --shfp='-n 2 -w set' --shband='-k 10 -M 12' docs.tsv got >out 2>err </dev/null) &
	job=$!
	two_joins() { [ "$(ls | grep -c '^started')" -ge 2 ]; }
	until_true 120 two_joins # one on each worker: each has one core
	kill -9 -- "-$(cat "$CLUSTER/two.group")"
	sleep 1
	: >go
	wait "$job"
	grep 'Lost executor' err
	same_as plain got
}

@test "all listening sockets are on the loopback address" {
	run -0 python3 - "$CLUSTER/groups" <<-'END'
		import os, socket, struct, sys
		groups = {int(line) for line in open(sys.argv[1])}
		inodes = set()
		for pid in filter(str.isdigit, os.listdir("/proc")):
		    try:
		        if int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[2]) not in groups:
		            continue
		        links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
		    except OSError:
		        continue
		    inodes |= {link[8:-1] for link in links if link.startswith("socket:")}
		seen = 0
		for name in "tcp", "tcp6":
		    for line in list(open("/proc/net/" + name))[1:]:
		        f = line.split()
		        if f[3] == "0A" and f[9] in inodes:
		            seen += 1
		            last = bytes.fromhex(f[1].split(":")[0])[-4:]
		            address = socket.inet_ntoa(struct.pack("<I", struct.unpack(">I", last)[0]))
		            print(address)
		            assert address == "127.0.0.1", line
		assert seen >= 3, seen
	END
}
