// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// So many nested branches that variables for masks and values become registers one by one (Widener::promoteVariables).
// The elements of `ones` are 1, and those of `places` their index.
#define IF(n)                                        \
  if (x > n) {                                       \
    sum += ones[sum & 63] * n;                       \
    if (x > 2 * n) lower += ones[lower & 63];          \
  } else {                                           \
    last[places[i]] = n;                             \
  }
#define TEN(t) IF(t##0) IF(t##1) IF(t##2) IF(t##3) IF(t##4) IF(t##5) IF(t##6) IF(t##7) IF(t##8) IF(t##9)
#define HUNDRED(h) \
  TEN(h##0) TEN(h##1) TEN(h##2) TEN(h##3) TEN(h##4) TEN(h##5) TEN(h##6) TEN(h##7) TEN(h##8) TEN(h##9)

kernel void count(global const int* from, global const int* ones, global const int* places, global int* sums,
                  global int* lowers, global int* last) {
  const int i = get_global_id(0), x = from[i];
  int sum = 0, lower = 0;
  last[i] = -1;
  HUNDRED(1) HUNDRED(2) HUNDRED(3)
  sums[i] = sum;
  lowers[i] = lower;
}
