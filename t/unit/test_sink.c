/* SPDX-License-Identifier: MIT */
/* Outputs by name: the mode, owner and access list that a file gets. */
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/bytes.h"
#include "io/sink.h"
#include "scratch.h"
#include "tap.h"

#define ACL         "system.posix_acl_access"
#define DEFAULT_ACL "system.posix_acl_default"

static char folder[SCRATCH_MAX];

/* A name in the folder; four at a time. */
static const char *in(const char *name)
{
	static char path[4][SCRATCH_MAX + 20];
	static unsigned turn;
	char *to = path[turn++ % 4];

	snprintf(to, sizeof *path, "%s/%s", folder, name);
	return to;
}

/* The mode of a file that was written to this path; bits of an error beyond all modes. */
static unsigned mode_written(const char *path, mode_t mask)
{
	mode_t before = umask(mask);
	struct sh_sink s;
	struct sh_error err;
	struct stat st;

	must(sh_sink_open(&s, path, &err) == 0 && sh_sink_write(&s, "x", 1, &err) == 0 &&
	     sh_sink_close(&s, &err) == 0);
	umask(before);
	return stat(path, &st) == 0 ? st.st_mode & 07777 : 0100000;
}

static void test_mode(void)
{
	static const mode_t masks[] = { 0, 002, 022, 027, 077 };

	for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
		const char *path = in("new");

		ok(mode_written(path, masks[i]) == (0666 & ~masks[i]),
		    "a new file has the mode of umask %03o", (unsigned)masks[i]);
		ok(mode_written(path, 0) == (0666 & ~masks[i]), "a replaced file keeps its mode");
		unlink(path);
	}
	must(mode_written(in("new"), 022) == 0644 && chmod(in("new"), 06751) == 0);
	ok(mode_written(in("new"), 0) == 0751, "a replaced file loses its set-user-ID bit");
	unlink(in("new"));
}

enum { UNREACHED = 77 };

/* Runs as user 1 with group 1 only, and returns the exit status. */
static int as_another(void)
{
	int status = -1;
	pid_t pid = fork();

	must(pid >= 0);
	if (pid == 0) {
		if (setgroups(0, NULL) < 0 || setgid(1) < 0 || setuid(1) < 0 ||
		    access(folder, W_OK) < 0)
			_exit(UNREACHED);
		_exit(mode_written(in("new"), 0) > 0777);
	}
	must(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_another_group(void)
{
	struct stat st;
	int status = as_another();

	if (status == UNREACHED) {
		ok(1, "a file of another group # SKIP another user cannot open the folder");
		return;
	}
	must(status == 0 && stat(in("new"), &st) == 0);
	ok(st.st_uid == 1 && st.st_gid != 2 && (st.st_mode & 07777) == 0644,
	    "a group that did not have the file gets only the rights of all users");
	must(chown(in("new"), 1, 2) == 0 && chmod(in("new"), 0606) == 0 && as_another() == 0 &&
	     stat(in("new"), &st) == 0);
	ok((st.st_mode & 07777) == 0606,
	    "a group that did not have the file gets no more rights than the group that had it");
}

static void test_owner(void)
{
	struct stat st;

	must(mode_written(in("new"), 0) == 0666 && chmod(in("new"), 0664) == 0);
	if (chmod(folder, 0777) < 0 || chown(in("new"), 1, 2) < 0) {
		ok(1, "a file of another user # SKIP only root can change owners");
	} else {
		ok(mode_written(in("new"), 0) == 0664 && stat(in("new"), &st) == 0 &&
			st.st_uid == 1 && st.st_gid == 2,
		    "a replaced file keeps its owner");
		test_another_group();
	}
	unlink(in("new"));
}

/* An access list (acl(5)) as the system keeps it: version 2, then tag, permissions and id of each
 * entry; everybody, owner and group as given, user 12345 everything, which the mask takes down to
 * `mask`. */
static size_t access_list(
    unsigned char list[44], unsigned owner, unsigned group, unsigned mask, unsigned others)
{
	const uint32_t none = UINT32_MAX;
	const struct {
		uint32_t tag, may, id;
	} entries[] = { { 1, owner, none }, { 2, 7, 12345 }, { 4, group, none }, { 16, mask, none },
		{ 32, others, none } };

	sh_put_le32(list, 2);
	for (size_t i = 0; i < 5; i++) {
		sh_put_le32(list + 4 + 8 * i, entries[i].tag | entries[i].may << 16);
		sh_put_le32(list + 8 + 8 * i, entries[i].id);
	}
	return 44;
}

static bool has_list(const char *path, const unsigned char *list, size_t n)
{
	unsigned char has[64];

	return getxattr(path, ACL, has, sizeof has) == (ssize_t)n && memcmp(has, list, n) == 0;
}

/* The group bits of its mode are the mask's: without the list they would be the group's. */
static void test_access_list(void)
{
	unsigned char list[44], inherited[44];
	size_t n = access_list(list, 6, 0, 6, 0);

	must(mode_written(in("new"), 0) == 0666);
	if (setxattr(in("new"), ACL, list, n, 0) < 0) {
		ok(1, "an access list # SKIP the file system has no access lists");
		unlink(in("new"));
		return;
	}
	ok(mode_written(in("new"), 022) == 0660 && has_list(in("new"), list, n),
	    "a replaced file keeps its access list");
	access_list(inherited, 7, 5, 7, 0);
	must(setxattr(folder, DEFAULT_ACL, inherited, n, 0) == 0);
	ok(mode_written(in("new"), 022) == 0660 && has_list(in("new"), list, n),
	    "a replaced file keeps its access list, also when the folder has a default list");
	must(removexattr(in("new"), ACL) == 0 && chmod(in("new"), 0640) == 0);
	ok(mode_written(in("new"), 022) == 0640 && getxattr(in("new"), ACL, NULL, 0) < 0,
	    "a replaced file without an access list gets none from the folder");
	must(unlink(in("new")) == 0);
	access_list(list, 6, 5, 6, 0);
	ok(mode_written(in("new"), 022) == 0660 && has_list(in("new"), list, n),
	    "a new file gets the default list of the folder, with any umask");
	must(removexattr(folder, DEFAULT_ACL) == 0 && unlink(in("new")) == 0);
}

int main(void)
{
	scratch(folder, "sink");
	must(mkdir(folder, 0700) == 0);
	test_mode();
	test_owner();
	test_access_list();
	must(rmdir(folder) == 0);
	return done_testing();
}
