#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPIR-V of a program by the command-line tool: by_clotho.sh <tool> <source> <build options> <output>
exec "$1" compile "$2" --options "$3" --emit spirv -o "$4"
