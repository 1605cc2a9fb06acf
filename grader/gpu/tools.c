#include "gpu/tools.h"

#include <string.h>

bool emu_find_tools(const char *list, unsigned *tools)
{
    static const struct {
        const char *name;
        enum emu_tool tool;
    } known[] = {
#define T(tool, name, code, bits) {name, EMU_##tool},
#include "gpu/tools.def"
#undef T
        {"none", EMU_ONLY},
    };
    unsigned found = 0;
    for (;; list++) {
        size_t length = strcspn(list, ","), i = 0, count = sizeof known / sizeof *known;
        while (i < count && (!known[i].name || strlen(known[i].name) != length ||
                             strncmp(known[i].name, list, length) != 0))
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
