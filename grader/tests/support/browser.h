/* Opens pages in headless Chromium, whose clock runs as fast as the pages' scripts allow, and in
 * headless Firefox. */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#include <stdbool.h>

#define BROWSER                                                                                     \
    "HOME=$PWD timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=60000000 "

/* Loads PAGES of the test's folder, a list of strings in JavaScript. Loads one after the other, in
 * turn as wide as on a desktop and on a phone. Each page has a script that ends with one
 * parent.postMessage(). Returns the messages of the pages, and the browser's complaints
 * ("CONSOLE"). The caller frees the result. The browser is Firefox if the environment has
 * LANEWISE_BROWSER=firefox, otherwise Chromium. */
char *browser_visit(const char *pages);

/* Ends the test as skipped if Firefox is not installed. Otherwise, browser_visit() uses Firefox. */
void browser_choose_firefox(void);

/* Types KEYS in page NAME in Firefox. firefox.py explains the words of KEYS. Returns the page's
 * message after each of them, and complaints like browser_visit(). */
char *browser_type(const char *name, const char *keys);

#endif
