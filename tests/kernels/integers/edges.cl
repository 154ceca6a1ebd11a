// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All pairs of 16 values, the limits of the type among them, N at a time.
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#if N == 1
typedef T V;
#define LOAD(p) (*(p))
#define STORE(x, p) (*(p) = (x))
#define AS CAT(as_, T)
#else
typedef CAT(T, N) V;
#define LOAD(p) CAT(vload, N)(0, p)
#define STORE(x, p) CAT(vstore, N)(x, 0, p)
#define AS CAT(CAT(as_, T), N)
#endif
#define FUNCTIONS 17

kernel void edges(global const T* a, global const T* b, global const T* c, global T* out) {
  const int first = get_global_id(0) * N;
  T xs[N], ys[N], zs[N], results[FUNCTIONS][N];
  for (int k = 0; k < N; ++k) {
    xs[k] = a[(first + k) / 16];
    ys[k] = b[(first + k) % 16];
    zs[k] = c[(first + k) * 7 % 32];
  }
  const V x = LOAD(xs), y = LOAD(ys), z = LOAD(zs);
  STORE(AS(abs(x)), results[0]);
  STORE(AS(abs_diff(x, y)), results[1]);
  STORE(add_sat(x, y), results[2]);
  STORE(sub_sat(x, y), results[3]);
  STORE(hadd(x, y), results[4]);
  STORE(rhadd(x, y), results[5]);
  STORE(mul_hi(x, y), results[6]);
  STORE(mad_hi(x, y, z), results[7]);
  STORE(mad_sat(x, y, z), results[8]);
  STORE(rotate(x, y), results[9]);
  STORE(clz(x), results[10]);
  STORE(ctz(x), results[11]);
  STORE(popcount(x), results[12]);
  STORE(min(x, y), results[13]);
  STORE(max(x, y), results[14]);
  STORE(bitselect(x, y, z), results[15]);
  STORE(clamp(x, min(y, z), max(y, z)), results[16]);
  for (int f = 0; f < FUNCTIONS; ++f)
    for (int k = 0; k < N; ++k) out[(first + k) * FUNCTIONS + f] = results[f][k];
}
