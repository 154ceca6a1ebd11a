// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void classify(global const float* in, global int* out) {
  const int i = get_global_id(0);
  const float x = in[i];
  out[i * 2] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | (signbit(x) != 0) << 4;
  const float y = in[(i + 1) % get_global_size(0)];
  out[i * 2 + 1] = isless(x, y) | isgreater(x, y) << 1 | isequal(x, y) << 2 | isnotequal(x, y) << 3 | isunordered(x, y) << 4 |
                   isordered(x, y) << 5 | islessequal(x, y) << 6 | isgreaterequal(x, y) << 7 | islessgreater(x, y) << 8;
}
