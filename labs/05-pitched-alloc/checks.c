/* Lab 05: rows that begin where a line begins.
 *
 * The figures are lines, sectors, and requests to the runtime, all counted by the emulator. Run
 * time does not show the effect, because the rest of a line is still in the cache when another warp
 * needs it: on an H200, the naive program and the solution are equally fast, within 4 %
 * (grader/tests/hardware/calibration.tsv).
 *
 * The figures are totals for 32 sums, so useless accesses can only make them worse. A request
 * touches excess lines if its neighbouring addresses are in more lines than their bytes could fill.
 * This depends on where rows begin, not on the number of active lanes. */
#include "checks/check.h"

#include <math.h>

LAB(.title = "Rows that begin at a multiple of 128 bytes", .file = "pitched_alloc.cu",
    .needs = {"02-coalesce"},
    .hints = {
        "A row of 1,001 floats has 4,004 bytes, and a line of memory has 128. At which byte of a line does row 1 begin, and row 2? How far apart must rows be so that each begins at the first byte of a line?",
        "Each call takes two lengths in bytes: the width is how much of each row is copied, and the pitch is the distance to the next row. For the host's numbers the two are equal, since there is nothing between the rows. For the matrix on the GPU they differ.",
        "TODO 1: (float *)((char *)matrix.first + y * matrix.pitch). TODO 2, with bytes = matrix.width * sizeof(float): cudaMemcpy2D(matrix.first, matrix.pitch, numbers, bytes, bytes, matrix.height, cudaMemcpyHostToDevice). TODO 3: cudaMemset2D(matrix.first, matrix.pitch, 0, bytes, matrix.height). TODO 4: cudaMallocPitch(&matrix.first, &matrix.pitch, width * sizeof(float), height)."});

#define LARGEST 1000 /* sums of whole numbers up to this are exact in any order */

/* Returns the right answer: the exact sums. */
static double *sums_of(struct check *check, const float *data, int width, int height)
{
    double *sums = check_memory(check, (size_t)width * (size_t)height, sizeof *sums);
    for (int i = width; i < width * (height - 1); ++i)
        sums[i] = (double)data[i - width] + (double)data[i] + (double)data[i + width];
    return sums;
}

/* Runs the submission on a matrix of random numbers and judges the sums. */
static const struct run *add_up(struct check *check, int width, int height)
{
    size_t count = (size_t)width * (size_t)height;
    const float *data = check_random_wholes(check, count, -LARGEST, LARGEST);
    struct case_data *input =
        check_case(check, "%s of %s", check_count(height, "row"), check_count(width, "number"));
    check_add_ints(input, {"width", width}, {"height", height});
    case_add(input, "data", CASE_FLOAT, data, count);
    const struct run *run = check_run(check, input);
    struct check_matrix want = {height, width, .values = sums_of(check, data, width, height)};
    check_within(check, run, "sums", &want);
    check_comes_from(check, run, "sums", height > 2 ? count * sizeof(float) : 0);
    return run;
}

CHECK(
    correct, .title = "right sums for rows of 1,001 and 8,191 numbers", .points = 10,
    .hint =
        "The kernel, the copies and clear() must agree where a row begins: y * pitch bytes after row 0. If only the first or the last row is wrong, look at clear().")
{
    add_up(check, 1001, 50);
    add_up(check, 8191, 20);
}

