/* Tests the small edits that rules make near the lines of a finding, and their order. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/grade/edit_texts.h"

/* Returns SOURCE after EDIT, which the caller frees. */
static char *apply(const char *source, const struct small_edit *edit)
{
    char *text;
    cr_assert(
        asprintf(&text, "%.*s%s%s", (int)edit->begin, source, edit->text, source + edit->end) >= 0);
    return text;
}

/* Returns whether A and B are equal apart from white space. */
static bool is_equal(const char *a, const char *b)
{
    for (;; ++a, ++b) {
        a += strspn(a, " \n");
        b += strspn(b, " \n");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static const struct {
    const char *name, *source, *wanted;
} rules[] = {
    {"comparison", BODY("if (i < n) a = 0;"), BODY("if (i <= n) a = 0;")},
    {"index", BODY("a = b[i];"), BODY("a = b[i + 1];")},
    {"limit", BODY("if (i < n) a = 0;"), BODY("if (i < n - 1) a = 0;")},
    {"term", BODY("a = TILE;\nb = c;"), BODY("a = TILE;\nb = c - TILE;")},
    {"less", BODY("a = b[i + 1];"), BODY("a = b[i];")},
    {"number", BODY("a = 16;"), BODY("a = 32;")},
    {"rounded up", BODY("a = n / b;"), BODY("a = (n + b - 1) / b;")},
    {"product rounded up", BODY("a = x.y * n / b.x;"), BODY("a = (x.y * n + b.x - 1) / b.x;")},
    {"call rounded up", BODY("a = f(n, 1) / (b * c);"),
     BODY("a = (f(n, 1) + (b * c) - 1) / (b * c);")},
    {"arguments", BODY("f(a, b + 1);"), BODY("f(b + 1, a);")},
    {"indices", BODY("a = t[i][j + 1];"), BODY("a = t[j + 1][i];")},
    {"x and y", BODY("a = threadIdx.x * width + y;"), BODY("a = threadIdx.y * width + x;")},
    {"column", BODY("a = row * b + column;"), BODY("a = column * b + row;")},
    {"in the grid", BODY("a = threadIdx.x;"), BODY("a = (blockIdx.x * blockDim.x + threadIdx.x);")},
    {"in the block", BODY("a = blockIdx.x * blockDim.x + threadIdx.x;"), BODY("a = threadIdx.x;")},
    {"moved", BODY("a = 1;\nb = a;"), BODY("b = a;\na = 1;")},
    {"left out", BODY("a = 1;\nb = a;"), BODY("b = a;")},
    {"wide", BODY("int a = 0;\na += n;"), BODY("long long a = 0;\na += n;")},
    {"wide and unsigned", BODY("unsigned a = 0;\na += n;"),
     BODY("unsigned long long a = 0;\na += n;")},
    {"added", BODY("a = b[n];"), BODY("a += b[n];")},
    {"subtracted", BODY("a += b[n];"), BODY("a -= b[n];")},
    {"another variable", BODY("int p = 1, q = 2;\na[p] = 0;\nb = p;"),
     BODY("int p = 1, q = 2;\na[q] = 0;\nb = p;")},
    {"another pointer", BODY("float *p = b, *q = c;\na = p[0];\nb = p;"),
     BODY("float *p = b, *q = c;\na = q[0];\nb = p;")},
    {"a variable for a thread", BODY("int id = threadIdx.x + 1;\nint *p = a + threadIdx.x;"),
     BODY("int id = threadIdx.x + 1;\nint *p = a + id;")},
    {"another member", "struct s { int rows, pitch; };\n" BODY("a = p.rows * n;"),
     "struct s { int rows, pitch; };\n" BODY("a = p.pitch * n;")},
    {"argument", BODY("int *p = row(a, n);\np[0] = 1;"),
     BODY("int *p = row(a, n + 1);\np[0] = 1;")},
    {"factor", BODY("int *p = a + n;\np[3 * n] = 1;"), BODY("int *p = a + n * 3;\np[3 * n] = 1;")},
    {"brackets", BODY("a = b * f(c) - n;"), BODY("a = b * (f(c) - n);")},
    {"brackets before a factor", BODY("a = b + n % 4;"), BODY("a = (b + n) % 4;")},
    {"brackets around a whole sum", BODY("a = b * n + c / 4;"), BODY("a = (b * n + c) / 4;")},
    {"wider elements", BODY("unsigned s[8];\ns[n] = b;"),
     BODY("unsigned long long s[8];\ns[n] = b;")},
    {"no brackets", BODY("a = b * (c - n);"), BODY("a = b * c - n;")},
    {"saved too late", BODY("a = n;\nb = a;"), BODY("b = a;\na = n;")},
    {"lane", BODY("a = 1u << threadIdx.x;"), BODY("a = 1u << (threadIdx.x % 32);")},
    {"first of the warp", BODY("b = __any_sync(m, n);\nint t = threadIdx.x;\nif (t == 0) a = b;"),
     BODY("b = __any_sync(m, n);\nint t = threadIdx.x;\nif ((t % 32) == 0) a = b;")},
    {"last lane", BODY("a = __shfl_sync(m, f(a), 0);"), BODY("a = __shfl_sync(m, f(a), 31);")},
    {"chosen lane", BODY("if (i == 31) a = __shfl_sync(m, b, 0);"),
     BODY("if (i == 0) a = __shfl_sync(m, b, 0);")},
    {"ring", BODY("int s = n % 4;\na[s] = b;"), BODY("int s = n % 4;\na[(s + 1) % 4] = b;")},
    {"references", "void f(int *p, int *q)\n{\nint *r = p;\np = q;\nq = r;\n}\n",
     "void f(int *&p, int *&q)\n{\nint *r = p;\np = q;\nq = r;\n}\n"},
    {"swapped", "void f(int *p, int *q)\n{\nstd::swap(p, q);\n}\n",
     "void f(int *&p, int *&q)\n{\nstd::swap(p, q);\n}\n"},
    {"exact function", BODY("a = __expf(n);"), BODY("a = expf(n);")},
    {"exact quotient", BODY("a = __fdividef(b, n);"), BODY("a = ((b) / (n));")},
    {"bits", BODY("a = (int)b[n];"), BODY("a = __float_as_int(b[n]);")},
    {"value", BODY("a = __float_as_int(b);"), BODY("a = (int)(b);")},
    {"last lane's neighbour", BODY("int q = __shfl_down_sync(m, n, 1);\nif (q != n) a = 1;"),
     BODY("int q = __shfl_down_sync(m, n, 1);\nif ((q != n || !(threadIdx.x % 32 + 1 < 32))) "
          "a = 1;")},
    {"a lane's own value compared", BODY("int q = __shfl_up_sync(m, b, n);\nif (q == b) a = 1;"),
     BODY("int q = __shfl_up_sync(m, b, n);\nif ((q == b && threadIdx.x % 32 >= n)) a = 1;")},
    {"a lane's own value added", BODY("a += __shfl_up_sync(m, a, n);"),
     BODY("a += (__shfl_up_sync(m, a, n)) * (threadIdx.x % 32 >= n);")},
    {"a shuffle as an argument", BODY("f(__shfl_down_sync(m, n, 1) != n);"),
     BODY("f((__shfl_down_sync(m, n, 1) != n || !(threadIdx.x % 32 + 1 < 32)));")},
    {"no comparison of the other axis", BODY("int x = n, y = n;\nif (x < p.width) a = y;"),
     BODY("int x = n, y = n;\nif (x < p.width && y >= 0 && y < p.height) a = y;")},
    {"no return outside of the other axis", BODY("int row = n;\nif (col >= cols) return;"),
     BODY("int row = n;\nif (col >= cols || row < 0 || row >= rows) return;")},
    {"no comparison with 0", BODY("if (x < width && y < height) a = n;"),
     BODY("if (x >= 0 && x < width && y < height) a = n;")},
    {"the condition of another index", BODY("if (y < p.h && x < p.w) a[c * p.h + b] = n;"),
     BODY("if (b < p.h && c < p.w) a[c * p.h + b] = n;")},
    {"rows and columns of an index", BODY("a = b[(c + 1) * 3 + n];"),
     BODY("a = b[(n + 1) * 3 + c];")},
    {"column first", BODY("a = b[(n + TILE / 2) * 3 + c + 1];"),
     BODY("a = b[(c + 1) * TILE + (n + TILE / 2)];")},
    {"the middle of a sum", BODY("a += w * (b[n - d][0] + b[n + d][0]);"),
     BODY("a += w * (b[n - d][0] + (d != 0) * b[n + d][0]);")},
    {"a term with two indices", BODY("a = b[n][c] - d;"), BODY("a = d - b[n][c];")},
    {"a guard of a difference", BODY("b = n;\na[n] += a[n - f(b)];"),
     BODY("b = n;\nif (n >= f(b)) a[n] += a[n - f(b)];")},
    {"half precision", BODY("a += __half2float(__hadd(b.x, f(n)));"),
     BODY("a += (__half2float(b.x) + __half2float(f(n)));")},
    {"a product in half precision", BODY("a += __half2float(b.x * c);"),
     BODY("a += (__half2float(b.x) * __half2float(c));")},
    {"the next number", BODY("a = b[8 * n + 4];"), BODY("a = b[8 * n + 3];")},
    {"a sum that is stored", BODY("a = 2 * b - n;"), BODY("a = 2 * b - n + 1;")},
    {"quotient of a quotient", BODY("a = n / b / 32 * 32;"),
     BODY("a = (n + b * 32 - 1) / (b * 32) * 32;")},
    {"factor of a sum", BODY("int p = a - n;\np[3 * n] = 1;"),
     BODY("int p = 3 * (a - n);\np[3 * n] = 1;")},
    {"an offset", BODY("int own = n;\na = b + c;"), BODY("int own = n;\na = b + c - own;")},
    {"loop of a thread", BODY("if (threadIdx.x < M) a[threadIdx.x] = n;"),
     BODY("for (int each = threadIdx.x; each < M; each += blockDim.x) a[each] = n;")},
    {"loop of the grid", BODY("int i = blockIdx.x * B + threadIdx.x;\nif (i < n) a += b[i];"),
     BODY("int i = blockIdx.x * B + threadIdx.x;\n"
          "for (; i < n; i += gridDim.x * blockDim.x) a += b[i];")},
    {"low bits", BODY("a = n & 32;"), BODY("a = n & 31;")},
    {"low bits of a constant", BODY("a = n & SLOTS;"), BODY("a = n & (SLOTS - 1);")},
    {"rest of a division", BODY("a = n % 31;"), BODY("a = n % 32;")},
    {"pointer of another type", BODY("a = *(const float *)(b + n * 2);"),
     BODY("a = *(const float *)b + n * 2;")},
    {"end of a loop", BODY("for (int k = b; k < TILE; ++k) a += k;"),
     BODY("for (int k = b; k < b + TILE; ++k) a += k;")},
    {"groups", BODY("int p = n / 4;\na = b[p + c];"), BODY("int p = n / 4;\na = b[4 * p + c];")},
    {"an else too many", BODY("if (b) a = 1;\nelse if (c) n = 1;"),
     BODY("if (b) a = 1;\nif (c) n = 1;")},
    {"behind a loop", BODY("for (; n;) {\na = n;\nb += n;\n}"),
     BODY("for (; n;) {\na = n;\n}\nb += n;")},
    {"order of rows", BODY("a = w::row_major;"), BODY("a = w::col_major;")},
    {"narrow elements", BODY("unsigned short s[8];\ns[n] = b;"),
     BODY("unsigned int s[8];\ns[n] = b;")},
    {"rows of another length", "void f(int *a, int b, int n)\n{\na[b * TILE + c] = 1;\n}\n",
     "void f(int *a, int b, int n)\n{\na[c * n + b] = 1;\n}\n"},
    {"one thread of the grid", "__global__ void f(int a, int n)\n{\nif (n % 2 == 1)\na = 1;\n}\n",
     "__global__ void f(int a, int n)\n{\n"
     "if (threadIdx.x == 0 && blockIdx.x == 0 && (n % 2 == 1))\na = 1;\n}\n"},
    {"no condition", BODY("if (n == 0) a = 0;"), BODY("if (true) a = 0;")},
    {"part of a condition", BODY("if (n > 0 && f(b, 1)) a = 0;"), BODY("if (n > 0) a = 0;")},
    {"first part of a condition", BODY("if (n > 0 && b) a = n;"), BODY("if (b) a = n;")},
    {"factor left out", BODY("a = 2 * n * b;"), BODY("a = n * b;")},
    {"factor of another line", BODY("a = b[n + 1];\nb[3 * n] = 0;"),
     BODY("a = b[3 * n + 1];\nb[3 * n] = 0;")},
    {"start of a loop", BODY("for (i = b; i < n; ++i) a = 0;"),
     BODY("for (i = b + 1; i < n; ++i) a = 0;")},
    {"bytes", BODY("cudaMemcpy2D(a, b, c, d, p.w, 8, e);"),
     BODY("cudaMemcpy2D(a, b, c, d, p.w * 4, 8, e);")},
    {"bytes of shared memory", BODY("f<<<1, n, n>>>(a);"), BODY("f<<<1, n, n * 4>>>(a);")},
    {"elements", BODY("a = n * sizeof(float);"), BODY("a = n * 1;")},
    {"another index", BODY("int r = b + i + j * ROWS;\na = t[i * EACH + j];"),
     BODY("int r = b + i + j * ROWS;\na = t[i + j * ROWS];")},
    {"index of a condition", BODY("a = t[n + 2 * b];\nif (n + 3 * b < c) a = t[n + 2 * b];"),
     BODY("a = t[n + 2 * b];\nif (n + 3 * b < c) a = t[n + 3 * b];")},
    {"part of a sum", BODY("int r = b + n * ROWS;\nint c = 1 + b * EACH + n;"),
     BODY("int r = b + n * ROWS;\nint c = 1 + b + n * ROWS;")},
    {"number of a constant", "#define SLOTS 4\n" BODY("a = 3;"),
     "#define SLOTS 4\n" BODY("a = SLOTS;")},
    {"constant of the file", "#define ROWS (TILE + 2)\n" BODY("a = TILE * 4;"),
     "#define ROWS (TILE + 2)\n" BODY("a = ROWS * 4;")},
    {"declared too late", BODY("f(&b);\nint a = b;"), BODY("int a = b;\nf(&b);")},
    {"no stream", BODY("cudaStream_t s = b;\nf<<<1, n>>>(a);"),
     BODY("cudaStream_t s = b;\nf<<<1, n, 0, s>>>(a);")},
    {"another stream", BODY("cudaStream_t p = b, q = c;\nf(p);\ng(p);"),
     BODY("cudaStream_t p = b, q = c;\nf(q);\ng(p);")},
    {"bits before a comparison", BODY("if (n & 31 == 0) a = 0;"),
     BODY("if ((n & 31) == 0) a = 0;")},
    {"shift before a difference", BODY("a = 1u << n - 1;"), BODY("a = (1u << n) - 1;")},
    {"offset in bytes", BODY("a = (float *)(char *)b.p + n;"),
     BODY("a = (float *)((char *)b.p + n);")},
    {"pitch in bytes", BODY("float *p = b;\nf(p + n * pitch);"),
     BODY("float *p = b;\nf(((decltype(&p[0]))((char *)p + n * pitch)));")},
    {"pitch in an index", BODY("float *p = b;\na = p[n * m.pitch + b];"),
     BODY("float *p = b;\na = ((decltype(&p[0]))((char *)p + n * m.pitch))[b];")},
    {"quotient of numbers", BODY("a = 1 / 4;"), BODY("a = 1.f / 4;")},
    {"quotient of variables", BODY("int p = n, q = n;\nfloat a = p / q;"),
     BODY("int p = n, q = n;\nfloat a = (float)p / q;")},
    {"array as long as a loop", BODY("__shared__ int s[ROWS];\nfor (; n < TILE + 2;)\ns[n] = 0;"),
     BODY("__shared__ int s[TILE + 2];\nfor (; n < TILE + 2;)\ns[n] = 0;")},
    {"sum of a round", BODY("float s = 0;\nfor (; n;) {\ns += n;\na = s;\n}"),
     BODY("float s = 0;\nfor (; n;) { s = 0;\ns += n;\na = s;\n}")},
    {"array to its end", BODY("__shared__ int s[TILE + 2];\nfor (; n < TILE;)\ns[n] = 0;"),
     BODY("__shared__ int s[TILE + 2];\nfor (; n < TILE + 2;)\ns[n] = 0;")},
    {"sides of comparisons", BODY("if (a < p.w && b + 1 < p.h) n = 0;"),
     BODY("if (a < p.h && b + 1 < p.w) n = 0;")},
    {"terms of comparisons", BODY("if (a + c < p.w && b + d < p.h) n = 0;"),
     BODY("if (a + d < p.w && b + c < p.h) n = 0;")},
    {"twice in a line", BODY("f(a - 0.5f, b - 0.5f);"), BODY("f(a, b);")},
    {"in the next line, too", BODY("a = 16;\nb = 16;"), BODY("a = 32;\nb = 32;")},
    {"in both branches", BODY("if (b)\na[n] += c[i][j];\nelse\na[n] = c[i][j];"),
     BODY("if (b)\na[n] += c[j][i];\nelse\na[n] = c[j][i];")},
    {"sign", BODY("a = b - n;"), BODY("a = b + n;")},
    {"first bit", BODY("a = (2u << n) - 1;"), BODY("a = (1u << n) - 1;")},
    {"common factor", BODY("a = b * n - b * f(c);"), BODY("a = b * (n - f(c));")},
    {"char", BODY("char a = b[n];"), BODY("unsigned char a = b[n];")},
    {"lane 0 alone knows", BODY("if (b == 0)\na = f(n);\n__syncwarp();\nc = __any_sync(m, a);"),
     BODY("if (b == 0)\na = f(n);\na = __shfl_sync(0xffffffff, a, 0);\n__syncwarp();\n"
          "c = __any_sync(m, a);")},
    {"limit", BODY("int a = b + n;\nwhile (c < a) c += n;"),
     BODY("int a = min(b + n, n);\nwhile (c < a) c += n;")},
    {"size of the block", BODY("a = MOST / 2;"), BODY("a = blockDim.x / 2;")},
    {"stream of an array", BODY("cudaStream_t s[2];\ng(s[n]);\nf<<<1, n>>>(a);"),
     BODY("cudaStream_t s[2];\ng(s[n]);\nf<<<1, n, 0, s[n]>>>(a);")},
    {"bytes of one use", BODY("int a = n;\nf<<<1, a, a>>>(b);"),
     BODY("int a = n;\nf<<<1, a, a * 4>>>(b);")},
    {"a variable of the line", BODY("int p = n, q = n, r = n, s = n;\na = p < s ? 0 : b - p;"),
     BODY("int p = n, q = n, r = n, s = n;\na = p < s ? 0 : b - s;")},
    {"bytes of a variable", BODY("int a = n;\nf<<<1, n, a>>>(b);"),
     BODY("int a = n * 4;\nf<<<1, n, a>>>(b);")},
    {"guard", BODY("int i = b;\na = c[i];"), BODY("int i = b;\nif (i < n) a = c[i];")},
    {"brackets in a macro", "#define BEFORE(k) (1u << k - 1)\n" BODY("a = BEFORE(n);"),
     "#define BEFORE(k) ((1u << k) - 1)\n" BODY("a = BEFORE(n);")},
    {"value of a macro", "#define LINES 3\n" BODY("a = SLOTS + LINES;"),
     "#define LINES SLOTS\n" BODY("a = SLOTS + LINES;")},
    {"a macro like another one",
     "#define A_ROW (DEEP + 8)\n#define B_ROW SIDE\n" BODY("a = B_ROW;"),
     "#define A_ROW (DEEP + 8)\n#define B_ROW (SIDE + 8)\n" BODY("a = B_ROW;")},
    {"value of a constant", "constexpr int ROWS = LINES / WARPS;\n" BODY("a = ROWS;"),
     "constexpr int ROWS = (LINES + WARPS - 1) / WARPS;\n" BODY("a = ROWS;")},
    {"constants rounded up", BODY("a = TILE / WARPS;"), BODY("a = (TILE + WARPS - 1) / WARPS;")},
    {"step of the grid", BODY("int i = blockIdx.x * n;\nwhile (i < n) { i += blockDim.x; }"),
     BODY("int i = blockIdx.x * n;\nwhile (i < n) { i += gridDim.x * blockDim.x; }")},
    {"step of a loop", BODY("for (i = blockIdx.x + b; i < n; i += gridDim.x) a += i;"),
     BODY("for (i = blockIdx.x + b; i < n; i += gridDim.x * blockDim.x) a += i;")},
    {"last of a tile", BODY("if (tx == TILE) a = n;"), BODY("if (tx == TILE - 1) a = n;")},
    {"last row", BODY("a = row(m, m.height);"), BODY("a = row(m, m.height - 1);")},
    {"factor of a limit", BODY("a = min(3 * b, n - c);"), BODY("a = min(3 * b, 3 * (n - c));")},
    {"elements of a thread", BODY("a = (b + n) * 32;\nfor (int k = 0; k < EACH; ++k) c += a;"),
     BODY("a = (b + n) * 32 * EACH;\nfor (int k = 0; k < EACH; ++k) c += a;")},
    {"absolute value", BODY("float a = f(n, 1);\na = fmaxf(a, b);"),
     BODY("float a = fabsf(f(n, 1));\na = fmaxf(a, b);")},
    {"error of a sum", BODY("float s = a + b;\nfloat p = s - a;\nfloat lost = b - p;"),
     BODY("float s = a + b;\nfloat p = s - a;\nfloat lost = (a - (s - p)) + (b - p);")},
    {"error of a sum in brackets", BODY("c += b - (s - a);"),
     BODY("c += (a - (s - (s - a))) + (b - (s - a));")},
    {"first step of a tree",
     BODY("a = 0;\nif (n >= 64) { if (t < 32) a += b[t + 32]; }\n"
          "if (n >= 32) { if (t < 16) a += b[t + 16]; }"),
     BODY("a = 0;\nif (n >= 128) { if (t < 64) a += b[t + 64]; }\n"
          "if (n >= 64) { if (t < 32) a += b[t + 32]; }\n"
          "if (n >= 32) { if (t < 16) a += b[t + 16]; }")},
    {"barrier", BODY("__shared__ int s[1];\ns[0] = 1;\na = s[0];"),
     BODY("__shared__ int s[1];\ns[0] = 1;\n__syncthreads();\na = s[0];")},
};

Test(edits, follow_rules)
{
    for (size_t i = 0; i < COUNT(rules); ++i) {
        struct edits edits;
        bool found = false;
        edits_by_rules(&edits, rules[i].source, &(struct edit_lines){.first = 2, .last = 5});
        for (size_t j = 0; j < edits.count; ++j) {
            char *text = apply(rules[i].source, &edits.list[j]);
            found |= is_equal(text, rules[i].wanted);
            free(text);
        }
        cr_expect(found, "%s: none of %zu edits", rules[i].name, edits.count);
        edits_free(&edits);
    }
}

/* Edits that are made only if a word is never written, or if a sum is some times too large. */
static const struct {
    const char *name, *source, *wanted;
    bool is_repeated;
} fitting[] = {
    {"loop", BODY("int t = threadIdx.x;\nif (t < n) a[t] = b[t];"),
     BODY("int t = threadIdx.x;\nfor (int t = threadIdx.x; t < n; t += blockDim.x) a[t] = b[t];"),
     false},
    {"all elements", BODY("__shared__ int s[2][8];\ns[n][b] = 0;"),
     BODY("__shared__ int s[2][8];\n"
          "for (int word = threadIdx.y * blockDim.x + threadIdx.x; word < sizeof s / 4; "
          "word += blockDim.x * blockDim.y) ((int *)s)[word] = 0;"),
     false},
    {"size of the allocation", BODY("cudaMalloc(&p, n * 16);\ncudaMemcpy(p, a, n * 12, b);"),
     BODY("cudaMalloc(&p, n * 16);\ncudaMemcpy(p, a, n * 16, b);"), false},
    {"one thread", BODY("a = 0;\nfor (i = b; i < n; ++i) a += i;"),
     BODY("a = 0;\nif (blockIdx.x == 0 && threadIdx.x == 0) for (i = b; i < n; ++i) a += i;"),
     true},
    {"one thread of a block", BODY("a = 0;\natomicAdd(b, a);"),
     BODY("a = 0;\nif (threadIdx.x == 0) atomicAdd(b, a);"), true},
};

Test(edits, follow_rules_that_fit)
{
    for (size_t i = 0; i < COUNT(fitting); ++i) {
        struct edits edits;
        bool found = false;
        edits_by_rules(&edits, fitting[i].source,
                       &(struct edit_lines){.first = 2,
                                            .last = 5,
                                            .is_repeated = fitting[i].is_repeated,
                                            .is_unwritten = !fitting[i].is_repeated});
        for (size_t j = 0; j < edits.count; ++j) {
            char *text = apply(fitting[i].source, &edits.list[j]);
            found |= is_equal(text, fitting[i].wanted);
            free(text);
        }
        cr_expect(found, "%s: none of %zu edits", fitting[i].name, edits.count);
        edits_free(&edits);
    }
}

/* A function that exchanges only its own copies of two pointers is changed early, wherever it is. */
Test(edits, try_patterns_everywhere)
{
    struct edits edits;
    edits_by_rules(&edits,
                   "void f(int *p, int *q)\n{\nint *r = p;\np = q;\nq = r;\n}\n" BODY("a = n * 4;"),
                   &(struct edit_lines){.suspect = 9,
                                        .first = 9,
                                        .last = 9,
                                        .shown = {9},
                                        .shown_count = 1,
                                        .is_guessed = true});
    cr_expect_lt(find_says(&edits, "references"), 3);
    edits_free(&edits);
}

/* A quotient that is rounded up stays whole, or is rounded down: other edits inside of it would only
 * make up for mistakes in other lines. */
Test(edits, keep_rounding_whole)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("a = (n + b - 1) / b;"),
                   &(struct edit_lines){.first = 3, .last = 5});
    cr_expect_gt(edits.count, 0);
    for (size_t i = 0; i < edits.count; ++i)
        cr_expect(!strstr(edits.list[i].says, "`1`") && !strstr(edits.list[i].says, "`- 1`") &&
                      !strstr(edits.list[i].says, "`/`"),
                  "%s", edits.list[i].says);
    edits_free(&edits);
}

