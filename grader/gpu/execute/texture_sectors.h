/* The set of distinct sectors of 32 bytes that a warp's lanes touch in one request to a texture or
 * surface. */
#ifndef GPU_EXECUTE_TEXTURE_SECTORS_H
#define GPU_EXECUTE_TEXTURE_SECTORS_H

#include <stdint.h>

#include "gpu/lanes.h"

/* Number of entries of the hash table. It is a power of two and larger than any request needs: 32
 * lanes read 8 texels in each of 2 levels, and a texel can span 2 sectors. */
#define TEXTURE_SECTORS 2048u

#define TEXTURE_SECTOR  32u /* bytes */

struct texture_sectors {
    uint32_t request, count;
    struct {
        uint64_t sector;
        uint32_t request;    /* the entry is empty if this is not the current request */
    } seen[TEXTURE_SECTORS]; /* a hash table; after a collision, the following entries are used */
};

static inline void texture_sectors_begin(struct texture_sectors *sectors)
{
    sectors->request++;
    sectors->count = 0;
}

static inline void texture_sectors_add(struct texture_sectors *sectors, uint64_t sector)
{
    uint32_t i = (uint32_t)(sector * 0x9e3779b97f4a7c15u >> 32) % TEXTURE_SECTORS;
    while (sectors->seen[i].request == sectors->request) {
        if (sectors->seen[i].sector == sector)
            return;
        i = (i + 1) % TEXTURE_SECTORS;
    }
    sectors->seen[i].sector = sector;
    sectors->seen[i].request = sectors->request;
    sectors->count++;
}

/* Adds to the set the sectors of the BYTES bytes at ADDR. */
static inline void texture_sectors_touch(struct texture_sectors *sectors, uint64_t addr,
                                         uint64_t bytes)
{
    uint64_t last = (addr + bytes - 1) / TEXTURE_SECTOR;
    for (uint64_t sector = addr / TEXTURE_SECTOR; sector <= last; sector++)
        texture_sectors_add(sectors, sector);
}

#endif
