// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(cl_khr_extended_bit_ops)
#error "no cl_khr_extended_bit_ops"
#endif
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)

// Every offset and count that stay in the type: i is offset * (bits + 1) + count.
kernel void scalar(global const T* base, global const T* insert, global T* out) {
  const uint i = get_global_id(0), offset = i / (BITS + 1), count = i % (BITS + 1);
  const bool valid = offset + count <= BITS;
  out[i * 4 + 0] = valid ? bitfield_insert(base[i], insert[i], offset, count) : 0;
  out[i * 4 + 1] = valid ? (T)bitfield_extract_signed(base[i], offset, count) : 0;
  out[i * 4 + 2] = valid ? (T)bitfield_extract_unsigned(base[i], offset, count) : 0;
  out[i * 4 + 3] = bit_reverse(base[i]);
}

kernel void vector(global const T* base, global const T* insert, global T* out) {
  const uint i = get_global_id(0), offset = i / (BITS + 1), count = i % (BITS + 1);
  const bool valid = offset + count <= BITS;
  const CAT(T, 3) b = (CAT(T, 3))(3, base[i], 5), s = (CAT(T, 3))(1, insert[i], 2);
  out[i * 4 + 0] = valid ? bitfield_insert(b, s, offset, count).y : 0;
  out[i * 4 + 1] = valid ? (T)bitfield_extract_signed(b, offset, count).y : 0;
  out[i * 4 + 2] = valid ? (T)bitfield_extract_unsigned(b, offset, count).y : 0;
  out[i * 4 + 3] = bit_reverse(b).y;
}
