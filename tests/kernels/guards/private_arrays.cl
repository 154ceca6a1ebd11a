// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Private arrays at an index that is the same for all work-items, below a condition that not all of them meet, and the
// index may be any where none does. T: the elements' type.
#define SIZE 16

// An element as an int, and an int as an element.
#ifdef VECTORS
#define E(A) (int)(A).z
#define V(A) (T)((float)(A))
#else
#define E(A) (int)(A)
#define V(A) (T)(A)
#endif

#define FILL                                                                                                           \
  int g = get_global_id(0), s = 0;                                                                                     \
  T a[SIZE];                                                                                                           \
  for (int i = 0; i < SIZE; ++i)                                                                                       \
    a[i] = V((x[g] + i) & 63);                                                                                         \
  a[x[g] & 15] = V(7)

#define SUM                                                                                                            \
  for (int i = 0; i < SIZE; ++i)                                                                                       \
    s += (i + 1) * E(a[i]);                                                                                            \
  out[g] = s

kernel void load(global const int* x, global int* out, int top) {
  FILL;
  if (x[g] > 25 && top < SIZE) s += E(a[top]);
  SUM;
}

kernel void load_outside(global const int* x, global int* out, int top) {
  FILL;
  if (top < SIZE && x[g] > 25 && top >= 0) s += E(a[top]);
  SUM;
}

kernel void two(global const int* x, global int* out, int top) {
  FILL;
  if (x[g] > 25 && top + 1 < SIZE) s += E(a[top]) - E(a[top + 1]);
  SUM;
}

kernel void store(global const int* x, global int* out, int top) {
  FILL;
  if (x[g] > 25 && top < SIZE) a[top] = V(x[g]);
  SUM;
}

kernel void either(global const int* x, global int* out, int top) {
  FILL;
  if (x[g] > 25) {
    if (top < SIZE) s = E(a[top]);
  } else if (top - 5 < SIZE)
    a[top - 5] = V(3);
  SUM;
}

// What is known of the index is known in the branch alone.
kernel void round(global const int* x, global int* out, int top) {
  FILL;
  for (int k = 0; k < 4; ++k)
    if (x[g] > 10 * k && top + k < SIZE) a[top + k] = V(E(a[top + k]) + k);
  SUM;
}

// By a row of memory for each work-item.
kernel void by_address(global const int* x, global int* out, int top) {
  FILL;
  T* p = a + (x[g] & 1);
  if (x[g] > 25 && top < SIZE - 1) s += E(p[top]);
  SUM;
}

// Memory that the work-group shares, and all of it.
kernel void of_group(global const int* x, global int* out, int top) {
  int g = get_global_id(0), l = get_local_id(0), s = 0;
  local T a[SIZE];
  if (l < SIZE) a[l] = V(l);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x[g] > 25 && top < SIZE) s += E(a[top]);
  for (int k = 0; k < 3; ++k)
    if (x[g] > 10 * k && top + k < SIZE) s += E(a[top + k]);
  if (x[g] > 5 && l + top < SIZE) s += E(a[l + top]);
  out[g] = s;
}

constant int table[SIZE] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

kernel void of_table(global const int* x, global int* out, int top) {
  int g = get_global_id(0), s = 0;
  if (x[g] > 25 && top < SIZE) s += table[top];
  if (x[g] > 5 && x[g] + top < SIZE) s += table[x[g] + top];
  out[g] = s;
}
