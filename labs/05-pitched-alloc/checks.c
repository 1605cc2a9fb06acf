/* Lab 05: rows that begin where a line begins.
 *
 * The figures are lines, sectors, and requests to the runtime, all counted by the emulator. In time
 * the lesson does not show: on an H200 the pitched program is as fast as the other, within 4 %
 * (grader/tests/hardware/calibration.tsv), since the part of a line that one warp does not use,
 * another warp finds in the cache.
 *
 * A count is compared with the lines or sectors that the requested bytes could fill at best,
 * whatever the width of the reads: 32 numbers are 128 bytes, at best one line and 4 sectors. */
#include "checks/check.h"

#include <stdio.h>

LAB(.title = "Every row begins where a line begins", .file = "pitched_alloc.cu",
    .needs = {"02-coalesce"},
    .hints = {
        "With 1,001 floats a row is 4,004 bytes. In which byte of its line does row 1 begin, and row 2? What must be true of the distance from row to row if all rows are to begin with a line?",
        "Each call takes two lengths, both in bytes: the width is the part of each row that is copied, the pitch is the distance to the next row. They are equal for the host's numbers, whose rows lie end to end, and differ for the matrix on the GPU.",
        "TODO 1: (float *)((char *)matrix.first + y * matrix.pitch). TODO 2, with bytes = matrix.width * sizeof(float): cudaMemcpy2D(matrix.first, matrix.pitch, numbers, bytes, bytes, matrix.height, cudaMemcpyHostToDevice). TODO 3: cudaMemset2D(matrix.first, matrix.pitch, 0, bytes, matrix.height). TODO 4: cudaMallocPitch(&matrix.first, &matrix.pitch, width * sizeof(float), height)."});

#define LARGEST 1000 /* sums of whole numbers this small are exact, in any order */

/* The reference: exact. */
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
    float *data = check_memory(check, count, sizeof *data);
    for (size_t i = 0; i < count; ++i)
        data[i] = (float)check_random_int(check, -LARGEST, LARGEST);
    struct case_data *input =
        check_case(check, "%s rows of %s numbers", check_number(height), check_number(width));
    case_add(input, "width", CASE_INT, &width, 1);
    case_add(input, "height", CASE_INT, &height, 1);
    case_add(input, "data", CASE_FLOAT, data, count);
    const struct run *run = check_run(check, input);
    struct check_matrix want = {height, width, .values = sums_of(check, data, width, height)};
    check_within(check, run, "sums", &want);
    check_made_by_kernels(check, run, "sums");
    if (height > 2)
        check_has_read(check, run, count * sizeof(float));
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
        "If the check above failed, too, fix that first. Otherwise a size is the problem: is there a number anywhere in place of width, height or pitch?")
{
    add_up(check, 1, 1);
    add_up(check, 1, 40);
    add_up(check, 700, 1);
    add_up(check, 33, 2);
    add_up(check, 128, 64);
    add_up(check, check_random_int(check, 2, 500), check_random_int(check, 3, 100));
}

CHECK(sound, .title = "right every time, not by luck", .points = 5, .where = CHECK_COUNTS,
      .watched = true, .hint = "The right sums come first: see the checks above.")
{
    add_up(check, 1001, 50);
}

#define ROWS 300

CHECK(
    copies, .title = "one cudaMemcpy2D() each way", .points = 15, .where = CHECK_COUNTS,
    .figure = {.text = "copying a matrix of 300 rows to the GPU and one back takes %s calls",
               .want = "%s",
               .budget = {.naive = 2 * ROWS, .solution = 2, .slack = 1}},
    .hint =
        "cudaMemcpy2D() takes a pitch for either side and copies all rows in one call: there is no loop around it. Both copy_to() and copy_from() need it.")
{
    const struct run *run = add_up(check, 1001, ROWS);
    unsigned long pitched = check_requests(run, "write_rows read_rows");
    /* a copy without rows is one row */
    unsigned long single = check_requests(run, "write read copy copy_rows");
    if (check_rows(run, "write_rows read_rows") + single < 2 * ROWS)
        check_refuse(check, run, "TODO 2: it replaces cudaMemcpy().",
                     "your program does not copy all rows with cudaMemcpy2D()");
    else if (pitched > 0 && single > 0)
        check_refuse(check, run, "TODO 2 concerns two functions: copy_to() and copy_from().",
                     "your program still calls %s(), too",
                     check_other_call(run, "Memcpy", "cudaMemcpy2D", "cudaMemcpy"));
    check_measure(check, run, (double)(pitched + single));
}

