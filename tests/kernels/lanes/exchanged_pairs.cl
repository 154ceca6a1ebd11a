// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of two partners exchanges what both have, with strides that are the same for the whole launch.
kernel void step(global uint* data, global const uint* was, int size, int stride) {
  const int i = get_global_id(0), partner = i ^ stride;
  if (partner > i) {
    const uint a = data[i], b = data[partner];
    const bool ascending = (i & size) == 0;
    if (ascending ? a > b : a < b) {
      data[i] = b;
      data[partner] = a;
    }
  }
}

// The upper one does it, the partner's is loaded and stored first, and what is stored differs.
kernel void upper(global ulong* data, global const ulong* was, int size, int stride) {
  const size_t i = get_global_id(0), partner = i ^ stride;
  if (partner >= i) return;
  const ulong b = data[partner], a = data[i];
  data[partner] = 3 * a + b;
  data[i] = a ^ 5 * b;
}

// Keys and values, up to a number of work-items.
kernel void pairs(global float* keys, global ushort* values, global const float* was, int count, int stride) {
  const int i = get_global_id(0), partner = i ^ stride;
  if (i >= count) return;
  if (i < partner) {
    const float a = keys[i], b = keys[partner];
    const ushort x = values[i], y = values[partner];
    if (a > b) {
      keys[i] = b;
      keys[partner] = a;
      values[i] = y;
      values[partner] = x;
    }
  }
}

// Not all lanes come so far, so no lane can do what another does.
kernel void parted(global uint* data, global const uint* was, int size, int stride) {
  const int i = get_global_id(0), partner = i ^ stride;
  if (was[i] % 3 == 0) return;
  if (partner > i) {
    const uint a = data[i], b = data[partner];
    data[i] = b;
    data[partner] = a;
  }
}

// What the partner would do is something else, or would be too much.
kernel void unlike(global uint* data, global const uint* was, int size, int stride) {
  const int i = get_global_id(0), partner = i ^ stride;
  if (partner > i) {
    const uint a = data[i], b = data[partner];
    data[i] = b + i;
    data[partner] = a;
  }
}

kernel void half_of_it(global uint* data, global const uint* was, int size, int stride) {
  const int i = get_global_id(0), partner = i ^ stride;
  if (partner > i) {
    const uint a = data[i], b = data[partner];
    if (a > b) data[i] = b;
  }
}

// The stride follows from an argument.
kernel void computed(global uint* data, global const uint* was, int size, int twice) {
  const uint i = get_global_id(0), partner = i ^ (uint)twice >> 1;
  if (partner > i) {
    const uint a = data[i], b = data[partner];
    if (((i & (uint)size) != 0) == (a > b)) {
      data[i] = b;
      data[partner] = a;
    }
  }
}
