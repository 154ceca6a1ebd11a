// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void print(float4 v, int3 w) {
  printf("%v4hlf|%5.1v4hlf\n", v, v);
  printf("%v3hld|%3v3hld|%v4hlx\n", w, w, (int4)(255, 16, 1, 0));
  printf("%v2hhd %v2hd %v2ld %v8hhu\n", (char2)(-1, 2), (short2)(300, -300), (long2)(5000000000l, -1), (uchar8)(1, 2, 3, 4, 5, 6, 7, 255));
  printf("%v2lf %v2lg\n", (double2)(0.5, 1e20), (double2)(0.5, 1e20));
  printf("%v16hld\n", (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
