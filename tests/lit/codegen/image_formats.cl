// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --kernel copy --code-version "arg0=rgba.unorm8 arg1=rgba.unorm8" --emit=lowered -o %t
// RUN: %check --input-file=%t --implicit-check-not=switch --implicit-check-not=clotho_wg_other
// RUN: %compile %s --kernel copy --code-version "arg0=rgba.unorm8 arg1=rgba.unorm8" --emit=asm -o %t.s --cpu x86-64-v3
// RUN: %check --input-file=%t.s --check-prefix=ASM
// RUN: not %compile %s --kernel none --code-version arg0=1 --emit=lowered -o %t 2>&1 | %check --check-prefix=NONE
// RUN: not %compile %s --kernel copy --code-version arg7=1 --emit=lowered -o %t 2>&1 | %check --check-prefix=FAR
// A version for a format: texels at neighbouring coordinates are a row, and no branch by the format is left.

// CHECK: load <{{[0-9]+}} x i32>, ptr
// CHECK: define {{.*}} @clotho_wg_copy
// ASM-NOT: gather
// ASM: vmovdqu
// NONE: there is no kernel none
// FAR: a version for an argument that there is not
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void copy(read_only image2d_t in, write_only image2d_t out) {
  const int2 place = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, place, read_imagef(in, edge, place));
}
kernel void other(read_only image2d_t in, global float4* out) { out[get_global_id(0)] = read_imagef(in, edge, (int2)(0)); }
