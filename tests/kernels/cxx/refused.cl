// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What C++ for OpenCL leaves out of C++, and objects whose constructors would have to run before the first kernel.
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
#elif CASE == 4
struct Object {
  int value;
  Object(size_t n) : value(n) {}
};
Object object(get_global_size(0));
#endif
kernel void refused(global int* out) { out[get_global_id(0)] = 0; }
