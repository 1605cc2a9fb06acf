#!/usr/bin/env bash
# Makes the kit beside this file ready: installs what it needs (as root, or through sudo; a CUDA compiler too,
# if there is none) and builds it. Debian 12 and Ubuntu 24.04 or newer have all of it; no GPU is needed.
set -eu
cd "$(dirname "$0")/lanewise"
export DEBIAN_FRONTEND=noninteractive
grader/setup.sh grade
make lanewise
