// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes, and how many of them meet a condition, added to wider numbers: partial sums must not overflow.
#define TEN(M, at) M(at) M(at + 1) M(at + 2) M(at + 3) M(at + 4) M(at + 5) M(at + 6) M(at + 7) M(at + 8) M(at + 9)
#define FIFTY(M, at) TEN(M, at) TEN(M, at + 10) TEN(M, at + 20) TEN(M, at + 30) TEN(M, at + 40)
#define ALL(M) FIFTY(M, 0) FIFTY(M, 50) FIFTY(M, 100) FIFTY(M, 150) FIFTY(M, 200) FIFTY(M, 250)

kernel void sums(global const uchar* in, global uint* out, int n) {
  int i = get_global_id(0);
  uint sum = 4294967000u;
  for (int k = i * n; k < (i + 1) * n; ++k)
    sum += in[k];
  out[i] = sum;
}

kernel void hits(global const uchar* in, global ulong* out, int n) {
  int i = get_global_id(0);
  ulong count = 0;
  for (int k = i * n; k < (i + 1) * n; ++k)
    count += in[k] > 250;
  out[i] = count;
}

kernel void halves(global const uchar* in, global int* out, int n) {
  int i = get_global_id(0), low = 0, all = 0;
  for (int k = i * n; k < (i + 1) * n; ++k) {
    low += in[k] & 15;
    all += (in[k] & 15) + (in[k] >> 4) * 16 + (in[k] > 250);
  }
  out[i] = low * 100000 + all;
}

// Three hundred in one block, which do not fit into a byte.
#define HIT(at) count += p[at] > 250;
kernel void hits_at_once(global const uchar* in, global int* out) {
  int i = get_global_id(0), count = 0;
  global const uchar* p = in + i * 300;
  ALL(HIT)
  out[i] = count;
}

// These do not fit into 16 bits.
#define SUM(at) sum += p[at];
kernel void sums_at_once(global const uchar* in, global uint* out) {
  int i = get_global_id(0);
  uint sum = 0;
  global const uchar* p = in + i * 300;
  ALL(SUM)
  out[i] = sum;
}

kernel void signs(global const char* in, global int* out, int n) {
  int i = get_global_id(0), sum = 0;
  for (int k = i * n; k < (i + 1) * n; ++k)
    sum += in[k];
  out[i] = sum;
}
