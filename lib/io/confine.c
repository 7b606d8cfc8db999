/* SPDX-License-Identifier: MIT */
#include "io/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/target.h"

#ifdef SYS_landlock_create_ruleset
#define HEADERS_KNOW true
#else
#define HEADERS_KNOW                false
#define SYS_landlock_create_ruleset 0
#define SYS_landlock_add_rule       0
#define SYS_landlock_restrict_self  0
#endif

/* The sanitizers open files of their own for their reports. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define HAVE_LANDLOCK false
#else
#define HAVE_LANDLOCK HEADERS_KNOW
#endif

/* The constants of <linux/landlock.h>: that header may be missing, or older than the kernel. */
enum {
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_FILE = 1 << 5,
	MAKE_DIR = 1 << 7,
	REMOVE_DIR = 1 << 4,
	MAKE_REG = 1 << 8,
	REFER = 1 << 13,
	TRUNCATE = 1 << 14,

	FIRST_ALL = (1 << 13) - 1, /* the 13 rights of the first version */
	RULE_PATH = 1,
	ASK_VERSION = 1,
	TCP = 3,   /* bind and connect */
	SCOPE = 3, /* abstract sockets and signals */
};

struct ruleset {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

void sh_confine_begin(struct sh_confine *c)
{
	struct ruleset r = { .fs = FIRST_ALL };
	size_t size = sizeof r.fs;
	long version = -1;

	*c = (struct sh_confine){ .fd = -1 };
	if (HAVE_LANDLOCK)
		version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);
	if (version < 1)
		return;
	if (version >= 2)
		r.fs |= REFER;
	if (version >= 3)
		r.fs |= TRUNCATE;
	if (version >= 4) {
		r.net = TCP;
		size = 2 * sizeof r.fs;
	}
	if (version >= 5)
		r.fs |= 1 << 15; /* ioctl on devices */
	if (version >= 6) {
		r.scoped = SCOPE;
		size = sizeof r;
	}
	c->fd = (int)syscall(SYS_landlock_create_ruleset, &r, size, 0);
	c->handled = r.fs;
}

/* Nothing will be enforced. */
static void give_up(struct sh_confine *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* Adds a rule. For a file, leaves out the rights that exist for folders only. Returns 0 or -1. */
static int allow(struct sh_confine *c, const char *path, uint64_t rights)
{
	struct path_rule rule = { .parent = open(path, O_PATH | O_CLOEXEC) };
	struct stat st;
	int status = -1;

	if (rule.parent < 0)
		return -1;
	if (fstat(rule.parent, &st) == 0) {
		if (!S_ISDIR(st.st_mode))
			rights &= READ_FILE | WRITE_FILE | TRUNCATE;
		rule.allowed = rights & c->handled;
		/* EBADFD: a pipe. Landlock never refuses pipes. */
		if (syscall(SYS_landlock_add_rule, c->fd, RULE_PATH, &rule, 0) == 0 ||
		    errno == EBADFD)
			status = 0;
	}
	close(rule.parent);
	return status;
}

void sh_confine_read(struct sh_confine *c, const char *path)
{
	if (c->fd >= 0 && strcmp(path, "-") != 0)
		(void)allow(c, path, READ_FILE | READ_DIR);
}

void sh_confine_read_all(struct sh_confine *c)
{
	if (c->fd >= 0 && allow(c, "/", READ_FILE | READ_DIR) < 0)
		give_up(c);
}

void sh_confine_folder(struct sh_confine *c, const char *path)
{
	if (c->fd >= 0 && allow(c, path,
			      READ_FILE | READ_DIR | WRITE_FILE | REMOVE_FILE | REMOVE_DIR |
				  MAKE_REG | MAKE_DIR | REFER | TRUNCATE) < 0)
		give_up(c);
}

void sh_confine_write(struct sh_confine *c, const char *path)
{
	char *target, *folder;

	if (c->fd < 0 || !path || strcmp(path, "-") == 0)
		return;
	switch (sh_target_find(path, &target)) {
	case SH_TARGET_OPEN:
		break;
	case SH_TARGET_DIRECT:
		if (allow(c, path, WRITE_FILE) < 0)
			give_up(c);
		break;
	case SH_TARGET_FILE:
		/* The temporary file is made in the same folder and renamed. */
		folder = sh_target_folder(target);
		if (!folder ||
		    allow(c, folder,
			READ_DIR | READ_FILE | WRITE_FILE | REMOVE_FILE | MAKE_REG | TRUNCATE) < 0)
			give_up(c);
		free(folder);
		free(target);
		break;
	case SH_TARGET_NOWHERE:
		give_up(c);
	}
}

bool sh_confine_enforce(struct sh_confine *c)
{
	bool done = c->fd >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		    syscall(SYS_landlock_restrict_self, c->fd, 0) == 0;

	give_up(c);
	return done;
}
