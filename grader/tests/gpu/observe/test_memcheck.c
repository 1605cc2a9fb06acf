/* memcheck, on programs that misuse memory and on the same programs done right; and its
 * messages. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/marks.h"
#include "tests/support/shell.h"

TestSuite(memcheck, .init = shell_init, .fini = shell_fini, .timeout = 600);

Test(memcheck, kernels_and_calls)
{
    marks_check("memory_defects", "memcheck", 24);
}

/* Without debug information there are no lines of the host; the findings are the same. */
Test(memcheck, does_without_debug_information)
{
    char *text = shell_must("strip --strip-debug -o stripped $PROGRAMS/memory_defects && "
                            "{ $LANEWISE run ./stripped 2>&1; true; }");
    cr_expect(
        strstr(text, "lanewise: error: these 4000 bytes have already been freed [double-free]"),
        "%s", text);
    cr_expect(!strstr(text, "allocated here"));
    free(text);
}

/* A note, at the line that allocates; the exit code stays the program's. */
Test(memcheck, tells_of_leaks_at_the_end)
{
    char *text = shell_must(
        "printf 'int main()\\n{\\n  for (int i = 0; i < 3; i++) {\\n    float *a, *b;\\n"
        "    cudaMalloc(&a, 1000);\\n    cudaMalloc(&b, 10);\\n    cudaFree(b);\\n  }\\n"
        "  cudaArray_t image, other;\\n  cudaChannelFormatDesc d = "
        "cudaCreateChannelDesc<float>();\\n"
        "  cudaMallocArray(&image, &d, 10, 5);\\n  cudaMallocArray(&other, &d, 10, 5);\\n"
        "  cudaFreeArray(other);\\n}\\n' "
        ">leak.cu; $NVCC -cudart shared -g -L$LIB -o leak leak.cu && "
        "$LANEWISE run --sarif leak.sarif ./leak 2>&1");
    cr_expect(strstr(text, "leak.cu:5: note: 3000 bytes are never freed [leak], 3 times\n"), "%s",
              text);
    cr_expect(strstr(text, "leak.cu:11: note: 200 bytes are never freed [leak]\n"), "%s", text);
    cr_expect(!strstr(text, ":6:") && !strstr(text, ":12:"), "%s", text);
    free(text);
    text = shell_file("leak.sarif", NULL);
    cr_expect(strstr(text, "\"level\": \"note\""), "%s", text);
    free(text);
}
