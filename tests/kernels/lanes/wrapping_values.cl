// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that wrap around between two lanes and are then made wider: no index, so each lane's value counts.
kernel void unsignedDifference(global ulong* out, uint r, uint f) {
  const uint g = get_global_id(0);
  out[g] = (ulong)(g - r);
}

kernel void signedSum(global ulong* out, uint r, uint f) {
  const uint g = get_global_id(0);
  out[g] = (ulong)(long)as_int(g + 0x80000000u - r);
}

kernel void product(global ulong* out, uint r, uint f) {
  const uint g = get_global_id(0);
  out[g] = (ulong)(g * 90000001u + r) * 3;
}

kernel void multipleOfTwo(global ulong* out, uint r, uint f) {
  const uint g = get_global_id(0);
  out[g] = (ulong)(long)as_int(g << 23);
}

kernel void highHalf(global ulong* out, uint r, uint f) {
  const uint g = get_global_id(0);
  out[g] = mul_hi(g - r, f);
}
