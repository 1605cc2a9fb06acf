/* Rewrites the compiler's messages for students. */
#ifndef COMPILE_MESSAGES_H
#define COMPILE_MESSAGES_H

/* Converts RAW, nvcc's output for the file NAME with the text SOURCE, to gcc's form. Each message
 * is "SHOWN:line:column: error: ...", followed by the line of SOURCE and a caret. A message that
 * both passes of the compiler print appears once. Returns at most MAX_LINES lines, which the caller
 * frees. Returns NULL when out of memory. */
char *compile_messages(const char *raw, const char *name, const char *shown, const char *source,
                       unsigned max_lines);

#endif
