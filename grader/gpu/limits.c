/* Looks up values in the table of limits, limits.def. */
#include "gpu/limits.h"

#include <stddef.h>

static const struct emu_limits table[] = {
#define SPLITS(...)                                                                                \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define CC(capability, generation, ...) {capability, #generation, __VA_ARGS__},
#include "gpu/limits.def"
};

static const struct {
    size_t at;
    const char *meaning;
} fields[] = {
#define F(field, meaning) {offsetof(struct emu_limits, field), meaning},
#include "gpu/limits.def"
};

static const struct {
    uint32_t capability;
    const char *name;
} features[] = {
#define FEATURE(capability, name) {capability, name},
#include "gpu/limits.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const struct emu_limits *emu_limits_at(uint32_t index)
{
    return index < COUNT(table) ? &table[index] : NULL;
}

const struct emu_limits *emu_limits(uint32_t capability)
{
    for (size_t i = 0; i < COUNT(table); i++)
        if (table[i].capability == capability)
            return &table[i];
    return NULL;
}

const char *emu_limits_field(const struct emu_limits *limits, uint32_t index, uint32_t *value)
{
    if (index >= COUNT(fields))
        return NULL;
    if (value)
        *value = *(const uint32_t *)((const char *)limits + fields[index].at);
    return fields[index].meaning;
}

const char *emu_limits_feature(uint32_t index, uint32_t *capability)
{
    if (index >= COUNT(features))
        return NULL;
    *capability = features[index].capability;
    return features[index].name;
}

uint32_t emu_limits_split(const struct emu_limits *limits, uint64_t bytes)
{
    uint32_t split = 0;
    for (int i = 0; i < EMU_SPLITS && (i == 0 || limits->splits[i]); i++) {
        split = limits->splits[i] << 10;
        if (split >= bytes)
            break;
    }
    return split;
}
