// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
typedef struct { char c; double3 d; } A;
typedef struct __attribute__((packed)) { char c; int i; short s; } B;
typedef struct { char c; int i __attribute__((aligned(16))); } C;
kernel void sizes(global int* out) {
  const int values[] = {sizeof(char), sizeof(short), sizeof(int), sizeof(long), sizeof(float), sizeof(double), sizeof(size_t), sizeof(void*),
                        sizeof(char3), sizeof(int3), sizeof(float8), sizeof(double16), sizeof(A), sizeof(B), sizeof(C), sizeof(half)};
  out[get_global_id(0)] = values[get_global_id(0)];
}
