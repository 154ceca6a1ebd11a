// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of bodies that attract each other. A body is its position and, in w, its mass. Each work-item moves one body, and
// reads the positions of all.
kernel void attract(global float4* moved, global float4* velocities, global const float4* bodies, float time, float softening) {
  int i = get_global_id(0), count = get_global_size(0);
  float3 at = bodies[i].xyz, pull = 0;
  for (int k = 0; k < count; ++k) {
    float4 other = bodies[k];
    float3 way = other.xyz - at;
    float near = 1 / sqrt(dot(way, way) + softening);
    pull += way * (other.w * near * near * near);
  }
  float3 velocity = velocities[i].xyz + pull * time;
  velocities[i] = (float4)(velocity, 0);
  moved[i] = (float4)(at + velocity * time, bodies[i].w);
}
