// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile --gpu sm_90 --emit asm %s | %check
// RUN: %compile --gpu sm_90 --emit asm --kernel copy --code-version 'arg0=rgba.float arg1=rgba.float' %s \
// RUN:   | FileCheck %s --check-prefix=KNOWN

// Texels are aligned: none is loaded or stored by bytes.
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
constant sampler_t nearest = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// The code for known formats has one load and one store.
// KNOWN: .visible .entry copy(
// KNOWN-NOT: call
// KNOWN: ld.global.nc.v4.b32
// KNOWN-NOT: {{(ld|st).global.*b8}}
// KNOWN: st.global.v4.b32
// KNOWN: ret;
kernel void copy(write_only image2d_t to, read_only image2d_t from) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, read_imagef(from, nearest, at));
}
