// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A byte a work-item, counters in global memory.
kernel void count(global const uchar* in, global uint* counts) { atomic_inc(&counts[in[get_global_id(0)]]); }
