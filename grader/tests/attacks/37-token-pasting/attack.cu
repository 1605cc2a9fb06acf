// No search through the text would find this call.
#define PASTE(a, b) a##b
#define HIDDEN(b)   PASTE(cu##da, b)

ATTACK(37)
{
    int *data;
    size_t pitch;
    HIDDEN(MallocPitch)(&data, &pitch, sizeof *data, stage->n);
    return honest(stage);
}
