// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-items change local memory in place, some of each vector, and read what is beside it between two barriers.

__attribute__((reqd_work_group_size(256, 1, 1))) kernel void sweeps(global uint* out, global const uint* in) {
  local uint x[256];
  int l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 256; d *= 2) {
    if (l % (2 * d) == 2 * d - 1)
      x[l] += x[l - d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 255)
    x[255] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 128; d > 0; d /= 2) {
    if (l % (2 * d) == 2 * d - 1) {
      uint t = x[l - d];
      x[l - d] = x[l];
      x[l] += t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = x[l];
}

// Pairs from an even place on, then from an odd one, the last of which reach into the next vector.
__attribute__((reqd_work_group_size(128, 1, 1))) kernel void pairs(global short* out, global const short* in) {
  local short x[128];
  const uint l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  for (uint phase = 0; phase < 2; ++phase) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((l & 1) == phase && l + 1 < 128) {
      const short a = x[l], b = x[l + 1];
      x[l] = min(a, b);
      x[l + 1] = max(a, b);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[l];
}

// Work-items 3, 20 and the last one are alone in their steps.
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void alone(global float* out, global const float* in) {
  local float x[64];
  const int l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 3)
    x[0] = x[63] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 63)
    x[l] = x[l - 63] * 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((l & 31) == 20)
    x[l + 1] += x[63];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[l];
}

// Stores to global memory must not write beside what the program writes.
kernel void inside(global uint* out, global const uint* in, uint first, uint last) {
  local uint x[256];
  const uint l = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
  x[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= first && i < last)
    out[i] = x[size - 1 - l] + l;
}
