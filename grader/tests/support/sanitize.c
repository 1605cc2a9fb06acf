/* Each test runs in its own process, and only these processes are checked for leaks. The process
 * that starts them leaks 48 bytes inside Criterion 2.4.1 if a test has parameters. */
#include <stdlib.h>

/* LeakSanitizer calls this when a process ends. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return getenv("BXFI_MAP") == NULL; /* Criterion sets it in processes that run tests */
}
