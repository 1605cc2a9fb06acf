#include "gpu/tools.h"

#include <string.h>

bool emu_find_tools(const char *list, unsigned *tools)
{
    static const struct {
        const char *name;
        enum emu_tool tool;
    } known[] = {{"memcheck", EMU_MEMCHECK},
                 {"synccheck", EMU_SYNCCHECK},
                 {"racecheck", EMU_RACECHECK},
                 {"initcheck", EMU_INITCHECK},
                 {"origins", EMU_ORIGINS},
                 {"counters", EMU_COUNTERS},
                 {"none", EMU_ONLY}};
    unsigned found = 0;
    for (;; list++) {
        size_t length = strcspn(list, ","), i = 0, count = sizeof known / sizeof *known;
        while (i < count &&
               (strlen(known[i].name) != length || strncmp(known[i].name, list, length) != 0))
            i++;
        if (i == count)
            return false;
        found |= known[i].tool;
        list += length;
        if (!*list)
            break;
    }
    *tools = found;
    return true;
}
