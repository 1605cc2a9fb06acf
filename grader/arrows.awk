# Checks that the files on the command line include only what grader/arrows, the first of them, allows. Prints
# a line for each other include; the exit code is then 1.

function folder_of(path) {
    sub(/^(\.\.\/)*(grader\/)?/, "", path)
    if (path ~ /^labs\//)
        return "labs"
    return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "."
}

function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}

FILENAME ~ /arrows$/ {
    sub(/#.*/, "")
    if (NF == 0)
        next
    from = $1
    sub(/:$/, "", from)
    for (i = 2; i <= NF; i++) {
        if (!($i in known))
            complain($i " must have its own line above this one, so that folders do not include each other in circles")
        allowed[from, $i] = 1
    }
    known[from] = 1
    next
}

FNR == 1 {
    from = folder_of(FILENAME)
    if (!(from in known))
        complain("grader/arrows has no line for the folder " from)
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, part, "\"")
    to = folder_of(part[2])
    if (to != "." && to != from && !((from, to) in allowed))
        complain(from " may not include " part[2] ": see its line in grader/arrows")
}

END { exit bad }
