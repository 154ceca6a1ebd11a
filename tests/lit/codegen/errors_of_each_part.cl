// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the code generator cannot do makes a build fail, also where another thread than the first finds out.
// RUN: not %compile --options=-clotho-width=1 --emit=so -o %t.so %s 2>&1 | %check
// CHECK: error: couldn't allocate {{.*}} register for constraint 'r'
#define S(k) v = v * 77 + (v ^ (k)), w += rotate(v, (uint4)(k)) % (uint4)((k) + 3);
#define S8(k) S(k) S((k) + 1) S((k) + 2) S((k) + 3) S((k) + 4) S((k) + 5) S((k) + 6) S((k) + 7)

kernel void larger(global uint4* out) {
  uint4 v = out[get_global_id(0)], w = 0;
  S8(0) S8(8) S8(16) S8(24) S8(32) S8(40)
  out[get_global_id(0)] = v + w;
}

// No register holds sixteen numbers.
kernel void wrong(global ulong16* out) {
  ulong16 x = out[0];
  __asm__ volatile("" : "+r"(x));
  out[0] = x + 1;
}
