// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void print(global int* out) {
  const size_t large = 18000000000000000000ul;
  const ptrdiff_t below = -9000000000l;
  out[0] = printf("%zu %zx %zX %#zx %zo|%5zu|%-5zu|%05zu|%.3zu\n", large, large, large, sizeof(int), sizeof(double),
                  sizeof(int), sizeof(int), sizeof(int), sizeof(int));
  out[1] = printf("%td %ti %+td %tu|%12td|%-12td|%012td\n", below, below, -below, -below, below, below, below);
  out[2] = printf("%zd %zi %tx %tX %to\n", (size_t)-3, (size_t)-4, (ptrdiff_t)255, (ptrdiff_t)255, (ptrdiff_t)8);
  out[3] = printf("%zu%%%d\n", get_global_size(0), -1);
}
