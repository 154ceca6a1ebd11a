// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A build does not depend on where LLVM puts what it allocates, which a longer name of a folder changes.
// RUN: %clotho compile %s --data %data/./ --emit=asm -o %t.0
// RUN: %clotho compile %s --data %data/././././ --emit=asm -o %t.1
// RUN: %clotho compile %s --data %data/./././././././ --emit=asm -o %t.2
// RUN: %clotho compile %s --data %data/././././././././././ --emit=asm -o %t.3
// RUN: %clotho compile %s --data %data/./././././././././././././ --emit=asm -o %t.4
// RUN: %clotho compile %s --data %data/././././././././././././././././ --emit=asm -o %t.5
// RUN: cmp %t.0 %t.1
// RUN: cmp %t.0 %t.2
// RUN: cmp %t.0 %t.3
// RUN: cmp %t.0 %t.4
// RUN: cmp %t.0 %t.5
kernel void sums(global const float* in, global float* out, int n) {
  int i = get_global_id(0), begin = i * n, all = get_global_size(0) * n;
  float sum = 0;
  for (int k = begin; k < begin + n && k < all; ++k)
    sum += in[k];
  out[i] = sum;
}
