/* Rewrites the compiler's messages for students. */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

/* Returns the messages in RAW, nvcc's output for a file called NAME, in gcc's form,
 * "SHOWN:line:column: error: ...", each followed by the line of SOURCE and a caret. Messages that
 * two passes of the compiler repeat appear once. There are at most MAX_LINES lines. The caller
 * frees the result, which is NULL when out of memory. */
char *compile_messages(const char *raw, const char *name, const char *shown, const char *source,
                       unsigned max_lines);

#endif
