// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define RATE 0.02f
#define VOLATILITY 0.3f

float cumulative(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228f * exp(-0.5f * d * d) *
               (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float* price, global const float* strike, global const float* years,
                          global float* call, global float* put) {
  size_t i = get_global_id(0);
  float s = price[i], x = strike[i], t = years[i];
  float root = sqrt(t);
  float d1 = (log(s / x) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / (VOLATILITY * root);
  float d2 = d1 - VOLATILITY * root;
  float c1 = cumulative(d1), c2 = cumulative(d2);
  float discounted = x * exp(-RATE * t);
  call[i] = s * c1 - discounted * c2;
  put[i] = discounted * (1.0f - c2) - s * (1.0f - c1);
}
