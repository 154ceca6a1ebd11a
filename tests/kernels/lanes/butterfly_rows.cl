// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partners i ^ s of exchanges: where rows of lanes begin at multiples of the width, they are such rows in another order.
kernel void loaded(global uint* out, global const uint* in, int strides) {
  const int i = get_global_id(0), n = get_global_size(0), first = get_global_offset(0);
  for (int s = 0; s < strides; s++) {
    global uint* step = out + s * n;
    step[i - first] = in[i ^ s];
  }
}

kernel void stored(global ulong* out, global const ulong* in, int strides) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  for (int s = 0; s < strides; s++) {
    global ulong* step = out + s * n;
    step[i ^ s] = in[i] * 2;
  }
}

kernel void guarded(global uint* out, global const uint* in, int strides) {
  const int i = get_global_id(0), n = get_global_size(0);
  for (int s = 0; s < strides; s++) {
    global uint* step = out + s * n;
    const int partner = i ^ s;
    if (partner > i && (i * 7 & 3) != 0) {
      const uint a = in[i], b = in[partner];
      step[i] = b;
      step[partner] = a + 1;
    }
  }
}

kernel void bytes(global uchar* out, global const uchar* in, int strides) {
  const uint i = get_global_id(0), n = get_global_size(0);
  for (uint s = 0; s < strides; s++) {
    global uchar* step = out + s * n;
    if ((i & 5) != 1) step[i ^ s] = in[i ^ s ^ 3];
  }
}

kernel void constants(global float* out, global const float* in, int strides) {
  const uint i = get_global_id(0), n = get_global_size(0);
  out[i ^ 4] = in[i ^ 2];
  out[n + (i ^ 33)] = in[i ^ 21];
}

// What a sorting network asks, with all strides and sizes.
kernel void exchanged(global uint* out, global const uint* in, int strides) {
  const int i = get_global_id(0), n = get_global_size(0);
  for (int s = 0; s < strides; s++)
    for (int size = 0; size < 80; size += 8) {
      global uint* step = out + (s * 10 + size / 8) * n;
      const int partner = i ^ s;
      if (partner > i) {
        const uint a = in[i], b = in[partner];
        const bool ascending = (i & size) == 0;
        if (ascending ? a > b : a < b) {
          step[i] = b;
          step[partner] = a;
        }
      }
    }
}

// The other way round, and unsigned.
kernel void exchanged_down(global ulong* out, global const ulong* in, int strides) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  for (int s = 0; s < strides; s++) {
    global ulong* step = out + s * n;
    const size_t partner = i ^ s;
    if (i < partner)
      step[i] = in[partner];
    else
      step[i] = in[i ^ s] + in[i] * (i & 32);
  }
}
