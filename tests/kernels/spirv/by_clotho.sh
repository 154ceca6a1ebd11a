#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the command-line tool makes of a program: by_clotho.sh <tool> <what> <source> <build options> <output>
exec "$1" compile "$3" --options "$4" --emit "$2" -o "$5"