/* A variable is not replaced by one of another type, by one whose block has ended, or in its own
 * declaration; and the condition of a loop keeps the loop's own variable. */
Test(edits, use_variables_that_fit)
{
    static const char source[] =
        BODY("float f = 1;\nfor (int k = 0; k < n; ++k)\nf += k;\nint a = n;\nb[a] = f;");
    struct edits edits;
    edits_by_rules(&edits, source, &(struct edit_lines){.first = 3, .last = 7});
    cr_expect_gt(edits.count, 0);
    for (size_t i = 0; i < edits.count; ++i) {
        const struct small_edit *edit = &edits.list[i];
        cr_expect(!strstr(edit->says, "name than `a`") || strcmp(edit->text, "f") != 0);
        cr_expect(edit->line != 6 || strcmp(edit->text, "k") != 0, "%s", edit->says);
        cr_expect(edit->line != 6 || strcmp(edit->text, "a") != 0, "%s", edit->says);
        cr_expect(edit->line != 4 || !strstr(edit->says, "name than `k`"), "%s", edit->says);
    }
    edits_free(&edits);
}

/* An edit that leaves a variable without any use is improbable. */
Test(edits, leave_no_variable_without_use)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("int p = 1, q = 2;\na[q] = b * p;\na[q] = b;"),
                   &(struct edit_lines){.first = 3, .last = 5});
    cr_expect_eq(find_says(&edits, "without `* p`"), EDITS_MOST);
    cr_expect_eq(find_says(&edits, "name than `p` in line 4"), EDITS_MOST);
    cr_expect_lt(find_says(&edits, "name than `q` in line 4"), EDITS_MOST);
    edits_free(&edits);
}

