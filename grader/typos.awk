# Says which target or variable of a make command does not exist, and suggests an existing one.
#
#   awk -v goals='grade' -v variables='LABS' -v labs='01-parallelize 02-coalesce' -f grader/typos.awk Makefile
#
# A line "target: ... ## text [VARIABLE= ...]" of the Makefile names a target and the variables that it reads.
# Prints one line about the first mistake, or nothing.

/^[a-z0-9-]+:.*## / {
    name = $1
    sub(/:.*/, "", name)
    targets[++count] = name
    takes[name] = ""
    sub(/.*## /, "")
    while (match($0, /[A-Z_]+=/)) {
        takes[name] = takes[name] " " substr($0, RSTART, RLENGTH - 1)
        $0 = substr($0, RSTART + RLENGTH)
    }
}

END {
    goals_typed = split(goals, goal, " ")
    for (i = 1; i <= goals_typed; i++) {
        if (goal[i] ~ /\//) exit # a file, which may have a rule in another file
        if (!(goal[i] in takes)) {
            print "no target \"" goal[i] "\": " instead_of_target(goal[i])
            exit
        }
        accepted = accepted takes[goal[i]]
    }
    variables_typed = split(variables, variable, " ")
    for (i = 1; i <= variables_typed; i++)
        if (!index(accepted " ", " " variable[i] " ")) {
            print without_target(variable[i]) instead_of_variable(variable[i])
            exit
        }
}

function instead_of_target(word,    all, i, found, takes_lab) {
    for (i = 1; i <= count; i++) all = all " " targets[i]
    found = nearest(word, all)
    if (found != "") return "try make " found
    takes_lab = "grade"
    for (i = goals_typed; i >= 1; i--) if (index(takes[goal[i]] " ", " LAB ")) takes_lab = goal[i]
    if (word ~ /^[0-9]+$/ || (length(word) > 2 && index(labs, word))) return "try make " takes_lab " LAB=" word
    return "make help lists all targets"
}

function without_target(word) {
    return goals_typed ? "make " goals " has no variable " word ": " : word "= needs a target: "
}

function instead_of_variable(word,    all, i, found) {
    if (goals_typed) {
        found = nearest(word, accepted)
        if (found != "") return "try " found "="
        if (accepted == "") return "it takes none"
        gsub(/ /, "= ", accepted)
        return "it takes" substr(accepted, 2) "="
    }
    for (i = 1; i <= count; i++) all = all takes[targets[i]]
    found = nearest(word, all)
    for (i = 1; i <= count; i++)
        if (found != "" && index(takes[targets[i]] " ", " " found " ")) return "try make " targets[i] " " found "="
    return "make help lists all variables"
}

# The word of LIST that begins with WORD, or that is at most two mistakes away from WORD; "" if there is none.
function nearest(word, list,    n, candidate, i, d, best, found) {
    n = split(list, candidate, " ")
    best = length(word) > 4 ? 2 : 1
    for (i = 1; i <= n; i++)
        if (length(word) > 2 && index(tolower(candidate[i]), tolower(word)) == 1) return candidate[i]
    for (i = 1; i <= n; i++) {
        d = mistakes(tolower(word), tolower(candidate[i]))
        if (d < best || (d == best && found == "")) {
            best = d
            found = candidate[i]
        }
    }
    return found
}

# The number of mistakes that turn A into B: a letter added, left out or replaced, or two letters swapped.
function mistakes(a, b,    i, j, d, least) {
    for (i = 0; i <= length(a); i++) d[i, 0] = i
    for (j = 0; j <= length(b); j++) d[0, j] = j
    for (i = 1; i <= length(a); i++)
        for (j = 1; j <= length(b); j++) {
            least = d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1))
            if (d[i - 1, j] + 1 < least) least = d[i - 1, j] + 1
            if (d[i, j - 1] + 1 < least) least = d[i, j - 1] + 1
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1) &&
                d[i - 2, j - 2] + 1 < least) least = d[i - 2, j - 2] + 1
            d[i, j] = least
        }
    return d[length(a), length(b)]
}
