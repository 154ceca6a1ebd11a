// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A body a work-item, all others from global memory; components by hand.
kernel void accelerate(global const float4* bodies, global float4* result, int n, float softening) {
  int i = get_global_id(0);
  float4 me = bodies[i];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; j++) {
    float dx = bodies[j].x - me.x, dy = bodies[j].y - me.y, dz = bodies[j].z - me.z;
    float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
    float factor = bodies[j].w * inverse * inverse * inverse;
    x += factor * dx;
    y += factor * dy;
    z += factor * dz;
  }
  result[i] = (float4)(x, y, z, 0);
}
