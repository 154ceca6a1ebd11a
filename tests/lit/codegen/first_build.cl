// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v4 --emit lowered --scope first | %check --check-prefix FIRST --implicit-check-not .rows \
// RUN:   --implicit-check-not .half
// RUN: %compile %s --cpu x86-64-v4 --emit lowered --scope needed | %check --check-prefix LATER
// The first build makes what any launch may need, without what is only faster, as several rows at once are.

// FIRST-DAG: @jacobi.predicated
// FIRST-DAG: lacks-faster
// LATER: @jacobi.rows
kernel void jacobi(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * width + x;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  else
    out[i] = in[i];
}