/* The index is wrong where it gets its value, so this line is changed before the line that only uses
 * it. */
Test(edits, walk_back_to_the_definition)
{
    static const char source[] = BODY("int p = 1;\nint q = p;\na[q] = p;");
    size_t at[2] = {EDITS_MOST, EDITS_MOST};
    struct edits edits;
    edits_by_rules(&edits, source,
                   &(struct edit_lines){.first = 3, .last = 5, .shown = {5}, .shown_count = 1});
    for (size_t i = edits.count; i-- > 0;)
        at[edits.list[i].line == 5] = i;
    cr_expect_lt(at[0], at[1]);
    cr_expect_lt(at[1], EDITS_MOST);
    edits_free(&edits);
}

/* A value that is only slightly wrong comes from a formula; an index that two threads share, from
 * a number; and a product that overflows needs only a wider type. */
Test(edits, begin_with_what_the_finding_suggests)
{
    static const char source[] = BODY("int p = n * 16;\na[p] = b - c;");
    struct edit_lines lines = {.first = 3, .last = 4, .shown = {4}, .shown_count = 1};
    struct edits edits;
    size_t numbers[2], signs[2];
    for (int i = 0; i < 2; ++i) {
        lines.is_close = i == 0;
        lines.is_collision = i == 1;
        edits_by_rules(&edits, source, &lines);
        numbers[i] = find_says(&edits, "number than `16`");
        signs[i] = find_says(&edits, "operator than `-`");
        edits_free(&edits);
    }
    cr_expect_lt(signs[0], numbers[0]);
    cr_expect_lt(numbers[1], signs[1]);
    lines.only_wide = true;
    edits_by_rules(&edits, source, &lines);
    cr_expect_str_eq(edits.list[0].says, "with `n * 16` in 64 bits in line 3");
    cr_expect_str_eq(edits.list[0].text, "(long long)n");
    cr_expect(edits.list[0].is_sure);
    cr_expect_eq(edits.count, 1, "%zu edits", edits.count);
    edits_free(&edits);
    lines.shown[0] = 3;
    edits_by_rules(&edits, "__device__ int f(unsigned int v)\n{\nreturn v + 1;\n}\n", &lines);
    cr_expect_str_eq(edits.list[0].says, "with the parameter `v` in 64 bits in line 1");
    edits_free(&edits);
}

