// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %report %s --cpu x86-64-v4 | %check
// RUN: %report %s --cpu x86-64-v4 --options -clotho-width=4 | FileCheck --check-prefix=FOUR %s
// A gather takes longer than the loads that it stands for. A loop of little else runs one work-item at a time, if lanes
// leave it apart and each load can begin before the one of the round before is done. Who asks for a width gets it.

// CHECK: kernel sparse: 1 work-item at once, because it has a loop that lanes leave apart and that gathers more than it computes
// FOUR: kernel sparse: 4 work-items at once
kernel void sparse(global float* y, global const int* start, global const int* columns, global const float* values,
                   global const float* x, int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (int i = start[row]; i < start[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

// As many rounds in each lane.
// CHECK-NEXT: kernel together: 16 work-items at once
kernel void together(global float* y, global const int* columns, global const float* values, global const float* x,
                     int width) {
  const int row = get_global_id(0);
  const int start = columns[row] * 3;
  float sum = 0;
  for (int i = 0; i < width; ++i)
    sum += values[start + i] * x[columns[start + i]];
  y[row] = sum;
}

// What makes a lane leave, or go left or right, is loaded: a processor would guess it wrongly.
// CHECK: kernel search: 16 work-items at once
kernel void search(global int* found, global const uint* keys, global const uint* sorted, int n) {
  const int i = get_global_id(0);
  int low = 0, high = n - 1, where = -1;
  while (low <= high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] == keys[i]) {
      where = middle;
      break;
    }
    if (sorted[middle] < keys[i])
      low = middle + 1;
    else
      high = middle - 1;
  }
  found[i] = where;
}

// Each round waits for the load of the one before; lanes wait at the same time.
// CHECK: kernel chase: 16 work-items at once
kernel void chase(global int* out, global const int* next, global const int* prices, global const int* rounds) {
  const int i = get_global_id(0);
  int at = i, sum = 0;
  for (int k = rounds[i]; k > 0; --k) {
    at = next[at];
    sum += prices[at];
  }
  out[i] = sum;
}

// There is enough to compute, and that goes faster in vectors.
// CHECK: kernel busy: 16 work-items at once
#define MIX(x) x = (x ^ x << 13) * 0x9e3779b1u + (x >> 7)
#define MIX4(x) MIX(x), MIX(x), MIX(x), MIX(x)
kernel void busy(global uint* out, global const int* start, global const uint* values, global const uint* keys) {
  const int i = get_global_id(0);
  uint sum = 0;
  for (int k = start[i]; k < start[i + 1]; ++k) {
    uint x = values[k] ^ keys[k];
    MIX4(x), MIX4(x), MIX4(x);
    sum += x;
  }
  out[i] = sum;
}
