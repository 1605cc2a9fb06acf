#!/usr/bin/env bash
# Gradescope runs this as root while it builds the container's image. The zip is in /autograder/source.
set -eu
bash "${LANEWISE_AUTOGRADER:-/autograder}/source/install.sh"
