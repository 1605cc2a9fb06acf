#!/usr/bin/env bash
# Lists the files and folders of the repository that these Markdown files name and that do not exist:
#
#   handouts/checks/paths.sh README.md handouts/*.md
#
# Checks paths in `code` that begin with a folder of the tree, such as `grader/judge/score.c`, and links of README.md.
# A * matches anything, NN-name any lab; paths with NAME or 07-histogram are not checked. Exit code: 0 all exist,
# 1 some do not.
cd "$(dirname "$0")/../.." || exit 2
found=$(
    for page; do
        grep -noE '(`|]\()(\.ci|grader|handouts|labs|shared|solutions)/[^` )]*' "$page" |
            while IFS=: read -r line path; do
                path=${path#*[\`(]}
                pattern=${path//NN-name/[0-9]*}
                case ${path%%#*} in *NAME* | *07-histogram* | *@* | *.progress.json) continue ;; esac
                compgen -G "${pattern%%#*}" >/dev/null || echo "$page:$line: there is no $path"
            done
    done
)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
