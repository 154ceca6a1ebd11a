// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of a struct, one after the other.
typedef struct {
  float x, y, z, w;
} Point;

kernel void line(global const Point* in, global Point* out, float a, float b, int n) {
  int i = get_global_id(0);
  out[i].x = a * in[i].x + b;
  out[i].y = a * in[i].y + b;
  out[i].z = a * in[i].z + b;
  out[i].w = a * in[i].w + b;
}