/* The message marks a line, but the formula before it can be the wrong one. Numbers and names of
 * other lines are changed later. */
Test(edits, change_formulas_around_a_known_line_first)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("a = 16 + b;\nb = a - 1;"),
                   &(struct edit_lines){.suspect = 4,
                                        .first = 4,
                                        .last = 4,
                                        .shown = {4},
                                        .shown_count = 1,
                                        .is_guessed = true});
    cr_expect_lt(find_says(&edits, "operator than `+` in line 3"),
                 find_says(&edits, "number than `16`"));
    edits_free(&edits);
}

/* The index of a pointer that is passed to a function is wrong in an earlier line than those that
 * the finding shows, and the variable has the name of an axis. */
Test(edits, walk_back_beyond_the_lines)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("int x = n % 4 * 16;\nb = n;\nint *p = a + x;\ng(p + 1, n);"),
                   &(struct edit_lines){.first = 5, .last = 6, .shown = {5, 6}, .shown_count = 2});
    cr_expect_lt(find_says(&edits, "number than `16` in line 3"), EDITS_MOST);
    cr_expect_eq(find_says(&edits, "in line 4"), EDITS_MOST);
    edits_free(&edits);
}

/* Lines that say where a function writes: the declaration of an array, a value of an array that is
 * an index, and a variable in a condition. */
