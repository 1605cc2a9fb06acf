/* The names of people, as they are compared: systems write one name in many ways.
 *
 *     "García, Inés"   the roster            words "garcia ines"
 *     "Inés García"    a folder of Moodle    words "garcia ines"
 *     "Ines_Garcia"    a folder of Windows   words "garcia ines"
 *     "garciaines"     a file of Canvas      joined "garciaines"
 *
 * All functions return new strings, NULL: out of memory. TEXT is clean UTF-8. */
#ifndef BASE_PEOPLE_H
#define BASE_PEOPLE_H

/* As NFC: equal names become equal bytes, whatever system wrote them. */
char *people_normalise(const char *text);

/* The same, without capitals. */
char *people_fold(const char *text);

/* The words of a name in order of the alphabet, without capitals, accents and what learning systems add;
 * "": fewer than two, which is too little to know somebody by. */
char *people_words(const char *text);

/* The words of a name as one, the family name first: that is the last word, unless a comma tells. A name that
 * is one word stays it. */
char *people_joined(const char *text);

#endif
