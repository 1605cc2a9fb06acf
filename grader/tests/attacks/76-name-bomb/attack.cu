// Has a kernel whose short mangled name expands to a huge one: each part is twice as long as the one before.
#include "tests/attacks/speak.h"

ATTACK(76)
{
    char name[1200] = "_Z1aI", ptx[4000];
    size_t used = strlen(name);
    used += (size_t)sprintf(name + used, "1bIiiE");
    const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int i = 0; i < 30; ++i)
        used += (size_t)sprintf(name + used, "S_IS%c_S%c_E", digits[i], digits[i]);
    sprintf(name + used, "Evv");
    int size = sprintf(
        ptx, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry %s() { ret; }\n",
        name);
    struct wire_head loaded = speak(WIRE_CALL_load, {}, ptx, (uint32_t)size + 1);
    struct wire_head kernel =
        speak(WIRE_CALL_kernel, {loaded.arg[0]}, name, (uint32_t)strlen(name));
    struct emu_launch launch = {};
    launch.kernel = (uint32_t)kernel.arg[0];
    for (int i = 0; i < 3; ++i)
        launch.grid[i] = launch.block[i] = 1;
    speak(WIRE_CALL_launch, {}, &launch, sizeof launch);
    return honest(stage);
}
