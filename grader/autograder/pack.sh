#!/usr/bin/env bash
# Packs an autograder for a learning system (`make autograder`).
#
#   pack.sh gradescope|autolab|github FOLDER LANEWISE [LAB] [COURSE]
#
# All packages contain the same kit: the source of the grader, without solutions, tests and students' files;
# install.sh, which builds the grader where the kit is unpacked; and `options`, a file that says what to grade.
# Without LAB, all labs are graded, and a lab that was not handed in gets 0 points.
# Exit code: 0, or 2 with one line that says what to do.
set -eu
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
format=${1:-} folder=${2:-} lanewise=${3:-} lab=${4:-} course=${5:-}

fail() {
    echo "make autograder: $1" >&2
    exit 2
}

case $format in
gradescope | github) ;;
autolab) [ -n "$lab" ] || fail 'an assessment of Autolab is one lab: add LAB=02' ;;
*) fail 'name the learning system: add FORMAT=gradescope, autolab or github' ;;
esac

# Lists the files of the kit, one per line.
kit_files() {
    find Makefile LICENSE README.md grader labs shared -path grader/tests -prune -o \
        -path 'labs/*.cu' ! -name .skeleton.cu -prune -o -name .progress.json -prune -o -type f -print
    find grader/tests handouts solutions -name rules.mk
}

make_kit() {
    rm -rf "$folder/kit"
    mkdir -p "$folder/kit/lanewise"
    (cd "$root" && kit_files | LC_ALL=C sort | tar -cf - -T -) | tar -xf - -C "$folder/kit/lanewise"
    cp "$parts/install.sh" "$folder/kit"
    : >"$folder/kit/options"
    if [ -n "$lab" ]; then
        printf '%s\n' --lab "$lab" >>"$folder/kit/options"
    fi
    if [ -n "$course" ]; then
        cp "$course" "$folder/kit/course.yaml"
        printf '%s\n' --course course.yaml >>"$folder/kit/options"
    fi
}

# Grades an empty folder with the kit's options. This checks LAB and COURSE, and writes the labs, their points and
# their files to labs.xml and labs.json.
try_options() {
    mapfile -t options <"$folder/kit/options"
    (cd "$folder/kit" && mkdir -p ../nothing &&
        "$lanewise" grade "${options[@]}" --submission ../nothing --device emulator --format junit \
            --out ../labs.xml --json ../labs.json >/dev/null) || exit 2
}

pack_gradescope() {
    cp "$parts/gradescope/"* "$folder/kit/"
    chmod +x "$folder/kit/setup.sh" "$folder/kit/run_autograder"
    rm -f "$folder/gradescope.zip"
    (cd "$folder/kit" && zip -qrX ../gradescope.zip .)
    echo "$folder/gradescope.zip: upload it under Configure Autograder; choose the newest Ubuntu there"
}

# Autolab unpacks nothing by itself: it puts autograde.tar next to the submission and runs the Makefile.
pack_autolab() {
    local id points file name
    id=$(sed -n 's/^<testsuite name="\([^"]*\)".*/\1/p' "$folder/labs.xml")
    points=$(sed -n 's/.*name="max_score" value="\([^"]*\)".*/\1/p' "$folder/labs.xml")
    file=$(sed -n 's/^ *"submission": "\(.*\)",$/\1/p' "$folder/labs.json")
    name=$(tr -dc 'a-z0-9' <<<"$id")
    rm -rf "$folder/autolab" && mkdir -p "$folder/autolab"
    cp "$parts/autolab/autograde.sh" "$folder/kit/"
    tar -C "$folder/kit" -cf "$folder/autolab/autograde.tar" .
    cp "$parts/autolab/autograde-Makefile" "$parts/autolab/Dockerfile" "$folder/autolab/"
    sed -e "s/@NAME@/$name/" -e "s/@FILE@/$file/" -e "s/@LAB@/$id/" -e "s/@POINTS@/$points/" \
        "$parts/autolab/assessment.yml" >"$folder/autolab/$name.yml"
    echo "$folder/autolab: build the Dockerfile's image on the Tango host, then import the folder as an assessment"
}

pack_github() {
    rm -rf "$folder/github" && mkdir -p "$folder/github/.github/workflows" "$folder/github/.lanewise" \
        "$folder/github/classroom50"
    tar -C "$folder/kit" -czf "$folder/github/.lanewise/kit.tar.gz" .
    cp "$parts/github/lanewise.yml" "$folder/github/.github/workflows/"
    cp "$parts/github/autograder.py" "$folder/github/.lanewise/kit.tar.gz" "$folder/github/classroom50/"
    echo "$folder/github: put .github and .lanewise into the class's template repository;" \
        "classroom50 is for CLASSROOM/autograders/ASSIGNMENT"
}

mkdir -p "$folder"
lanewise=$(realpath "$lanewise")
make_kit
try_options
"pack_$format"
