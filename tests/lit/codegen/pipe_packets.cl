// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %report %s --options "-cl-std=CL3.0 -clotho-width=16" | %check --implicit-check-not="one by one"
// RUN: %compile %s --options "-cl-std=CL3.0 -clotho-width=16" --emit=lowered -o %t
// RUN: %check --input-file=%t --check-prefix=LOWERED
// A kernel that reads packets and writes others is widened as if these were buffers, and cannot observe its sub-groups.
// What is left of a pipe's functions are the calls that move its ends.

// CHECK: kernel scale: 16 work-items at once
// CHECK-NOT: sub-group size
// LOWERED: call i64 @clotho.pipe.once.take_read(
// LOWERED-NOT: @__read_pipe_2
// LOWERED-NOT: clotho.sub_group
// LOWERED: define {{.*}} @clotho_wg_scale
kernel void scale(read_only pipe float4 in, write_only pipe float4 out, float factor) {
  float4 packet;
  if (read_pipe(in, &packet) == 0) {
    packet *= factor;
    write_pipe(out, &packet);
  }
}
