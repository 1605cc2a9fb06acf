/* Leaks are looked for where tests run: each in a process of its own. In the process that starts them,
 * Criterion 2.4.1 forgets 48 bytes of its own when a test has parameters. */
#include <stdlib.h>

/* LeakSanitizer asks this when a process ends. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return getenv("BXFI_MAP") == NULL; /* Criterion sets it for the processes that run tests */
}
