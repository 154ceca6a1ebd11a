// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies pass through local memory, a group's worth at a time.
kernel void accelerate(global const float4* bodies, global float4* result, local float4* tile, int n,
                       float softening) {
  int l = get_local_id(0), size = get_local_size(0);
  float4 me = bodies[get_global_id(0)], sum = (float4)(0.0f);
  for (int base = 0; base < n; base += size) {
    tile[l] = bodies[base + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < size; j++) {
      float4 r = tile[j] - me;
      float inverse = rsqrt(r.x * r.x + r.y * r.y + r.z * r.z + softening);
      float factor = tile[j].w * inverse * inverse * inverse;
      sum.x += factor * r.x;
      sum.y += factor * r.y;
      sum.z += factor * r.z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  result[get_global_id(0)] = sum;
}
