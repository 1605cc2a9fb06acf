/* Checks the buffers of system calls. A system call that accesses protected memory does not fault,
 * but fails with EFAULT. So the library has its own versions of those functions of the C library
 * that pass the program's buffers to system calls. Each version first checks the buffer, in the
 * same way as guard.c checks a load or store, and then calls the original function.
 *
 * These versions get the names of the original functions when the library is linked (rules.mk). */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "gpu/cudart/order/guard.h"

#define WRAP(type, name, parameters, arguments, memory, size, writes)                              \
    type rt_io_##name parameters;                                                                  \
    type rt_io_##name parameters                                                                   \
    {                                                                                              \
        static type(*real) parameters;                                                             \
        if (!real)                                                                                 \
            real = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
        if (guard_protected)                                                                       \
            guard_touch(memory, size, writes);                                                     \
        return real arguments;                                                                     \
    }

WRAP(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size), to, size, true)
WRAP(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size), from, size, false)
WRAP(ssize_t, pread, (int fd, void *to, size_t size, off_t at), (fd, to, size, at), to, size, true)
WRAP(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at), from,
     size, false)
WRAP(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags), to, size,
     true)
WRAP(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags),
     from, size, false)
WRAP(size_t, fread, (void *to, size_t size, size_t count, FILE *file), (to, size, count, file), to,
     size *count, true)
WRAP(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file),
     (from, size, count, file), from, size *count, false)

ssize_t rt_io_writev(int fd, const struct iovec *parts, int count);
ssize_t rt_io_writev(int fd, const struct iovec *parts, int count)
{
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real)
        real = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
    for (int i = 0; guard_protected && i < count; i++)
        guard_touch(parts[i].iov_base, parts[i].iov_len, false);
    return real(fd, parts, count);
}
