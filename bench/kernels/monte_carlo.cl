// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The price of an option from simulated prices at its end; each work-item has its own random numbers.
uint next(uint* state) {
  uint x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

float uniform(uint* state) { return ((next(state) >> 8) + 0.5f) * (1.0f / 16777216.0f); }

kernel void simulate(global const uint* seeds, global float* means, int paths, float start, float strike, float drift,
                     float volatility) {
  size_t i = get_global_id(0);
  uint state = seeds[i];
  float sum = 0.0f;
  for (int p = 0; p < paths; p++) {
    float u1 = uniform(&state), u2 = uniform(&state);
    float normal = sqrt(-2.0f * log(u1)) * cos(2.0f * M_PI_F * u2);
    float end = start * exp(drift + volatility * normal);
    if (end > strike)
      sum += end - strike;
  }
  means[i] = sum / paths;
}
