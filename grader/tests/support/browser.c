#include "tests/support/browser.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tests/support/shell.h"

#define FIREFOX "/usr/bin/python3 $TESTS/support/firefox.py file://$PWD/"

char *browser_visit(const char *pages)
{
    shell_patience(320); /* a busy machine takes minutes to load many pages */
    free(shell_must(
        "cat >around.html <<'END'\n<!doctype html><title>t</title><pre id=said></pre><script>\n"
        "const pages=[%s]; let frame, at=0;\n"
        "function next(){if(frame)frame.remove();if(at===pages.length){said.append('end\\n');return}\n"
        "frame=document.createElement('iframe');frame.width=at%%2?390:1280;frame.height=800;\n"
        "frame.style.border=0;frame.src=pages[at++];document.body.append(frame)}\n"
        "onmessage=e=>{said.append(e.data+'\\n');next()};next()</script>\nEND",
        pages));
    const char *browser = getenv("LANEWISE_BROWSER");
    if (browser && strcmp(browser, "firefox") == 0)
        return shell_must(FIREFOX "around.html");
    return shell_must(BROWSER "--dump-dom file://$PWD/around.html 2>log; grep CONSOLE log; echo");
}

void browser_choose_firefox(void)
{
    int code;
    free(shell(&code, "firefox-esr --version"));
    if (code != 0)
        cr_skip_test("Firefox is not installed; it is Debian's package firefox-esr");
    setenv("LANEWISE_BROWSER", "firefox", 1);
}

char *browser_type(const char *name, const char *keys)
{
    shell_patience(320);
    return shell_must(FIREFOX "%s %s", name, keys);
}
