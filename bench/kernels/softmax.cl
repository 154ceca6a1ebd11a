// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row a work-item.
kernel void softmax(global float* out, global const float* in, int columns) {
  global const float* row = in + get_global_id(0) * columns;
  global float* result = out + get_global_id(0) * columns;
  float most = row[0];
  for (int i = 1; i < columns; i++)
    most = fmax(most, row[i]);
  float sum = 0.0f;
  for (int i = 0; i < columns; i++) {
    float e = exp(row[i] - most);
    result[i] = e;
    sum += e;
  }
  for (int i = 0; i < columns; i++)
    result[i] /= sum;
}
