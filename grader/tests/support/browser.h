/* Opens pages in headless Chromium, whose clock runs as fast as the pages' scripts allow, and in
 * headless Firefox. */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#include <stdbool.h>

#define BROWSER                                                                                     \
    "HOME=$PWD timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=60000000 "

/* Loads PAGES of the test's folder, a list of strings in JavaScript, one after the other, as wide as
 * a desktop and as a phone in turn. Each page has a script that ends with one parent.postMessage().
 * Returns what the pages say and what the browser complains about ("CONSOLE"); the caller frees it.
 * The browser is Firefox if the environment says LANEWISE_BROWSER=firefox, and otherwise Chromium.
 */
char *browser_visit(const char *pages);

/* Ends the test as skipped if Firefox is not installed. Otherwise, browser_visit() uses Firefox. */
void browser_choose_firefox(void);

/* Types KEYS, words that firefox.py explains, in page NAME in Firefox. Returns what the page says
 * after each, and complaints like browser_visit(). */
char *browser_type(const char *name, const char *keys);

#endif
