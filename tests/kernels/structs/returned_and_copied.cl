// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct { float x[5]; int n; } Poly;
Poly derive(Poly p) {
  Poly d;
  for (int k = 1; k < 5; ++k) d.x[k - 1] = p.x[k] * k;
  d.x[4] = 0;
  d.n = p.n - 1;
  return d;
}
kernel void structs(global float* out) {
  Poly p;
  for (int k = 0; k < 5; ++k) p.x[k] = k + get_global_id(0);
  p.n = 5;
  Poly d = derive(derive(p));
  Poly copy = d;
  copy.x[0] += 0.5f;
  out[get_global_id(0)] = d.x[0] + 10 * copy.x[2] + 1000 * d.n + copy.x[0] - d.x[0];
}
