// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// cl_khr_kernel_clock: the processor's time stamp, which runs at one rate and alike on all cores. One clock serves every
// scope.
ulong timeStamp(void) __asm__("llvm.readcyclecounter");

#define CLOCK(SCOPE)                                                 \
  ulong OVERLOAD clock_read_##SCOPE(void) { return timeStamp(); }    \
  uint2 OVERLOAD clock_read_hilo_##SCOPE(void) { return as_uint2(timeStamp()); }

CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)
