/* The lab that the attacks submit to. Each row of attacks.def has a check. All checks expect the
 * same sum. */
#include "checks/check.h"

LAB(.title = "A lab under attack", .file = "attacks.cu");

#define LARGEST 100

/* Calls every function with which a check can require something of a submission. */
static void face(struct check *check, int attack)
{
    int n = check_random_int(check, 4000, 6000);
    const int *data = check_random_ints(check, (size_t)n, -LARGEST, LARGEST);
    struct case_data *input = check_case(check, "attack %d", attack);
    uint64_t sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (uint64_t)(data[i] * data[i]);
    case_add(input, "attack", CASE_INT, &attack, 1);
    case_add(input, "n", CASE_INT, &n, 1);
    case_add(input, "data", CASE_INT, data, (size_t)n);
    const struct run *run = check_run(check, input);
    check_equal_u64(check, run, "sum", sum);
    check_made_by_kernels(check, run, "sum");
    check_has_read(check, run, (uint64_t)n * sizeof(int));
    check_called(check, run, "cudaMallocPitch", "alloc_rows", 0, 0);
}

#define RUN(number, name, ...)                                                                     \
    CHECK(name, .title = #name, .points = 1, .watched = true, .hint = "-")                         \
    {                                                                                              \
        face(check, number);                                                                       \
    }
#define FILE(...)
#include "tests/attacks/attacks.def"
