#include "report/gradebook.h"

#include <stdbool.h>
#include <string.h>

#include "report/format.h"
#include "run/json.h"

/* Writes the names of STUDENT's labs that have STATUS, "01-parallelize 03-shared-reduce". */
static void put_labs_with(FILE *to, const json_t *student, const char *status)
{
    const char *lab, *space = "";
    json_t *entry;
    fputc(',', to);
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        if (strcmp(run_text_of(entry, "status"), status) != 0)
            continue;
        fprintf(to, "%s%s", space, lab);
        space = " ";
    }
}

/* Empty if there are none yet, which is not 0. */
static void put_points(FILE *to, const json_t *points)
{
    fputc(',', to);
    if (json_is_number(points))
        fprintf(to, "%.6g", json_number_value(points));
}

static void put_student(FILE *to, const json_t *student, bool unfinished)
{
    json_int_t late_days = 0;
    const char *lab;
    json_t *entry;
    report_csv_field(to, run_text_of(student, "student"));
    fputc(',', to);
    report_csv_field(to, run_text_of(student, "name"));
    json_object_foreach(json_object_get(student, "labs"), lab, entry)
    {
        put_points(to, json_object_get(entry, "score"));
        late_days += json_integer_value(json_object_get(entry, "late_days"));
    }
    put_points(to, json_object_get(student, "total"));
    put_points(to, json_object_get(student, "max"));
    fprintf(to, ",%lld", (long long)late_days);
    put_labs_with(to, student, "missing");
    put_labs_with(to, student, "too-late");
    put_labs_with(to, student, "review");
    if (unfinished)
        put_labs_with(to, student, "pending");
    fputs("\r\n", to);
}

void report_gradebook(FILE *to, const json_t *class)
{
    bool unfinished = json_integer_value(json_object_get(class, "pending")) > 0;
    size_t i;
    json_t *lab, *student;
    fputs("student,name", to);
    json_array_foreach(json_object_get(class, "labs"), i, lab)
        fprintf(to, ",%s", run_text_of(lab, "lab"));
    fprintf(to, ",total,max,late_days,missing,too_late,review%s\r\n", unfinished ? ",pending" : "");
    json_array_foreach(json_object_get(class, "students"), i, student)
        put_student(to, student, unfinished);
}
