#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The image example on a PNG and on what it has written itself; usage: engrave.sh <program> <picture> <scratch folder>
set -eu
mkdir -p "$3"
"$1" "$2" "$3/first.png"
file "$3/first.png" | grep -q 'PNG image data, 640 x 426'
"$1" "$3/first.png" "$3/second.png"
# A JPEG of 17 x 13 pixels: sizes that no work-group divides.
base64 -d > "$3/small.jpg" <<'JPEG'
/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4
x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAN
ABEDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABQAG/8QAGxAAAQUBAQAAAAAAAAAAAAAAAAIDBCFhFBX/xAAWAQEBAQAAAAAAAAAAAA
AAAAACBAX/xAAaEQACAgMAAAAAAAAAAAAAAAAAAQQSAgMU/9oADAMBAAIRAxEAPwAJmDggzAwSYjooSYjIohx2XDEmME8/CNLzIIdTX7Wf/9k=
JPEG
output=$("$1" "$3/small.jpg" "$3/small.png")
echo "$output"
grep -q '17 x 13 pixels' <<<"$output"
if "$1" /nonexistent.png "$3/none.png" 2>/dev/null; then exit 1; fi
