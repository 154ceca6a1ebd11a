// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// So many cases fall through that masks and sums of lanes that wait are in memory.
#define CASE(n) case n: y += x * n;
#define UP(t) CASE(t##0) CASE(t##1) CASE(t##2) CASE(t##3) CASE(t##4) CASE(t##5) CASE(t##6) CASE(t##7) CASE(t##8) CASE(t##9)
#define DOWN(t) CASE(t##9) CASE(t##8) CASE(t##7) CASE(t##6) CASE(t##5) CASE(t##4) CASE(t##3) CASE(t##2) CASE(t##1) CASE(t##0)

kernel void sum(global const int* from, global const int* factor, global int* up, global int* down) {
  const int i = get_global_id(0), x = factor[i];
  int y = 0;
  switch (from[i]) {
    UP() UP(1) UP(2) UP(3) UP(4) UP(5) UP(6) UP(7) UP(8) UP(9) UP(10) UP(11) UP(12) UP(13) UP(14)
  }
  up[i] = y;
  y = x;
  switch (from[i]) {
    DOWN(14) DOWN(13) DOWN(12) DOWN(11) DOWN(10) DOWN(9) DOWN(8) DOWN(7) DOWN(6) DOWN(5) DOWN(4) DOWN(3) DOWN(2) DOWN(1) DOWN()
  }
  down[i] = y;
}
