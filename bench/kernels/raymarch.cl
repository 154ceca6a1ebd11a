// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spheres that repeat for ever, found by stepping as far as the distance field allows.
float field(float3 p) {
  float3 cell = p - 4.0f * floor(p / 4.0f + 0.5f);
  return length(cell) - 1.1f + 0.1f * (fabs(cell.x) + fabs(cell.y) + fabs(cell.z));
}

kernel void raymarch(global float* depth, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height)
    return;
  float3 origin = (float3)(2.0f, 2.0f, 0.0f);
  float3 direction = normalize((float3)((x - 0.5f * width) / height, (y - 0.5f * height) / height, 0.9f));
  float t = 0.0f;
  for (int step = 0; step < 64; step++) {
    float d = field(origin + t * direction);
    if (d < 0.002f * t)
      break;
    t += d;
    if (t > 60.0f) {
      t = 60.0f;
      break;
    }
  }
  depth[y * width + x] = t;
}
