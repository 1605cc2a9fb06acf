/* Fuzz target: arbitrary bytes as the requests of a program to its device's server. The server may
 * answer or close the connection. It must not crash, leak, hang, or exceed its memory limit.
 *
 * A twin is a second device that runs the same requests with other data (gpu/remote/). The server
 * compares what the program reads from both. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/remote/server.h"
#include "tests/fuzz/budget.h"

#define SECONDS 2
#define VIEWED  ((size_t)2048) /* number of bytes of the requests that also are the shown input */

/* Reads the replies and discards them, so that the server can continue. */
static void *drain(void *end)
{
    char bytes[65536];
    while (recv(*(int *)end, bytes, sizeof bytes, 0) > 0)
        ;
    return NULL;
}

/* Makes a memory file that holds SIZE bytes of DATA, each XORed with MASK. PATH gets its name. */
static int make_view(const uint8_t *data, size_t size, uint8_t mask, char path[32])
{
    uint8_t bytes[VIEWED];
    int fd = memfd_create("view", MFD_CLOEXEC);
    for (size_t i = 0; i < size; i++)
        bytes[i] = data[i] ^ mask;
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, 32, "/proc/self/fd/%d", fd);
    return fd;
}

static void serve(const uint8_t *data, size_t size)
{
    size_t viewed = size % 3 != 2 ? 0 : size < VIEWED ? size : VIEWED;
    char shown[32], judged[32];
    int views[] = {make_view(data, viewed, 0, shown), make_view(data, viewed, 0xff, judged)};
    /* A twin reads all lent memory at each call, so the device is small. */
    struct emu_options options = {.deterministic = true,
                                  .max_warp_instructions = 2000,
                                  .memory_bytes = 4 << 20,
                                  .record_fd = -1};
    int ends[2];
    pthread_t drainer;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        abort();
    if (send(ends[0], data, size, MSG_DONTWAIT) != (ssize_t)size ||
        shutdown(ends[0], SHUT_WR) != 0 || pthread_create(&drainer, NULL, drain, &ends[0]) != 0)
        abort();
    /* A third of the inputs are for a device without a twin, a third for each of the two kinds of
     * twins. */
    const struct twin_options twins[] = {
        {.answers_fd = -1},
        {.answers_fd = -1, .spoil = 1, .every = 2},
        {.answers_fd = -1, .shown = shown, .judged = judged},
    };
    server_run(ends[1], &options, &twins[size % 3]);
    close(ends[1]);
    pthread_join(drainer, NULL);
    close(ends[0]);
    close(views[0]);
    close(views[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    budget(SECONDS);
    serve(data, size);
    budget(0);
    return 0;
}
