// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C++ for OpenCL leaves out of C++.
#if CASE == 0
struct Base {
  virtual int f() { return 1; }
};
#elif CASE == 1
int f() { throw 1; }
#elif CASE == 2
int* f() { return new int; }
#elif CASE == 3
int g() { return 1; }
int f() {
  int (*p)() = g;
  return p();
}
#endif
kernel void refused(global int* out) { out[get_global_id(0)] = 0; }
