// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// True is 1 for scalars and -1 for components; select and bitselect choose by the most significant bit and by each bit.
#if N == 1
#define CAT(a, b) a
#define TRUE 1
#else
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
#define TRUE -1
#endif
typedef CAT(T, N) V;
#if N == 1
typedef int M;
#define OF(x) (x)
#define CONDITION(c) ((I)(c)) // of double a long
#define LAST(x) (x)
#else
typedef CAT(I, N) M;
#define OF(x) ((V)(x))
#define CONDITION(c) (c)
#define LAST(x) (x).y
#endif

kernel void tests(global const T* a, global const T* b, global int* out) {
  const int i = get_global_id(0);
  const V x = OF(a[i / 16]), y = OF(b[i % 16]);
  const M r[15] = {isequal(x, y),       isnotequal(x, y), isgreater(x, y),     isgreaterequal(x, y), isless(x, y),
                   islessequal(x, y),   islessgreater(x, y), isfinite(x),      isinf(x),             isnan(x),
                   isnormal(x),         isordered(x, y),  isunordered(x, y),   signbit(x),           isequal(x, x)};
  for (int k = 0; k < 15; ++k) out[i * 17 + k] = LAST(r[k]) == TRUE ? 1 : LAST(r[k]) == 0 ? 0 : 99;
  const V s = select(x, y, CONDITION(isless(x, y))), t = bitselect(x, y, OF(y));
  out[i * 17 + 15] = LAST(isequal(s, x)) != 0 || LAST(isequal(s, y)) != 0 || LAST(isunordered(x, y)) != 0;
  out[i * 17 + 16] = LAST(signbit(t)) != 0;
}
