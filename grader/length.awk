# Complains about files over 800 lines and, outside the tests, functions over 60. Tables (.def, .inc) may be longer,
# and are not given.

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
