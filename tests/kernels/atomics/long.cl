// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void wide(global long* out, global const long* in, global ulong* bits) {
  const long v = in[get_global_id(0)];
  atom_add(&out[0], v);
  atom_sub(&out[1], v);
  atom_inc(&out[2]);
  atom_dec(&out[3]);
  atom_min(&out[4], v);
  atom_max(&out[5], v);
  atom_or(bits, 1ul << get_global_id(0));
  long old = out[6];
  for (long seen; (seen = atom_cmpxchg(&out[6], old, old ^ v)) != old;) old = seen;
  atom_xchg(&out[7], 77l);
}
