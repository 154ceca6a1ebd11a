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

// Each is 1 where the function gives what another lane has.
kernel void lanes(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  const uint lane = get_sub_group_local_id(), size = get_sub_group_size();
  const size_t first = i - lane;
  const uint next = (lane + 1) % size;
  bool right = sub_group_shuffle(a[i], next) == a[first + next];
  right &= sub_group_shuffle_xor(a[i], 1) == a[first + (lane ^ 1)];
  right &= sub_group_shuffle_up(a[i], lane > 0) == a[first + lane - (lane > 0)];
  right &= sub_group_shuffle_down(a[i], lane + 1 < size) == a[first + lane + (lane + 1 < size)];
  right &= sub_group_rotate(a[i], 1) == a[first + next];
  right &= sub_group_clustered_rotate(a[i], 1, 2) == a[first + (lane ^ 1)];
  out[i] = right;
}

kernel void smallTypes(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  const size_t first = i - get_sub_group_local_id();
  short sum = 0;
  for (uint j = 0; j < get_sub_group_size(); ++j)
    sum += (short)a[first + j];
  bool right = sub_group_reduce_add((short)a[i]) == sum;
  right &= sub_group_broadcast((char)a[i], 0) == (char)a[first];
  right &= all(sub_group_broadcast((ushort3)(a[i], 2, 3), 1) == (ushort3)(a[first + 1], 2, 3));
  right &= sub_group_scan_inclusive_max((uchar)get_sub_group_local_id()) == get_sub_group_local_id();
  out[i] = right;
}
