// Hides a call by token pasting, so that no text search finds it.
#define PASTE(a, b) a##b
#define HIDDEN(b)   PASTE(cu##da, b)

ATTACK(37)
{
    int *data;
    size_t pitch;
    HIDDEN(MallocPitch)(&data, &pitch, sizeof *data, stage->n);
    return honest(stage);
}
