// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers that are exact numbers.
kernel void whole(global const int* in, global int* wrong) {
  const size_t i = get_global_id(0);
  const int n = in[i] - 126;
  wrong[i] = (exp2((float)n) != ldexp(1.0f, n)) + 2 * (exp(0.0f * n) != 1.0f) + 4 * (exp10(-0.0f * n) != 1.0f);
}
