// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles that begin with the group's own, four bodies a round, by a function.
float4 pull(float4 sum, float4 other, float4 me, float softening) {
  float4 r = other - me;
  float inverse = rsqrt(softening + r.x * r.x + r.y * r.y + r.z * r.z);
  float factor = other.w * (inverse * inverse * inverse);
  sum.xyz += r.xyz * factor;
  return sum;
}

kernel void accelerate(global const float4* bodies, global float4* result, local float4* tile, int n,
                       float softening) {
  uint l = get_local_id(0), size = get_local_size(0), tiles = get_num_groups(0);
  float4 me = bodies[get_global_id(0)], sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  for (uint t = 0; t < tiles; t++) {
    uint at = get_group_id(0) + t < tiles ? get_group_id(0) + t : get_group_id(0) + t - tiles;
    tile[l] = bodies[at * size + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < size;) {
      sum = pull(sum, tile[j++], me, softening);
      sum = pull(sum, tile[j++], me, softening);
      sum = pull(sum, tile[j++], me, softening);
      sum = pull(sum, tile[j++], me, softening);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  result[get_global_id(0)] = sum;
}
