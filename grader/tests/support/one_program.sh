#!/usr/bin/env bash
# Writes one CUDA program that contains many, because the compiler needs a second or two for each program:
#
#   one_program.sh FILE.cu...     then "all FILE" runs FILE.cu, whose functions are in a namespace of its own
#
# Files include only headers in angle brackets, and their main() has a return statement, because it gets another name.
echo '#include <string.h>'
sed -nE 's/^(#include <[^>]*>).*/\1/p' "$@" | sort -u
echo 'static int start(int (*run)(), int, char **) { return run(); }'
echo 'static int start(int (*run)(int, char **), int argc, char **argv) { return run(argc, argv); }'
for file; do
    name=example_${file//[^a-z0-9]/_}
    printf 'namespace %s {\n#define main run\n#include "%s"\n#undef main\n}\n' "$name" "$file"
    runs+="    if (strcmp(argv[1], \"${file%.cu}\") == 0) return start($name::run, argc - 1, argv + 1);"$'\n'
done
printf 'int main(int argc, char **argv) {\n%s    return 99;\n}\n' "$runs"
