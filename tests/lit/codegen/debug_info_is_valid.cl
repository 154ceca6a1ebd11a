// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options -g --emit lowered -o - | opt -passes=verify -disable-output 2>&1 | %check --allow-empty
// RUN: %compile %s --options -clotho-report --emit lowered -o - 2>/dev/null | opt -passes=verify -disable-output 2>&1 | %check --allow-empty
// Each function has its own description for debuggers, or none: LLVM drops all of a module's where that is not so.
// CHECK-NOT: invalid debug info
// CHECK-NOT: DISubprogram

// Two rows at once, and one.
kernel void rows(global float* out, global const float* in, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
    out[y * n + x] = in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x];
}

// For groups of a size that the tile suggests, and for others.
kernel void tile(global float* out, global const float* in, int n) {
  local float tile[16][16];
  int x = get_local_id(0), y = get_local_id(1);
  float sum = 0.0f;
  for (int t = 0; t < n; t++) {
    tile[y][x] = in[(t * 16 + y) * 16 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; k++) sum += tile[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}
