// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C99 wants diagnosed is not refused: generated programs that other drivers accept build. -Werror stays strict.
// RUN: %compile %s 2>&1 | %check
// RUN: not %compile --options=-Werror %s 2>&1 | FileCheck --check-prefix=STRICT %s
// CHECK: warning: incompatible pointer types
// STRICT: error: incompatible pointer types
kernel void reinterpret(global float2* data) {
  global float4* pairs = data;
  pairs[get_global_id(0)].x = 1.0f;
}
