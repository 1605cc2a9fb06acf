#!/usr/bin/env bash
# Sets up editors for this tree (`make editor`):
#
#   editor.sh CUDA_HOME
#
#   .clangd                     clangd: completion and errors as you type in .cu files
#   .vscode/tasks.json          VS Code: grading as a task, its findings in the margin
#   .vscode/extensions.json     VS Code: recommends the extension for clangd
#   .vim/compiler/lanewise.vim  Vim: `:compiler lanewise`, then `:make` and the quickfix list
#
# git ignores these files. A file that somebody else wrote is left alone; then ours is put beside it, with the
# ending .lanewise. Exit code: 0.
set -eu
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
cuda=$1
mark='Written by make editor'

# write FILE: writes standard input to FILE or, if somebody else wrote FILE, to FILE.lanewise.
write() {
    local file=$root/$1
    mkdir -p "$(dirname "$file")"
    if [ -e "$file" ] && ! head -n 1 "$file" | grep -q "$mark"; then
        file=$file.lanewise
        echo "  $1 is your own: left alone; compare it with $1.lanewise"
    else
        echo "  $1"
    fi
    cat >"$file"
}

filled() {
    sed -e "s|@ROOT@|$root|g" -e "s|@CUDA@|$cuda|g" -e "s|@MARK@|$mark|g" "$parts/$1"
}

filled clangd.yaml | write .clangd
filled tasks.json | write .vscode/tasks.json
filled extensions.json | write .vscode/extensions.json
filled lanewise.vim | write .vim/compiler/lanewise.vim
cat <<END

clangd   install it if your editor has none (Debian: clangd); it finds .clangd by itself
VS Code  open the folder $root; "Tasks: Run Task" has "Lanewise: grade this lab"
Vim      :set runtimepath+=$root/.vim | compiler lanewise, then :make in a lab's file
END
