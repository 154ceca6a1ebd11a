#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian's clinfo, unmodified: it must find the platform and get an answer, not an error, to every query.
set -eu
list=$(clinfo -l)
echo "$list"
grep -q 'Platform #0: Clotho' <<<"$list"
grep -q 'Device #0' <<<"$list"
# For loaders that want a folder the build tree has one.
OCL_ICD_VENDORS=$(dirname "$OCL_ICD_VENDORS")/vendors clinfo -l | grep -q 'Platform #0: Clotho'
all=$(clinfo)
echo "$all"
[ "$(wc -l <<<"$all")" -gt 80 ]
# clinfo prints <error ...> where a query that it thinks is supported fails.
if errors=$(grep -E '<.*(error|Error|ERROR|invalid|failed).*>|CL_INVALID|core dumped' <<<"$all"); then
  echo "not clean:"
  echo "$errors"
  exit 1
fi
raw=$(clinfo --raw)
[ "$(grep -c 'CL_DEVICE_' <<<"$raw")" -gt 60 ]
grep -q 'CL_PLATFORM_ICD_SUFFIX_KHR *CLOTHO' <<<"$raw"
