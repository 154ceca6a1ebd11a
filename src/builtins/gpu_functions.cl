// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

// Functions of float for NVIDIA GPUs, which have instructions for powers of two, logarithms, sines and cosines (PTX ISA).
// Programs for GPUs get these instead of the functions that are named behind "clotho.gpu." (PreferGpuBuiltinsPass).

/// Relative error 2^-22.5; denormals become 0.
float __attribute__((const)) ex2(float x) __asm("clotho.get_ex2");
float __attribute__((const)) lg2(float x) __asm("clotho.get_lg2");
float __attribute__((const)) sine(float x) __asm("clotho.get_sine");
float __attribute__((const)) cosine(float x) __asm("clotho.get_cosine");
float __attribute__((const)) larger(float x, float y) __asm("llvm.maxnum.f32");
float __attribute__((const)) lesser(float x, float y) __asm("llvm.minnum.f32");
float __attribute__((const)) fused(float x, float y, float z) __asm("llvm.fma.f32");

#define INLINE static __attribute__((always_inline))

/// Adding it rounds to an integer n, and leaves n + 127, a power of two's exponent, in the number's low bits.
#define EXPONENTS 0x1.8000fep+23f

/// 2^(x y) for y = high + low: 2^n 2^f with an integer n that is that of a normal number, and f from -2^-10 to 1 unless the
/// result is a denormal, 0 or infinite. Between 1 and 2 the error of ex2 is the least in ulps: 1.4. An integer is n, so that
/// its power is exact.
INLINE float power(float x, float high, float low) {
  const float whole = lesser(larger(fused(x, high, -0x1.ffp-2f), -126.0f), 127.0f) + EXPONENTS;
  float fraction = fused(x, high, EXPONENTS - whole);
  if (low != 0.0f) fraction = fused(x, low, fraction); // infinite arguments would give NaNs
  return ex2(fraction) * __builtin_astype(__builtin_astype(whole, uint) << 23, float);
}

INLINE float e(float x) { return power(x, 0x1.715476p+0f, 0x1.4ae0cp-26f); }
INLINE float two(float x) { return power(x, 1.0f, 0.0f); }
INLINE float ten(float x) { return power(x, 0x1.a934fp+1f, 0x1.2f346ep-24f); }

INLINE float nativeE(float x) { return ex2(x * 0x1.715476p+0f); }
INLINE float nativeTen(float x) { return ex2(x * 0x1.a934fp+1f); }
INLINE float nativeLn(float x) { return lg2(x) * 0x1.62e43p-1f; }
INLINE float nativeLg(float x) { return lg2(x) * 0x1.344136p-2f; }
INLINE float nativeTan(float x) { return sine(x) / cosine(x); }

#define EACH2(F, x) F(x.s0), F(x.s1)
#define EACH3(F, x) EACH2(F, x), F(x.s2)
#define EACH4(F, x) EACH3(F, x), F(x.s3)
#define EACH8(F, x) EACH4(F, x), F(x.s4), F(x.s5), F(x.s6), F(x.s7)
#define EACH16(F, x) EACH8(F, x), F(x.s8), F(x.s9), F(x.sa), F(x.sb), F(x.sc), F(x.sd), F(x.se), F(x.sf)
#define EACH(F, x) F(x)

#define NAMED(F, SYMBOL, N, SUFFIX)                                                                  \
  float##N __attribute__((const)) F##Of##N(float##N x) __asm("clotho.gpu._Z" SYMBOL SUFFIX);        \
  float##N F##Of##N(float##N x) { return (float##N)(EACH##N(F, x)); }
#define ALL(F, SYMBOL)           \
  NAMED(F, SYMBOL, , "f")        \
  NAMED(F, SYMBOL, 2, "Dv2_f")   \
  NAMED(F, SYMBOL, 3, "Dv3_f")   \
  NAMED(F, SYMBOL, 4, "Dv4_f")   \
  NAMED(F, SYMBOL, 8, "Dv8_f")   \
  NAMED(F, SYMBOL, 16, "Dv16_f")
ALL(e, "3exp")
ALL(two, "4exp2")
ALL(ten, "5exp10")
ALL(nativeE, "10native_exp")
ALL(ex2, "11native_exp2")
ALL(nativeTen, "12native_exp10")
ALL(nativeLn, "10native_log")
ALL(lg2, "11native_log2")
ALL(nativeLg, "12native_log10")
ALL(sine, "10native_sin")
ALL(cosine, "10native_cos")
ALL(nativeTan, "10native_tan")
