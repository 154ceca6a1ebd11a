// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void arguments(local char* a, global int* out, local double* b, local short* c) {
  const int l = get_local_id(0), n = get_local_size(0);
  a[l] = l + 1;
  b[l] = l * 0.5;
  c[l] = l * 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int k = n - 1 - l;
  out[get_global_id(0)] = a[k] + (int)(b[k] * 2) * 100 + c[k] * 10000;
}