CHECK(
    ragged, .title = "right sums for any width and height", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise a size is the problem: is a fixed number used anywhere instead of width, height or pitch?")
{
    add_up(check, 1, 1);
    add_up(check, 1, 40);
    add_up(check, 700, 1);
    add_up(check, 33, 2);
    add_up(check, 128, 64);
    int height = check_random_int(check, 3, 100), width = check_random_int(check, 2, 500);
    add_up(check, width, height);
}

CHECK(sound, .title = "right every time, not by luck", .points = 5, .where = CHECK_COUNTS,
      .watched = true, .hint = "First make the sums right: see the checks above.")
{
    add_up(check, 1001, 50);
}

#define ROWS 300
/* The costs that check_costs() does not limit. One warp may work on a whole row, and a separate
 * check judges the sectors of the kernels. */
#define OF_KERNELS (1 << CHECK_PATH | 1 << CHECK_IDLE | 1 << CHECK_READS | 1 << CHECK_WRITES)

#define FEW_BYTES  64 /* a flag or a counter outside of the rows is harmless */

/* Returns the number of bytes that the kernels access outside of the rows that the runtime
 * allocated. */
static double outside_rows(const struct run *run)
{
    return check_counter(run, "rows_outside_bytes");
}

/* Fails the check if the kernels work in memory of the host: then WHAT is only for show. */
static void refuse_host_memory(struct check *check, const struct run *run, const char *what)
{
    if (outside_rows(run) > FEW_BYTES && check_requests(run, "lend") > 0)
        check_refuse(check, run, "Allocate the matrices with cudaMallocPitch().",
                     "your kernels use memory of the host, so %s", what);
}

/* A program must not be right for the widths in titles only. This width is not a multiple of 8, so
 * rows without a pitch do not begin where sectors begin. */
static int random_width(struct check *check)
{
    return 8 * check_random_int(check, 40, 200) + check_random_int(check, 1, 7);
}

/* Returns the number of calls that copy the matrix. Fails the check if they are not those that the
 * lab asks for. */
static double copies_of(struct check *check, const struct run *run)
{
    unsigned long pitched = check_requests(run, "write_rows read_rows");
    /* any copy except cudaMemcpy2D() counts as one row */
    unsigned long single = check_requests(run, "write read copy copy_rows");
    if (check_rows(run, "write_rows read_rows") + single < 2 * ROWS)
        check_refuse(check, run, "TODO 2: call cudaMemcpy2D() instead of cudaMemcpy().",
                     "cudaMemcpy2D() does not copy all rows of your program's matrix");
    else if (pitched > 0 && single > 0)
        check_refuse(
            check, run,
            "TODO 2: change copy_to() and copy_from() so that both call cudaMemcpy2D() alone.",
            "your program still calls %s()",
            check_other_call(run, "Memcpy", "cudaMemcpy2D", "cudaMemcpy"));
    refuse_host_memory(check, run, "cudaMemcpy2D() copies nothing that they use");
    return (double)(pitched + single);
}

CHECK(
    copies, .title = "one cudaMemcpy2D() in each direction", .points = 15, .where = CHECK_COUNTS,
    .rows = true,
    .figure = {.text = "the program makes %s calls to copy 300 rows to the GPU and 300 rows back",
               .want = "%s",
               .budget = {.naive = 2 * ROWS, .solution = 2, .slack = 1},
               .judges = OF_KERNELS},
    .hint =
        "cudaMemcpy2D() takes a pitch for each side and copies all rows in one call, without a loop. Use it in copy_to() and in copy_from().")
{
    double elsewhere = copies_of(check, add_up(check, random_width(check), ROWS));
    const struct run *run = add_up(check, 1001, ROWS);
    check_measure(check, run, fmax(copies_of(check, run), elsewhere));
}

CHECK(
    clear, .title = "cudaMemset2D() clears the sums", .points = 10, .where = CHECK_COUNTS,
    .rows = true,
    .hint =
        "TODO 3: the arguments of cudaMemset2D() are the pointer, the pitch, the value, the bytes of a row and the number of rows.")
{
    int width = random_width(check);
    const struct run *run = add_up(check, width, 20);
    check_called(check, run, "cudaMemset2D", "set_rows", 1,
                 2); /* one call for each of the two edges is enough */
    unsigned long rows = check_rows(run, "set_rows");
    /* Two calls of cudaMemset2D(), each for one row, are right if they clear the two edges. They
     * are wrong if each clears a whole matrix as one long row. */
    if (rows < 2 || (rows == 2 && outside_rows(run) > 0))
        check_refuse(check, run,
                     "TODO 3: pass cudaMemset2D() the bytes of a row and the number of rows.",
                     "your program clears the matrix as if it were one long row");
    refuse_host_memory(check, run, "cudaMemset2D() is not needed to clear it");
    /* if there are only two rows, the kernel has no sums to store */
    if (check_counter(add_up(check, width, 2), "global_store_sectors") > 0)
        check_refuse(
            check, run, "Let cudaMemset2D() store the zeros, and the kernel the sums.",
            "your kernel stores the first and the last row, so cudaMemset2D() need not clear them");
    if (check_requests(run, "set") > 0)
        check_refuse(check, run, "TODO 3: clear the matrix by cudaMemset2D() alone.",
                     "your program still calls %s()",
                     check_other_call(run, "Memset", "cudaMemset2D", "cudaMemset"));
}

/* Checks that the kernels work in the rows that cudaMallocPitch() made, with the right pitch. */
static void uses_rows(struct check *check, const struct run *run)
{
    const char *hint =
        "TODO 4: allocate both matrices with cudaMallocPitch(), and use the pitch that it stores in all code.";
    if (outside_rows(run) > FEW_BYTES)
        check_refuse(
            check, run, hint,
            "your kernels access %s bytes that are not in rows allocated by cudaMallocPitch()",
            check_number(outside_rows(run)));
    if (check_counter(run, "rows_gap_bytes") > 0)
        check_refuse(
            check, run, hint,
            "your kernels access the padding between rows, so they do not use the pitch that cudaMallocPitch() stored");
}

CHECK(
    pitch, .title = "cudaMallocPitch() allocates both matrices", .points = 10,
    .where = CHECK_COUNTS, .rows = true,
    .hint =
        "TODO 4: cudaMallocPitch() stores the pitch in matrix.pitch, and all other code must use it.")
{
    const struct run *run = add_up(check, 1001, 20);
    check_called(check, run, "cudaMallocPitch", "alloc_rows", 2, 2);
    check_show_line(check, "cudaMalloc(");
    if (check_rows(run, "alloc_rows") < 2 * 20)
        check_refuse(check, run,
                     "TODO 4: pass cudaMallocPitch() the bytes of a row and the number of rows.",
                     "your program asks cudaMallocPitch() for fewer than 20 rows");
    uses_rows(check, run);
    uses_rows(check, add_up(check, random_width(check), 16));
    check_is_counted(check, run);
}

/* Measures COUNTER for 32 sums: the counter divided by the number of sums, times 32. The matrix has
 * HEIGHT rows of WIDTH numbers. At other widths, good programs may differ: the compiler can unroll
 * a loop over a row so that the lanes of a warp work far apart. */
static void measure_excess(struct check *check, int width, int height, const char *counter)
{
    const struct run *run = add_up(check, width, height);
    check_measure(check, run, 32 * check_counter(run, counter) / width / (height - 2));
    uses_rows(check, run);
    uses_rows(check, add_up(check, random_width(check), 16));
    double requests = check_counter(run, "global_load_requests global_store_requests");
    requests *= 32.0 / width / (height - 2);
    if (requests > 6)
        check_refuse(check, run, "Let 32 neighbouring threads read and write at the same time.",
                     "for 32 sums, warps make %.1f requests; four are enough", requests);
    check_uses_neighbours(check, run,
                          "Neighbouring threads must work on neighbouring numbers of a row.");
    check_is_shared(check, run, check_sectors_read(run), 8, "Share the rows among more warps.");
}

#define EXCESS(width, piece, name, naive_excess)                                                   \
    {                                                                                              \
        .text = "for 32 sums in rows of " width ", warps touch %s more " piece " than they need",  \
        .want = "%s", .counter = name, .judges = 1 << CHECK_PATH, .budget = {                      \
            .naive = naive_excess,                                                                 \
            .solution = 0,                                                                         \
            .slack = 1                                                                             \
        }                                                                                          \
    }

CHECK(
    lines, .title = "warps touch no more lines than they need", .points = 25, .where = CHECK_COUNTS,
    .rows = true, .figure = EXCESS("1,001", "lines of 128 bytes", "rows_lines_excess", 3.86),
    .hint =
        "Most rows begin in the middle of a line of 128 bytes. Which TODO moves them to the beginning of a line? If all TODOs are done, let neighbouring threads work on neighbouring numbers of a row, and let the first of these threads begin at the beginning of a line.")
{
    measure_excess(check, 1001, 200, "rows_lines_excess");
}

CHECK(sectors, .title = "warps touch no more sectors than they need", .points = 15,
      .where = CHECK_COUNTS, .rows = true,
      .figure = EXCESS("8,191", "sectors of 32 bytes", "rows_sectors_excess", 3.48),
      .hint = "Most rows also begin in the middle of a sector. See the check above.")
{
    measure_excess(check, 8191, 50, "rows_sectors_excess");
}
