#include "record/feature_run.h"

void sh_feature_run_begin(struct sh_feature_run *run, struct sh_slice id)
{
	unsigned char keep[16] = { 0 };

	run->n = id.n + 1;
	memcpy(run->prefix, id.p, id.n);
	run->prefix[id.n] = '\t';
	memset(run->prefix + run->n, 0, 16);
	memset(keep, 0xff, run->n < 16 ? run->n : 16);
	run->a = sh_le64(run->prefix);
	run->b = sh_le64(run->prefix + 8);
	run->keep_a = sh_le64(keep);
	run->keep_b = sh_le64(keep + 8);
}