Test(edits, walk_back_to_arrays_and_conditions)
{
    static const char *const says[] = {"`4][8` in line 3", "`16` in line 4", "`32` in line 5"};
    struct edits edits;
    edits_by_rules(&edits,
                   BODY("int s[4][8];\nt[n] = 16;\nbool c = n & 32;\nint d = 64;\nif (c)\n"
                        "s[n][t[n]] = d;"),
                   &(struct edit_lines){.first = 8, .last = 8, .shown = {8}, .shown_count = 1});
    for (size_t i = 0; i < COUNT(says); ++i)
        cr_expect_lt(find_says(&edits, says[i]), EDITS_MOST, "%s", says[i]);
    cr_expect_eq(find_says(&edits, "in line 6"), EDITS_MOST);
    edits_free(&edits);
}

/* A function that fills a constant array which the shown lines use counts as called. */
Test(edits, reach_functions_that_fill_constants)
{
    static const char source[] = "__constant__ float c[8];\n__global__ void f(float *a, int n)\n{\n"
                                 "a[n] = c[n];\n}\nvoid g(int n)\n{\nfloat h[8];\nh[n] = 2 * n;\n"
                                 "cudaMemcpyToSymbol(%s, h, sizeof h);\n}\n";
    char text[500];
    unsigned costs[2];
    for (int is_used = 0; is_used < 2; ++is_used) {
        struct edits edits;
        snprintf(text, sizeof text, source, is_used ? "c" : "d");
        edits_by_rules(&edits, text,
                       &(struct edit_lines){.first = 4, .last = 4, .shown = {4}, .shown_count = 1});
        size_t at = find_says(&edits, "something more after `n` in line 9");
        cr_assert_lt(at, EDITS_MOST);
        costs[is_used] = edits.list[at].cost;
        edits_free(&edits);
    }
    cr_expect_lt(costs[1], costs[0]);
}

