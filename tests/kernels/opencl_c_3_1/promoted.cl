// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that were an extension's before OpenCL C 3.1: no pragma turns them on, and no macro is asked for.
#ifdef DISABLES_ALL
#pragma OPENCL EXTENSION all : disable
#endif

kernel void bits(global const uint* a, global uint* out) {
  const int i = get_global_id(0);
  out[i * 4 + 0] = bitfield_insert(a[i], 0x5u, 4, 3);
  out[i * 4 + 1] = bitfield_extract_unsigned(a[i], 8, 7);
  out[i * 4 + 2] = bitfield_extract_signed(as_int(a[i]), 8, 7);
  out[i * 4 + 3] = bit_reverse(bit_reverse((uint2)(a[i], 1))).x ^ bit_reverse((uchar)(a[i] & 1));
}

kernel void products(global const uchar4* a, global const char4* b, global int* out) {
  const int i = get_global_id(0);
  out[i * 4 + 0] = dot(a[i], b[i]);
  out[i * 4 + 1] = dot_acc_sat(a[i], b[i], INT_MAX - 5);
  out[i * 4 + 2] = dot_4x8packed_us_int(as_uint(a[i]), as_uint(b[i]));
  out[i * 4 + 3] = dot_acc_sat_4x8packed_us_int(as_uint(a[i]), as_uint(b[i]), INT_MIN + 5);
}

// Each is 1 where the functions give what other lanes have.
kernel void lanes(global const int* a, global int* out) {
  const uint i = get_global_id(0), lane = get_sub_group_local_id(), size = get_sub_group_size();
  const uint first = sub_group_broadcast(i, 0), next = (lane + 1) % size, flip = (lane ^ 1) < size;
  bool right = sub_group_shuffle(a[i], next) == a[first + next];
  right &= sub_group_shuffle_xor(a[i], flip) == a[first + (lane ^ flip)];
  right &= sub_group_shuffle_up(a[i], lane > 0) == a[first + lane - (lane > 0)];
  right &= sub_group_shuffle_down(a[i], lane + 1 < size) == a[first + lane + (lane + 1 < size)];
  const bool isWhole = size == get_max_sub_group_size(); // as rotations count
  right &= sub_group_rotate(a[i], isWhole) == a[first + (isWhole ? next : lane)];
  right &= sub_group_clustered_rotate(a[i], flip, 2) == a[first + (lane ^ flip)];
  out[i] = right;
}

kernel void smallTypes(global const int* a, global int* out) {
  const uint i = get_global_id(0), first = sub_group_broadcast(i, 0), last = get_sub_group_size() - 1;
  short sum = 0;
  for (uint j = 0; j <= last; ++j)
    sum += (short)a[first + j];
  bool right = sub_group_reduce_add((short)a[i]) == sum;
  right &= sub_group_broadcast((char)a[i], 0) == (char)a[first];
  right &= all(sub_group_broadcast((ushort3)(a[i], 2, 3), last) == (ushort3)(a[first + last], 2, 3));
  right &= sub_group_scan_inclusive_max((uchar)get_sub_group_local_id()) == get_sub_group_local_id();
  out[i] = right;
}
