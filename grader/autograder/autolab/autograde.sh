#!/usr/bin/env bash
# Grades what lies in the working directory, with the kit of the image (Dockerfile), or else with the one beside
# this file, which takes minutes to build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
kit=${LANEWISE_KIT:-/opt/lanewise}
if [ ! -x "$kit/lanewise/build/lanewise" ]; then
    kit=$here
    bash "$kit/install.sh" >install.log 2>&1 || {
        cat install.log
        exit 1
    }
fi
handin=$PWD
mapfile -t options <"$here/options"
cd "$here"
"$kit/lanewise/build/lanewise" grade "${options[@]}" --submission "$handin" --device emulator \
    --json result.json --format autolab --out scores
cat scores
