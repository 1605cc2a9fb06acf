#!/usr/bin/env bash
# Grades the files in the working directory with the kit in the image (Dockerfile). If the image has no kit, first
# builds the kit next to this file, which takes minutes.
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
