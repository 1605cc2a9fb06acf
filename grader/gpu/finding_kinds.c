#include "gpu/finding_kinds.h"

#include <string.h>

const struct finding_kind emu_finding_kinds[] = {
#define F(id, tool, severity, example, title, help, text)                                          \
    {id, tool, severity, example, title, help, text},
#include "gpu/findings.def"
#undef F
};
const size_t emu_finding_kind_count = sizeof emu_finding_kinds / sizeof *emu_finding_kinds;

const struct finding_kind *emu_finding_kind(const char *id)
{
    for (size_t i = 0; i < emu_finding_kind_count; i++)
        if (strcmp(emu_finding_kinds[i].id, id) == 0)
            return &emu_finding_kinds[i];
    return NULL;
}
