// Opens a texture whose pitch and slice cancel out: its size seems small, but its second row can be
// anywhere in the device's process.
#include "tests/attacks/speak.h"

ATTACK(154)
{
    struct emu_texture wild = {};
    void *memory;
    CHECK_CUDA(cudaMalloc(&memory, 4096));
    wild.addr = (uint64_t)memory;
    wild.width = 8;
    wild.height = wild.depth = 2;
    wild.pitch = 1ull << 40;
    wild.slice = -wild.pitch;
    wild.channels = 1;
    wild.bits = 32;
    wild.kind = 'u';
    wild.is_surface = true;
    HELD_BACK(speak(WIRE_CALL_texture_open, {}, &wild, sizeof wild).what != EMU_OK);
    return honest(stage);
}
