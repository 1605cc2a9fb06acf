/* Names the rules by which a warp's addresses are counted as memory traffic: the rules of today's
 * GPUs, or of one of two generations of old GPUs. The rules affect the counters, never a kernel's
 * results. */
#ifndef GPU_RULES_H
#define GPU_RULES_H

#include <stdbool.h>

enum emu_rules {
    EMU_SECTOR, /* today's GPUs: sectors of 32 bytes, 32 banks */
    EMU_GT200,  /* compute capability 1.2 and 1.3 (see observe/old_rules.h) */
    EMU_G80,    /* compute capability 1.0 and 1.1 */
};

/* the names of all rules, for messages */
#define EMU_RULES_NAMES "sector, gt200, g80"

/* Sets *RULES to the rules with name NAME. Returns false if the name is unknown. */
bool emu_find_rules(const char *name, enum emu_rules *rules);
const char *emu_rules_name(enum emu_rules rules);

#endif
