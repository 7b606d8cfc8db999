#include "hash/crc32c.h"

/* after[i]: the state i after four zero bits. */
static const uint32_t after[16] = {
	0x00000000,
	0x105ec76f,
	0x20bd8ede,
	0x30e349b1,
	0x417b1dbc,
	0x5125dad3,
	0x61c69362,
	0x7198540d,
	0x82f63b78,
	0x92a8fc17,
	0xa24bb5a6,
	0xb21572c9,
	0xc38d26c4,
	0xd3d3e1ab,
	0xe330a81a,
	0xf36e6f75,
};

uint32_t sh_crc32c(uint32_t state, struct sh_slice text)
{
	for (size_t i = 0; i < text.n; i++) {
		state ^= (unsigned char)text.p[i];
		state = state >> 4 ^ after[state & 15];
		state = state >> 4 ^ after[state & 15];
	}
	return state;
}
