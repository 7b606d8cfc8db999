#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tests of share/hadoop in the local runner of Hadoop.
load helper

setup_file() {
	mkdir "$CLUSTER/conf"
	echo '<configuration/>' >"$CLUSTER/conf/core-site.xml"
	cat >"$CLUSTER/conf/log4j.properties" <<-'END'
		log4j.rootLogger=INFO,console
		log4j.appender.console=org.apache.log4j.ConsoleAppender
		log4j.appender.console.target=System.err
		log4j.appender.console.layout=org.apache.log4j.PatternLayout
		log4j.appender.console.layout.ConversionPattern=%p %c{2}: %m%n
	END
	local java="java --add-opens=java.base/java.lang=ALL-UNNAMED -Xmx600m -Dhadoop.tmp.dir=$CLUSTER/tmp"
	java="$java -cp $CLUSTER/conf:$CLUSTER_CACHE/hadoop/*"
	export HADOOP_STREAMING="$java org.apache.hadoop.streaming.HadoopStreaming"
	export HADOOP_FS="$java org.apache.hadoop.fs.FsShell"
}

# try_hadoop ARGUMENT...: runs shhadoop.py as try() does.
try_hadoop() {
	tried="shhadoop.py $*"
	status=0
	# Hadoop passes the environment on, but fails with an exported function of several lines.
	(unset -f bats_readlinkf && started python3 "$SHARE/hadoop/shhadoop.py" -D mapreduce.framework.name=local \
	    -D hadoop.tmp.dir="$CLUSTER/tmp" --ship "$SHBIN" "$@" >out 2>err </dev/null) || status=$?
}

@test "documents: pairs and groups equal those of one machine" {
	documents >docs.tsv
	one_machine plain '-n 2 -w set' '-k 10 -M 12' '' - ''
	try_hadoop --shfp='-n 2 -w set' --shband='-k 10 -M 12' docs.tsv got
	exits 0
	same_as plain got
}

@test "documents by keys: pairs and groups equal those of one machine" {
	documents >docs.tsv
	mkdir plain
	sort -t "$(printf '\t')" -k 1,1 docs.tsv | shfp -n 2 --keys | sort -s -k1,1 | shjoin | sort -u >plain/pairs
	shgroup plain/pairs | sort >plain/groups
	[ -s plain/pairs ]
	try_hadoop --link single --shfp='-n 2' docs.tsv got
	exits 0
	same_as plain got
}

@test "skewed fingerprints: hot keys are split among many tasks, and the pairs are the same" {
	skewed >docs.fp
	one_machine plain - '-k 3 -M 5' '' - ''
	try_hadoop --fingerprints --shband='-k 3 -M 5' --split 40 --link none docs.fp got
	exits 0
	[ "$(cat got/hot/part-* | wc -l)" -gt 10 ]
	same_as plain got pairs
}

@test "a filter that exits 2 fails the job, with its message" {
	documents >docs.tsv
	echo 'no tab here' >>docs.tsv
	try_hadoop docs.tsv got
	exits 2
	grep -E '^shfp: -:[0-9]+: 1 field, expected id<TAB>text' err
	tail -n 1 err | grep -F 'shhadoop.py: the job for got/shared failed'
	[ ! -e got/shared/_SUCCESS ]
}
