// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coordinates in short vectors.
kernel void moved(global const int* in, global int* out, int w, int h) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  int sum = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      int2 q = clamp(p + (int2)(i, j), (int2)0, (int2)(w - 1, h - 1));
      sum += in[q.y * w + q.x] * (i + 2) * (3 * j + 5);
    }
  out[p.y * w + p.x] = sum;
}

kernel void asked(global const int* in, global int* out, int2 size) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  int result = 0;
  if (all(p < size - 2) && any(p > 3))
    result = in[(p.y + 1) * size.x + p.x + 2];
  else if (!any(p == (int2)(5, 2)) || all(isequal(convert_float2(p), (float2)(5.0f, 2.0f))))
    result = -1;
  out[p.y * size.x + p.x] = result;
}

kernel void scaled(global const int* in, global int* out, int w, int h, float2 scale) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float2 f = (convert_float2(p) + 0.5f) * scale;
  int2 q = min(convert_int2_rtn(f), (int2)(w - 1, h - 1));
  int4 r = (int4)(q.yx, convert_int2_sat(f - floor(f) + 0.5f));
  out[p.y * w + p.x] = in[r.x * w + r.y] + 10000 * r.z + 100000 * r.w;
}
