// Fills the record with its own findings and calls, as many and as long as possible. It also reports calls
// that the check forbids, but that were never made.
#include "tests/attacks/speak.h"

ATTACK(74)
{
    const char row[] = "{\"id\":\"leak\",\"severity\":\"note\",\"file\":\"a.cu\",\"line\":%07d,"
                       "\"message\":\"\",\"count\":1}%s";
    static char text[WIRE_NOTE + 200];
    unsigned long long sum = honest(stage);
    for (int note = 0; note < 1100; ++note) {
        size_t used = (size_t)sprintf(text, "{\"findings\":[");
        for (int i = 0; used < WIRE_NOTE - 400; ++i)
            used += (size_t)sprintf(text + used, row, note * 1000 + i, ",");
        used += (size_t)sprintf(text + used, row, 0, "]}");
        speak(WIRE_CALL_note, {}, text, (uint32_t)used);
    }
    return sum;
}
