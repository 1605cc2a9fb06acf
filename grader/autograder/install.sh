#!/usr/bin/env bash
# Prepares the kit next to this file: installs what it needs, as root or through sudo, including a CUDA
# compiler if there is none, and builds it. Debian 12 and Ubuntu 24.04 or newer have all of it. No GPU is needed.
set -eu
cd "$(dirname "$0")/lanewise"
export DEBIAN_FRONTEND=noninteractive
grader/setup.sh grade
make lanewise
