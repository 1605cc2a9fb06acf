/* Opens pages in headless Chromium. The page's clock runs as fast as its scripts allow. */
#ifndef TESTS_SUPPORT_BROWSER_H
#define TESTS_SUPPORT_BROWSER_H

#define BROWSER                                                                                     \
    "HOME=$PWD timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage " \
    "--user-data-dir=$PWD/profile --enable-logging=stderr --virtual-time-budget=60000000 "

/* Loads PAGES of the test's folder, a list of strings in JavaScript, one after the other, as wide as
 * a desktop and as a phone in turn. Each page has a script that ends with one parent.postMessage().
 * Returns what the pages say and what the browser complains about ("CONSOLE"); the caller frees it.
 */
char *browser_visit(const char *pages);

#endif
