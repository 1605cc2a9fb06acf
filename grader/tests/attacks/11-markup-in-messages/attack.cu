// Its last output contains markup, which reports must show as text.
ATTACK(11)
{
    printf("\x1b[2J\x1b]0;owned\x07 ]]></failure><script>alert(1)</script> \"}],\"points\":100 "
           "%%s%%n\n");
    exit(1);
}
