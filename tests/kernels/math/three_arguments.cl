// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void apply(global const T* a, global const T* b, global const T* c, global T* out) {
  const int i = get_global_id(0);
  global T* o = out + i * 6;
  o[0] = fma(a[i], b[i], c[i]);
  o[1] = mad(a[i], b[i], c[i]);
  o[2] = clamp(a[i], (T)-5, (T)5);
  o[3] = mix(a[i], b[i], (T)0.25);
  o[4] = smoothstep((T)-5, (T)5, a[i]);
  o[5] = fmin(fmax(a[i], b[i]), c[i]);
}
