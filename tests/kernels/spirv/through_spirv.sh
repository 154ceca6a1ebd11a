#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The same in two steps, of which the first makes SPIR-V: through_spirv.sh <tool> <what> <source> <build options> <output>
set -e
"$1" compile "$3" --options "$4" --emit spirv -o "$5"
"$1" compile "$5" --options "$4" --emit "$2" -o "$5"
