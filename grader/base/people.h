/* Converts people's names to a form that can be compared, because every system writes them
 * differently.
 *
 *     "García, Inés"   the roster            words "garcia ines"
 *     "Inés García"    a Moodle folder       words "garcia ines"
 *     "Ines_Garcia"    a Windows folder      words "garcia ines"
 *     "garciaines"     a Canvas file         joined "garciaines"
 *
 * All functions take valid UTF-8 and return new strings, or NULL when out of memory. */
#ifndef BASE_PEOPLE_H
#define BASE_PEOPLE_H

/* Returns TEXT in Unicode's normalisation form C, in which equal names have equal bytes. */
char *people_normalise(const char *text);

/* Returns TEXT in normalisation form C, case-folded. */
char *people_fold(const char *text);

/* Returns the words of a name in alphabetical order, case-folded, without accents, and without
 * words that learning-management systems add. Returns "" for a name with fewer than two words,
 * because one word does not identify a person. */
char *people_words(const char *text);

/* Returns the words of a name without spaces, starting with the family name. The family name is the
 * last word or, in "García, Inés", the part before the comma. A name of one word is returned
 * unchanged. */
char *people_joined(const char *text);

#endif
