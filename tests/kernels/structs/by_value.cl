// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct { char a; int b; float c; } Plain;
typedef struct { char tag; float3 v; long big; short s[3]; } Mixed;
typedef struct { Plain plain; double d; } Nested;
kernel void byValue(Plain p, global double* out, Mixed m, Nested n, float2 v) {
  const int i = get_global_id(0);
  double results[12] = {p.a, p.b, p.c, m.tag, m.v.x, m.v.z, m.big, m.s[0], m.s[2], n.plain.c, n.d, v.x * 10 + v.y};
  out[i] = results[i];
}
