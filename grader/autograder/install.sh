#!/usr/bin/env bash
# Prepares the kit next to this file: installs what it needs, as root or through sudo, and builds it. If there is
# no CUDA compiler, downloads one. Works on Debian 12, on Ubuntu 24.04, and on newer versions. No GPU is needed.
set -eu
cd "$(dirname "$0")/lanewise"
export DEBIAN_FRONTEND=noninteractive
grader/setup.sh grade
make lanewise
