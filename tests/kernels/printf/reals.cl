// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void print(float f, double d) {
  printf("%f %.2f %10.3f|%-10.3f|%+.1f\n", f, f, f, f, f);
  printf("%e %E %.2e %g %G %.3g\n", d, d, d, d, d, d);
  printf("%a %g %g %g\n", 1.0f, 1e-10, 123456789.0, 0.0001);
  printf("%f %f %f %5.1f|%F\n", INFINITY, -INFINITY, NAN, INFINITY, INFINITY);
  printf("%.0f %#.0f %.10f\n", 2.5f, 2.0f, 0.1);
}
