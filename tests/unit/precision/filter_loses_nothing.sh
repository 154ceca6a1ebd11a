#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A sweep with the filter finds what one without finds: the same worst errors, at the same arguments, and as many results
# beyond the limits. usage: filter_loses_nothing.sh <clotho-precision>
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$1" --quick --state "$folder/filtered"
"$1" --quick --unfiltered --state "$folder/all"
diff "$folder/filtered" "$folder/all"
