// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void divide(global const int4* a, global const int4* b, global int4* q, global uint4* r) {
  const int i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = as_uint4(a[i]) % as_uint4(b[i]);
}
