// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Division by zero and of the lowest number by -1 give some value and disturb no other work-item; all else is exact.
kernel void divide(global const int* a, global const int* b, global int* q, global int* r) {
  const int i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
kernel void divideLong(global const long* a, global const long* b, global long* q, global long* r) {
  const int i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
kernel void divideUnsigned(global const uint* a, global const uint* b, global uint* q, global uint* r) {
  const int i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
kernel void divideChar(global const char* a, global const char* b, global char* q, global char* r) {
  const int i = get_global_id(0);
  q[i] = a[i] / b[i];
  r[i] = a[i] % b[i];
}
