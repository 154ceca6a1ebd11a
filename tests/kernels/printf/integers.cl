// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void print(global int* out) {
  out[0] = printf("%d|%5d|%-5d|%05d|%+d|% d\n", 42, 42, 42, 42, 42, 42);
  out[1] = printf("%i %u %x %X %#x %o %#o\n", -7, 4000000000u, 255, 255, 255, 8, 8);
  out[2] = printf("%.3d|%8.3d|%-8.3d|%c%c|%%\n", 7, 7, 7, 'A', 98);
  out[3] = printf("%ld %lu %lx %hhd %hd %hu\n", -9000000000l, 18000000000000000000ul, 1ul << 40, (char)-3, (short)-300, (ushort)65535);
  out[4] = printf("no arguments\n");
  // "ll" is as good as "l": formats of HIP programs have it.
  out[5] = printf("%lld %llx %5llu|%d\n", -9000000000l, 0x123456789abcl, 7ul, 7);
}
