// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
enum Colour { Red = 3, Green, Blue = -1 };
typedef int Row[4];
typedef struct Link { int value; struct { short a, b; } inner; } Link;
inline int pick(enum Colour c) { return c == Green ? 40 : c == Blue ? -10 : 30; }
kernel void types(global int* out) {
  Row row = {1, 2, 3, 4};
  const Link link = {.value = 5, .inner = {.b = 7}};
  const bool yes = row[2] > 2;
  out[get_global_id(0)] = pick(get_global_id(0) % 2 ? Green : Blue) + yes + link.value * 100 + link.inner.a + link.inner.b * 1000 + sizeof(Link);
}
