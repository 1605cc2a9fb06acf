/* Opens pages in headless Chromium and in headless Firefox. Chromium's clock does not wait: it runs
 * as fast as the pages' scripts allow. */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#include <stdbool.h>

#define BROWSER                                                                                     \
    "HOME=$PWD timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=60000000 "

/* Loads the pages of the test's folder that are in PAGES, a list of strings in JavaScript. Loads
 * them one after the other, alternately as wide as on a desktop and on a phone. Each page must have
 * a script that ends with one parent.postMessage(). Returns the messages of the pages, and the
 * browser's complaints ("CONSOLE"). The caller frees the result. The browser is Firefox if the
 * environment has LANEWISE_BROWSER=firefox, otherwise Chromium. */
char *browser_visit(const char *pages);

/* If Firefox is not installed, skips the rest of the test. Otherwise, makes browser_visit() use
 * Firefox. */
void browser_choose_firefox(void);

/* Types KEYS in page NAME in Firefox. firefox.py explains the words in KEYS. Returns the page's
 * messages, one after each word, and complaints as browser_visit() does. */
char *browser_type(const char *name, const char *keys);

#endif
