// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements with both coordinates, in the order of rows; each work-item takes some that lie one after the other and adds
// up runs of equal rows before it adds them to the result, which others may do, too.
void addTo(volatile global float* target, float value) {
  union {
    uint bits;
    float number;
  } old, sum;
  do {
    old.number = *target;
    sum.number = old.number + value;
  } while (atomic_cmpxchg((volatile global uint*)target, old.bits, sum.bits) != old.bits);
}

kernel void clear(global float* y) { y[get_global_id(0)] = 0; }

kernel void multiply(global const int* rows, global const int* columns, global const float* values,
                     global const float* x, global float* y, int each) {
  int first = get_global_id(0) * each, row = rows[first];
  float sum = 0;
  for (int k = first; k < first + each; ++k) {
    if (rows[k] != row) {
      addTo(&y[row], sum);
      row = rows[k];
      sum = 0;
    }
    sum += values[k] * x[columns[k]];
  }
  addTo(&y[row], sum);
}
