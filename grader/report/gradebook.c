#include "report/gradebook.h"

#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "report/format.h"

/* Columns that appear only if at least one lab has this status. */
static const struct {
    const char *status, *column;
} optionals[] = {{"pending", ",pending"}, {"by-hand", ",by_hand"}, {"excused", ",excused"}};

#define OPTIONAL (sizeof optionals / sizeof *optionals)

/* Writes the names of STUDENT's labs that have STATUS, "01-parallelize 03-shared-reduce". */
static void put_labs_with(FILE *to, const json_t *student, const char *status)
{
    const char *lab, *space = "";
    json_t *entry;
    fputc(',', to);
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        if (strcmp(json_text_of(entry, "status"), status) != 0)
            continue;
        fprintf(to, "%s%s", space, lab);
        space = " ";
    }
}

/* Writes POINTS. If there are no points yet, writes nothing, because 0 would look like a grade. */
static void put_points(FILE *to, const json_t *points)
{
    fputc(',', to);
    if (json_is_number(points))
        fprintf(to, "%.6g", json_number_value(points));
}

/* Returns true if any lab of any student has STATUS. */
static bool has_status(const json_t *class, const char *status)
{
    const char *lab;
    size_t i;
    json_t *student, *entry;
    json_array_foreach(json_object_get(class, "students"), i, student)
        json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        if (strcmp(json_text_of(entry, "status"), status) == 0)
            return true;
    }
    return false;
}

static void put_student(FILE *to, const json_t *student, const bool optional[])
{
    json_int_t late_days = 0;
    const char *lab;
    json_t *entry;
    report_csv_field(to, json_text_of(student, "student"));
    fputc(',', to);
    report_csv_field(to, json_text_of(student, "name"));
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        put_points(to, json_object_get(entry, "score"));
        late_days += json_integer_of(entry, "late_days");
    }
    put_points(to, json_object_get(student, "total"));
    put_points(to, json_object_get(student, "max"));
    fprintf(to, ",%lld", (long long)late_days);
    put_labs_with(to, student, "missing");
    put_labs_with(to, student, "too-late");
    put_labs_with(to, student, "review");
    for (size_t i = 0; i < OPTIONAL; i++)
        if (optional[i])
            put_labs_with(to, student, optionals[i].status);
    fputs("\r\n", to);
}

void report_gradebook(FILE *to, const json_t *class)
{
    bool optional[OPTIONAL];
    size_t i;
    json_t *lab, *student;
    fputs("student,name", to);
    json_array_foreach(json_object_get(class, "labs"), i, lab)
        fprintf(to, ",%s", json_text_of(lab, "lab"));
    fprintf(to, ",total,max,late_days,missing,too_late,review");
    for (i = 0; i < OPTIONAL; i++) {
        optional[i] = has_status(class, optionals[i].status);
        fputs(optional[i] ? optionals[i].column : "", to);
    }
    fputs("\r\n", to);
    json_array_foreach(json_object_get(class, "students"), i, student)
        put_student(to, student, optional);
}
