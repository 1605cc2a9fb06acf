# Checks the includes of the files on the command line against grader/arrows, which comes first among them.
# A line for each include that is not allowed; the exit code is 1 if there is one.

function folder_of(path) {
    sub(/^grader\//, "", path)
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
            complain($i " must have a line above this one: arrows make no circles")
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
        complain(from " may not include " part[2] ": grader/arrows lists what it may")
}

END { exit bad }