/* Members of threadIdx, masks of lanes and the steps of a loop that multiplies have only a few
 * values. A condition is no index. */
Test(edits, change_only_what_can_be_wrong)
{
    static const char *const says[] = {"name than `x`", "name than `m`", "number than `2`",
                                       "`if (q < n + a)`"};
    struct edits edits;
    edits_by_rules(&edits,
                   "struct s { int *x, *next; };\n" BODY(
                       "int m = n, a = n, q = threadIdx.x;\na = __shfl_sync(m, a, n) + 1;\n"
                       "for (int k = 1; k < n; k *= 2)\nif (q < n + a)\nb[q + n + a] = s.next[m];"),
                   &(struct edit_lines){.first = 3, .last = 9});
    cr_expect_gt(edits.count, 0);
    for (size_t i = 0; i < edits.count; ++i)
        for (size_t j = 0; j < COUNT(says); ++j)
            cr_expect(!strstr(edits.list[i].says, says[j]) ||
                          (j < 2 && edits.list[i].line != (j == 0 ? 4 : 5)),
                      "%s => %s", edits.list[i].says, edits.list[i].text);
    edits_free(&edits);
}

/* The lab's input is read as it must be, and memory may be freed in any order. */
Test(edits, leave_alone_input_and_frees)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("a = lab_int(&lab, 16);\ncudaFree(a);\ncudaFree(b);"),
                   &(struct edit_lines){.first = 3, .last = 5});
    cr_expect_eq(edits.count, 0);
    edits_free(&edits);
}

