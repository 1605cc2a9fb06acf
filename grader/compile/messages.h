/* The compiler's messages, as a student should see them. */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

/* RAW is what nvcc wrote while it compiled a file NAME. Returns the messages in gcc's form,
 * "SHOWN:line:column: error: ...", each followed by the line of SOURCE and a caret. Messages that
 * two passes of the compiler repeat appear once; there are at most MAX_LINES lines. The result is
 * malloc'd; NULL when out of memory. */
char *compile_messages(const char *raw, const char *name, const char *shown, const char *source,
                       unsigned max_lines);

#endif
