// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_intel_bfloat16_conversions.
// clang-format off
ushort __attribute__((overloadable, const)) intel_convert_bfloat16_as_ushort(float);
float __attribute__((overloadable, const)) intel_convert_as_bfloat16_float(ushort);
ushort2 __attribute__((overloadable, const)) intel_convert_bfloat162_as_ushort2(float2);
float2 __attribute__((overloadable, const)) intel_convert_as_bfloat162_float2(ushort2);
ushort3 __attribute__((overloadable, const)) intel_convert_bfloat163_as_ushort3(float3);
float3 __attribute__((overloadable, const)) intel_convert_as_bfloat163_float3(ushort3);
ushort4 __attribute__((overloadable, const)) intel_convert_bfloat164_as_ushort4(float4);
float4 __attribute__((overloadable, const)) intel_convert_as_bfloat164_float4(ushort4);
ushort8 __attribute__((overloadable, const)) intel_convert_bfloat168_as_ushort8(float8);
float8 __attribute__((overloadable, const)) intel_convert_as_bfloat168_float8(ushort8);
ushort16 __attribute__((overloadable, const)) intel_convert_bfloat1616_as_ushort16(float16);
float16 __attribute__((overloadable, const)) intel_convert_as_bfloat1616_float16(ushort16);
