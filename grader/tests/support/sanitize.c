/* Checks for leaks only in the processes that run the tests, one process per test. Criterion
 * 2.4.1 itself leaks 48 bytes in the process that starts them when a test has parameters. */
#include <stdlib.h>

/* LeakSanitizer calls this when a process ends. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return getenv("BXFI_MAP") == NULL; /* Criterion sets it for the processes that run tests */
}
