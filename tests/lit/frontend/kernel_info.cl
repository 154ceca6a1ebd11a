// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options "-cl-kernel-arg-info" --emit=info | %check
// What clGetKernelInfo and clGetKernelArgInfo report, and where arguments lie.

typedef struct { float3 position; int tag; } Particle;

// CHECK: kernel move: symbol clotho_wg_move, attributes 'vec_type_hint(float4) reqd_work_group_size(8,4,1)', block 104, required 8x4x1, local 64,
// CHECK-SAME: barrier true, printf false, argument info true
// CHECK-NEXT: argument 'in' type 'float*': kind 1, address 1, access 0, qualifiers 3, size 8, {{.*}} offset 0
// CHECK-NEXT: argument 'p' type 'Particle': kind 0, address 0, access 0, qualifiers 0, size 32, alignment 16, offset 16
// CHECK-NEXT: argument 'v' type 'float3': kind 0, address 0, access 0, qualifiers 0, size 16, alignment 16, offset 48
// CHECK-NEXT: argument 'c' type 'uchar': kind 0, address 0, access 0, qualifiers 0, size 1, alignment 1, offset 64
// CHECK-NEXT: argument 'scratch' type 'int*': kind 2, address 3, access 0, qualifiers 4, size 8, {{.*}} offset 72
// CHECK-NEXT: argument 'k' type 'uint2*': kind 1, address 2, access 0, qualifiers 1, size 8, {{.*}} offset 80
// CHECK-NEXT: argument 'out' type 'int*': kind 1, address 1, access 0, qualifiers 0, size 8, {{.*}} offset 88
// CHECK-NEXT: argument 'n' type 'ulong': kind 0, address 0, access 0, qualifiers 0, size 8, alignment 8, offset 96
kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(float4)))
void move(const global float* restrict in, Particle p, float3 v, uchar c, volatile local int* scratch,
          constant uint2* k, global int* const out, ulong n) {
  local int t[16];
  t[get_local_id(0)] = scratch[c];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[n] = t[0] + (int)(in[0] + p.position.x + v.y) + k[0].x;
}

// CHECK: kernel plain: symbol clotho_wg_plain, attributes '', block 0, required 0x0x0, local 0,
kernel void plain() {}

// Objects of the host have kinds of their own.
// CHECK: kernel sampled: {{.*}}block 24,
// CHECK-NEXT: argument 'picture' type 'image2d_t': kind 3, address 1, access 1, qualifiers 0, size 8, {{.*}} offset 0
// CHECK-NEXT: argument 'how' type 'sampler_t': kind 4, address 0, access 0, qualifiers 0, size 8, {{.*}} offset 8
// CHECK-NEXT: argument 'out' type 'int*': kind 1, address 1, access 0, qualifiers 0, size 8, {{.*}} offset 16
kernel void sampled(read_only image2d_t picture, sampler_t how, global int* out) { *out = 1; }

// CHECK: kernel eight: symbol clotho_wg_eight, attributes 'intel_reqd_sub_group_size(8)',
__attribute__((intel_reqd_sub_group_size(8))) kernel void eight() {}

// CHECK: variables: 0 bytes, writable false
