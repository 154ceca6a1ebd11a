// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void gelu(global float4* out, global const float4* in) {
  size_t i = get_global_id(0);
  float4 x = in[i];
  out[i] = 0.5f * x * (1.0f + tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
}
