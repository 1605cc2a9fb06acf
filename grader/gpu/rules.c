#include "gpu/rules.h"

#include <string.h>

static const char *const names[] = {
    [EMU_SECTOR] = "sector", [EMU_GT200] = "gt200", [EMU_G80] = "g80"};

bool emu_find_rules(const char *name, enum emu_rules *rules)
{
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *rules = (enum emu_rules)i;
            return true;
        }
    return false;
}

const char *emu_rules_name(enum emu_rules rules)
{
    return names[rules];
}
