// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Includes the file BODY once for scalars and once for each length of vectors. There the types are FLOAT, INT, ...;
// K(c) is a constant of type FLOAT, D(c) one of DOUBLE; CONVERT(x, T) and AS(x, T) change the type; ANY(c) says whether
// a condition holds for some component; STATIC(f) names a function that is this length's own.
#ifndef EACH_WIDTH_JOIN
#define EACH_WIDTH_JOIN2(a, b) a##b
#define EACH_WIDTH_JOIN(a, b) EACH_WIDTH_JOIN2(a, b)
#define FLOAT EACH_WIDTH_JOIN(float, N)
#define DOUBLE EACH_WIDTH_JOIN(double, N)
#define INT EACH_WIDTH_JOIN(int, N)
#define UINT EACH_WIDTH_JOIN(uint, N)
#define LONG EACH_WIDTH_JOIN(long, N)
#define ULONG EACH_WIDTH_JOIN(ulong, N)
#define STATIC(f) EACH_WIDTH_JOIN(f, N)
#define K(c) ((FLOAT)(c))
#define D(c) ((DOUBLE)(c))
#define AS(x, T) __builtin_astype(x, T)
#endif

#define CONVERT(x, T) ((T)(x))
#define ANY(c) (c)
#define N
#include BODY
#undef N
#undef CONVERT
#undef ANY

#define CONVERT(x, T) __builtin_convertvector(x, T)
#define ANY(c) any(c)
#define N 2
#include BODY
#undef N
#define N 3
#include BODY
#undef N
#define N 4
#include BODY
#undef N
#define N 8
#include BODY
#undef N
#define N 16
#include BODY
#undef N
#undef CONVERT
#undef ANY
