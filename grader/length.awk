# Complains about files of more than 800 lines and, outside the tests, about functions of more than 60. It is not run
# on tables (.def, .inc), which may be longer.

function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}

FNR == 801 { complain("the file is longer than 800 lines") }
$0 == "{" { began = FNR }
$0 == "}" && began {
    if (FNR - began - 1 > 60 && FILENAME !~ /tests\//)
        complain("a function of " FNR - began - 1 " lines ends here; the limit is 60")
    began = 0
}

END { exit bad }
