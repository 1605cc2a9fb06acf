# Complains about C files of more than 600 lines, and about headers and CUDA files of more than 800; outside the tests,
# about functions of more than 60; and in the grader, about lines wider than 100 columns. It is not run on tables (.def,
# .inc), which may be longer.

function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}

FNR == 1 { most = FILENAME ~ /\.c$/ ? 600 : 800 }
FNR == most + 1 { complain("the file is longer than " most " lines") }
# clang-format does not break all comments. It must not break strings. awk may count a letter such as a Greek one twice.
length($0) > 100 && FILENAME ~ /^grader\// && FILENAME !~ /tests\// && !/["\200-\377]/ {
    complain("the line is wider than 100 columns")
}
$0 == "{" { began = FNR }
$0 == "}" && began {
    if (FNR - began - 1 > 60 && FILENAME !~ /tests\//)
        complain("a function of " FNR - began - 1 " lines ends here; the limit is 60")
    began = 0
}

END { exit bad }
