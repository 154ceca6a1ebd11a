// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three and nine elements of each work-item, side by side, and planes of them.
kernel void threes(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  T r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
  out[3 * i] = g;
  out[3 * i + 1] = b;
  if (i < n)
    out[3 * i + 2] = r;
  else
    out[3 * i + 2] = r + (T)1;
}

// Indices without a sign, which may wrap around for all that the compiler knows.
kernel void unsigned_threes(global const T* in, global T* out, uint n) {
  const uint i = 3 * get_global_id(0);
  T r = in[i], g = in[i + 1], b = in[i + 2];
  out[n - i - 1] = r;
  out[n - i - 2] = g;
  out[n - i - 3] = b;
}

// Planes of what lies in threes, and matrices of 3 x 3.
kernel void planes(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  for (int c = 0; c < 3; ++c)
    out[c * n + i] = in[3 * i + c] + (T)c;
}

kernel void matrices(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) {
      T sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += in[9 * i + 3 * r + k] * in[9 * i + 3 * k + c];
      out[9 * i + 3 * r + c] = sum;
    }
}
