// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DIMENSIONS 8

// The nearest centre of each point. Features are stored one after the other, each for all points.
kernel void assign(global int* membership, global const float* features, constant float* centres, int points,
                   int clusters) {
  int i = get_global_id(0);
  if (i >= points)
    return;
  float least = FLT_MAX;
  int best = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0.0f;
    for (int d = 0; d < DIMENSIONS; d++) {
      float difference = features[d * points + i] - centres[c * DIMENSIONS + d];
      distance += difference * difference;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  membership[i] = best;
}
