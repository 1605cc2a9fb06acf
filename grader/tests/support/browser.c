#include "tests/support/browser.h"

#include <stdlib.h>

#include "tests/support/shell.h"

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
    return shell_must(BROWSER "--dump-dom file://$PWD/around.html 2>log; grep CONSOLE log; echo");
}
