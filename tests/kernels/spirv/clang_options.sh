# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For scripts that call clang: makes the build options "$options" its arguments, with the standard and the language apart, and
# without options that are Clotho's alone.
std=-cl-std=CL1.2 language=cl
eval "set -- $(printf %s "$options" | sed 's/[()]/\\&/g')"
for option; do
  shift
  case $option in
    -clotho-*) continue ;;
    -cl-std=*) std=$option ;;
  esac
  case $option in
    -cl-std=CLC++*) language=clcpp ;;
  esac
  set -- "$@" "$option"
done
