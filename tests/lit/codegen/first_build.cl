// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: x86
// RUN: %compile %s --cpu x86-64-v4 --emit lowered --scope first | %check --check-prefix FIRST --implicit-check-not .rows \
// RUN:   --implicit-check-not .half --implicit-check-not .predicated
// RUN: %compile %s --cpu x86-64-v4 --emit lowered --scope needed | %check --check-prefix LATER
// The first build makes one function of each kernel, which takes full rows and others: no variant that is only faster,
// as several rows at once are, and none for full rows alone.

// FIRST-LABEL: define internal void @jacobi.cl(
// FIRST: @llvm.masked.store
// FIRST-LABEL: define internal void @scale.cl(
// FIRST: @llvm.masked.store
// FIRST-LABEL: define internal void @turn.cl(
// FIRST: @llvm.masked.store
// FIRST-COUNT-3: !"lacks-faster"
// LATER-NOT: lacks-faster
// LATER-DAG: @jacobi.rows
// LATER-DAG: @scale.predicated
// LATER-DAG: @turn.predicated
kernel void jacobi(global float* out, global const float* in, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int i = y * width + x;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
  else
    out[i] = in[i];
}

kernel void scale(global float* a, float factor) { a[get_global_id(0)] *= factor; }

kernel void turn(global float* a, local float* tile) {
  size_t l = get_local_id(0);
  tile[l] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[get_global_id(0)] = tile[get_local_size(0) - 1 - l];
}
