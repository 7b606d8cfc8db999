#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shspan: the share of planted passages that it finds.

load helper

@test "shspan finds at least the stated share of test questions and of passages with changed words" {
	try "python3 $BATS_TEST_DIRNAME/quality/passages.py"
	exits 0
	awk -F ' *[|] *' '
		function least(column, value) { if ($column + 0 < value) { print $2 ", column " column ": " $column; bad = 1 } }
		/609 questions/ { for (i = 3; i <= 6; i++) least(i, 1); least(7, 0.99); least(8, 0.97); if ($10 > 0) bad = 1; n++ }
		/of 10 to 19/ { for (i = 3; i <= 6; i++) least(i, 1); least(7, 0.85); if ($10 > 0) bad = 1; n++ }
		/queries/ && !/shspan/ { least(3, 1) }
		/25, queries/ { least(6, 0.98); n++ }
		/, --all/ { least(3, 1) }
		/50, --all/ { least(6, 0.98); n++ }
		/^. (--all|-d)/ { least(4, 0.95) }
		/^. (--all|-d)( -n 3)? \|/ { least(6, 0.73); n++ }
		/-n 3 --merge 150/ { least(6, 0.9); n++ }
		END { exit bad || n != 9 }' out || { cat out; false; }
}