CHECK(clear, .title = "cudaMemset2D() clears the sums", .points = 10, .where = CHECK_COUNTS,
      .hint = "TODO 3. cudaMemset2D() takes where, pitch, value, bytes of a row, rows.")
{
    const struct run *run = add_up(check, 1001, 20);
    check_called(check, run, "cudaMemset2D", "set_rows", 1, 2); /* the edges alone would do */
    if (check_rows(run, "set_rows") < 2)
        check_refuse(check, run, "TODO 3: it takes the bytes of a row, and the number of rows.",
                     "your program clears the matrix as one row");
    if (check_requests(run, "set") > 0)
        check_refuse(check, run, "TODO 3: cudaMemset2D() replaces it.",
                     "your program still calls %s(), too",
                     check_other_call(run, "Memset", "cudaMemset2D", "cudaMemset"));
}

CHECK(
    pitch, .title = "cudaMallocPitch() makes both matrices", .points = 10, .where = CHECK_COUNTS,
    .hint =
        "TODO 4. cudaMallocPitch() stores the pitch in matrix.pitch, and all other code must use it.")
{
    const struct run *run = add_up(check, 1001, 20);
    check_called(check, run, "cudaMallocPitch", "alloc_rows", 2, 2);
    if (check_rows(run, "alloc_rows") < 2 * 20)
        check_refuse(check, run, "TODO 4: it takes the bytes of a row, and the number of rows.",
                     "your program does not ask cudaMallocPitch() for all 20 rows");
    if (check_requests(run, "alloc lend") > 0)
        check_refuse(check, run, "TODO 4: cudaMallocPitch() replaces it.",
                     "your program still calls %s(), too",
                     check_other_call(run, "Malloc", "cudaMallocPitch", "cudaMalloc"));
}

/* PIECES ("lines", "sectors", "sectors_ideal") that the kernels touch: by reads, or by stores,
 * atomics and reductions. */
static double touched(const struct run *run, bool reads, const char *pieces)
{
    static const char *const access[] = {"load", "store", "atomic", "reduction"};
    double sum = 0;
    for (size_t i = reads ? 0 : 1; i < (reads ? 1 : sizeof access / sizeof *access); ++i) {
        char name[60];
        snprintf(name, sizeof name, "global_%s_%s", access[i], pieces);
        sum += check_counter(run, name);
    }
    return sum;
}

/* How many PIECES the kernels touch for 32 numbers, that is, for each 4 sectors that could hold the
 * requested bytes. A sum takes up to three reads and one write. More accesses could only improve
 * the figure: well placed ones, for show. */
static double for_32(struct check *check, const struct run *run, bool reads, const char *pieces,
                     double sums)
{
    double ideal = touched(run, reads, "sectors_ideal"), needed = (reads ? 3 : 1) * sums / 8;
    if (ideal > (reads ? 1.5 : 1.1) * needed)
        check_refuse(check, run, "A sum takes three reads and one write.",
                     "the kernels ask to %s %s bytes, where the sums take %s",
                     reads ? "read" : "write", check_number(ideal * 32), check_number(needed * 32));
    return ideal > 0 ? 4 * touched(run, reads, pieces) / ideal : 0;
}

/* The worse of reads and writes counts. A kernel that keeps what it has read needs fewer than three
 * reads, and could fill up with well placed ones. */
static void measure_touched(struct check *check, const struct run *run, const char *pieces,
                            int width, int height)
{
    double sums = (double)width * (height - 2);
    double reads = for_32(check, run, true, pieces, sums);
    double writes = for_32(check, run, false, pieces, sums);
    check_measure(check, run, reads > writes ? reads : writes);
}

/* The last hint: when the compiler unrolls a loop, lanes with different numbers of rounds diverge. */
#define ROW_HINT(piece)                                                                            \
    "Most rows begin within a " piece                                                              \
    ". Which of the TODOs makes each row begin with one? If all are done: do the 32 threads of a " \
    "warp read side by side in every step, with an if in the loop where a row ends?"

CHECK(lines, .title = "32 neighbours fill one line", .points = 25, .where = CHECK_COUNTS,
      .figure = {.text = "32 neighbouring numbers in rows of 1,001 touch %s lines of 128 bytes",
                 .want = "at most %s",
                 .counter = "global_load_lines",
                 /* a kernel that reads float4 reads a row's last number by itself */
                 .budget = {.naive = 1.98, .solution = 1.01, .slack = 1.05}},
      .hint = ROW_HINT("line"))
{
    const struct run *run = add_up(check, 1001, 200);
    measure_touched(check, run, "lines", 1001, 200);
}

CHECK(sectors, .title = "32 neighbours fill 4 sectors", .points = 15, .where = CHECK_COUNTS,
      .figure = {.text = "32 neighbouring numbers in rows of 8,191 touch %s sectors of 32 bytes",
                 .want = "at most %s",
                 .counter = "global_load_sectors",
                 .budget = {.naive = 4.87, .solution = 4, .slack = 1.02}},
      .hint = ROW_HINT("sector"))
{
    const struct run *run = add_up(check, 8191, 50);
    measure_touched(check, run, "sectors", 8191, 50);
}