/* Only lines about streams can be at fault if two streams use the same memory. */
Test(edits, of_streams_leave_other_lines_alone)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("cudaStream_t s[3];\nint p = n % 4, q = 3;\nf(p, s[q]);"),
                   &(struct edit_lines){.first = 3, .last = 5, .only_streams = true});
    cr_expect_lt(find_says(&edits, "in line 3"), EDITS_MOST);
    cr_expect_eq(find_says(&edits, "in line 4"), EDITS_MOST);
    cr_expect_lt(find_says(&edits, "in line 5"), EDITS_MOST);
    edits_free(&edits);
}

/* A number of warps, a quotient of constants or of real numbers is no number of pieces. */
Test(edits, round_only_lengths)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("a = threadIdx.x / 32;\nb = TILE / 2;\nc = 1.5f / n;\nd = n / 8;"),
                   &(struct edit_lines){.first = 3, .last = 6, .only_rounding = true});
    cr_assert_eq(edits.count, 1);
    cr_expect_str_eq(edits.list[0].says, "with `n / 8` rounded up in line 6");
    edits_free(&edits);
}

Test(edits, stay_in_the_lines)
{
    struct edits edits;
    edits_by_rules(&edits, BODY("a = 16;"), &(struct edit_lines){.first = 4, .last = 9});
    cr_expect_eq(edits.count, 0);
    edits_free(&edits);
}

/* The mistake is in f(), which the lines of a vague edit call. */
Test(edits, reach_functions_that_the_lines_call)
{
    static const char source[] = "__device__ int f(int n)\n{\nreturn n + 1;\n}\n\nint g(int n)\n{\n"
                                 "return f(n);\n}\n";
    struct edits edits;
    for (int with_called = 0; with_called < 2; ++with_called) {
        bool found = false;
        edits_by_rules(&edits, source,
                       &(struct edit_lines){.first = 8, .last = 8, .with_called = with_called});
        for (size_t i = 0; i < edits.count; ++i)
            found |= edits.list[i].line == 3;
        cr_expect_eq(found, with_called);
        edits_free(&edits);
    }
}
