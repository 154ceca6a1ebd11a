// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void nested(global int* out, local int* shared, int outer, int inner) {
  const int l = get_local_id(0), n = get_local_size(0);
  int seen = 0;
  shared[l] = l;
  for (int a = 0; a < outer; ++a) {
    int row = 0;
    for (int b = 0; b < inner; ++b) {
      barrier(CLK_LOCAL_MEM_FENCE);
      row += shared[(l + b) % n];
      barrier(CLK_LOCAL_MEM_FENCE);
      if ((a + b) % 2 == 0) shared[l] += 1;
    }
    seen += row * (a + 1);
  }
  out[get_global_id(0)] = seen;
}
