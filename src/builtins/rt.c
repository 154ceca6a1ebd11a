// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code generation may call though no kernel names it. It is linked into every kernel object, so that objects
// have no undefined symbols; unused functions are dropped (-ffunction-sections).
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("hidden"), used))

// rep movsb and stosb are what these must not become calls of, and are fast on every x86-64 of the last ten years.
EXPORT void* memcpy(void* restrict to, const void* restrict from, size_t size) {
#if defined(__x86_64__)
  void* at = to;
  __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(size) : : "memory");
#else
  unsigned char* t = to;
  const unsigned char* f = from;
  for (; size; --size)
    *t++ = *f++;
#endif
  return to;
}

EXPORT void* memmove(void* to, const void* from, size_t size) {
  if ((uintptr_t)to - (uintptr_t)from >= size) return memcpy(to, from, size);
  unsigned char* t = (unsigned char*)to + size;
  const unsigned char* f = (const unsigned char*)from + size;
  for (; size >= 8; size -= 8) {
    t -= 8, f -= 8;
    uint64_t word;
    __builtin_memcpy_inline(&word, f, 8);
    __builtin_memcpy_inline(t, &word, 8);
  }
  while (size--)
    *--t = *--f;
  return to;
}

EXPORT void* memset(void* to, int value, size_t size) {
#if defined(__x86_64__)
  void* at = to;
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
#else
  unsigned char* t = to;
  for (; size; --size)
    *t++ = (unsigned char)value;
#endif
  return to;
}

EXPORT int memcmp(const void* a, const void* b, size_t size) {
  const unsigned char *x = a, *y = b;
  for (; size; --size, ++x, ++y)
    if (*x != *y) return *x - *y;
  return 0;
}

// --- Numbers ---

static uint32_t bitsOfFloat(float x) { return __builtin_bit_cast(uint32_t, x); }
static uint64_t bitsOfDouble(double x) { return __builtin_bit_cast(uint64_t, x); }
static float floatOfBits(uint32_t x) { return __builtin_bit_cast(float, x); }
static double doubleOfBits(uint64_t x) { return __builtin_bit_cast(double, x); }

/// significand * 2^exponent rounded to half, ties to even; the significand's top bit is bit 63 (or it is 0), and its
/// bit 0 is sticky.
static uint16_t roundToHalf(uint64_t significand, int exponent) {
  if (significand == 0) return 0;
  exponent += 63; // of the leading bit
  if (exponent > 15) return 0x7c00;
  // Normal halves keep 11 bits, subnormal ones fewer.
  int drop = exponent >= -14 ? 53 : 53 - 14 - exponent;
  if (drop > 64) return 0;
  uint64_t kept = drop == 64 ? 0 : significand >> drop;
  uint64_t rest = drop == 64 ? significand : significand << (64 - drop);
  const uint64_t tie = UINT64_C(1) << 63;
  if (rest > tie || (rest == tie && (kept & 1))) ++kept;
  // A carry out of the significand is the next exponent, up to infinity.
  return exponent >= -14 ? (uint16_t)(kept + ((uint64_t)(exponent + 14) << 10)) : (uint16_t)kept;
}

static uint16_t halfOfDoubleBits(uint64_t bits) {
  uint16_t sign = (uint16_t)(bits >> 48) & 0x8000;
  uint64_t magnitude = bits & ~(UINT64_C(1) << 63);
  if (magnitude > UINT64_C(0x7ff) << 52) return sign | 0x7e00 | (uint16_t)((magnitude >> 42) & 0x1ff);
  if (magnitude == UINT64_C(0x7ff) << 52) return sign | 0x7c00;
  int exponent = (int)(magnitude >> 52);
  if (exponent == 0) return sign; // subnormal doubles are far below half of the smallest half
  uint64_t significand = (magnitude << 11) | UINT64_C(1) << 63;
  return sign | roundToHalf(significand, exponent - 1023 - 63);
}

static float floatOfHalf(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31, fraction = half & 0x3ff;
  if (exponent == 31) return floatOfBits(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000 : 0));
  if (exponent) return floatOfBits(sign | (exponent + 112) << 23 | fraction << 13);
  return floatOfBits(sign | bitsOfFloat((float)fraction * 0x1p-24f));
}

#if defined(__x86_64__)
// _Float16 travels in vector registers here, as the compiler's calls expect.
typedef _Float16 Half;
#else
typedef uint16_t Half;
#endif

EXPORT Half __truncsfhf2(float x) { return __builtin_bit_cast(Half, halfOfDoubleBits(bitsOfDouble((double)x))); }
EXPORT Half __truncdfhf2(double x) { return __builtin_bit_cast(Half, halfOfDoubleBits(bitsOfDouble(x))); }
EXPORT float __extendhfsf2(Half x) { return floatOfHalf(__builtin_bit_cast(uint16_t, x)); }

// --- For CPUs without the instruction: SSE 4.1 for rounding, FMA3 for fused multiply-add ---

EXPORT double trunc(double x) {
  uint64_t bits = bitsOfDouble(x);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
  if (exponent >= 52) return x;
  if (exponent < 0) return doubleOfBits(bits & UINT64_C(1) << 63);
  return doubleOfBits(bits & ~(UINT64_C(0xfffffffffffff) >> exponent));
}

EXPORT double floor(double x) {
  double t = trunc(x);
  return t > x ? t - 1.0 : t;
}

EXPORT double ceil(double x) {
  double t = trunc(x);
  return t < x ? __builtin_copysign(t + 1.0, x) : t;
}

EXPORT double round(double x) {
  double t = trunc(x);
  return __builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : t;
}

EXPORT double rint(double x) {
  double magic = __builtin_copysign(0x1p52, x);
  if (!(__builtin_fabs(x) < 0x1p52)) return x;
  volatile double shifted = x + magic;
  return __builtin_copysign(shifted - magic, x);
}

EXPORT double nearbyint(double x) { return rint(x); }
EXPORT double roundeven(double x) { return rint(x); }

// Every float is a double, and rounding to an integer of a float's value is a float.
EXPORT float truncf(float x) { return (float)trunc(x); }
EXPORT float floorf(float x) { return (float)floor(x); }
EXPORT float ceilf(float x) { return (float)ceil(x); }
EXPORT float roundf(float x) { return (float)round(x); }
EXPORT float rintf(float x) { return (float)rint(x); }
EXPORT float nearbyintf(float x) { return (float)rint(x); }
EXPORT float roundevenf(float x) { return (float)rint(x); }

/// The sum of two doubles and what rounding took from it.
static double twoSum(double a, double b, double* error) {
  double sum = a + b, virtualB = sum - a;
  *error = (a - (sum - virtualB)) + (b - virtualB);
  return sum;
}

/// Sums, rounding to odd: no later rounding to fewer bits can go wrong.
static double addToOdd(double a, double b) {
  double error, sum = twoSum(a, b, &error);
  uint64_t bits = bitsOfDouble(sum);
  if (error != 0.0 && !(bits & 1)) bits += ((error < 0.0) == (sum < 0.0)) ? 1 : -1;
  return doubleOfBits(bits);
}

/// The product of two floats is exact as a double.
EXPORT float fmaf(float x, float y, float z) {
  double product = (double)x * y, sum = product + z;
  if (!(__builtin_fabs(sum) <= 0x1.fffffffffffffp1023)) return (float)sum;
  return (float)addToOdd(product, z);
}

/// Splits a finite, nonzero double into its significand, normalised to have bit 52 set, and the exponent of bit 0.
static uint64_t significandOf(double x, int* exponent) {
  uint64_t bits = bitsOfDouble(x), fraction = bits & UINT64_C(0xfffffffffffff);
  *exponent = (int)(bits >> 52 & 0x7ff) - 1075;
  if (*exponent != -1075) return fraction | UINT64_C(1) << 52;
  int shift = __builtin_clzll(fraction) - 11;
  *exponent = -1074 - shift;
  return fraction << shift;
}

typedef unsigned __int128 Wide;

/// Shifts right; what falls out stays visible as bit 0.
static Wide shiftSticky(Wide x, int by) {
  if (by <= 0) return x;
  if (by >= 128) return x != 0;
  return x >> by | ((x << (128 - by)) != 0);
}

EXPORT double fma(double x, double y, double z) {
  const double largest = 0x1.fffffffffffffp1023;
  if (!(__builtin_fabs(x) <= largest) || !(__builtin_fabs(y) <= largest) || x == 0.0 || y == 0.0) return x * y + z;
  if (!(__builtin_fabs(z) <= largest)) return z + z; // the product is finite, even where x * y overflows

  // Product and addend as integers of 126 bits, each with 20 or more zero bits below: wherever the subtraction
  // cancels more than a bit, the alignment has dropped nothing.
  int ex, ey, e, ez = 0;
  const uint64_t mx = significandOf(x, &ex), my = significandOf(y, &ey);
  Wide product = (Wide)mx * my << 20, addend = 0;
  e = ex + ey - 20;
  if (z != 0.0) {
    addend = (Wide)significandOf(z, &ez) << 73;
    ez -= 73;
    if (ez > e) {
      product = shiftSticky(product, ez - e);
      e = ez;
    } else {
      addend = shiftSticky(addend, e - ez);
    }
  }
  _Bool negative = (bitsOfDouble(x) ^ bitsOfDouble(y)) >> 63, addendNegative = bitsOfDouble(z) >> 63;
  Wide sum = product + addend;
  if (negative != addendNegative) {
    negative = product > addend ? negative : addendNegative;
    sum = product > addend ? product - addend : addend - product;
    if (sum == 0) return 0.0;
  }

  // The leading bit to bit 127, then as many bits as the result has.
  const uint64_t high = (uint64_t)(sum >> 64);
  const int lead = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)sum);
  sum <<= lead;
  e += 127 - lead; // of the leading bit
  const uint64_t sign = (uint64_t)negative << 63;
  if (e > 1023) return doubleOfBits(sign | UINT64_C(0x7ff) << 52);
  const int drop = e >= -1022 ? 75 : 75 - 1022 - e;
  if (drop > 128) return doubleOfBits(sign);
  uint64_t kept = drop == 128 ? 0 : (uint64_t)(sum >> drop);
  const Wide rest = drop == 128 ? sum : sum << (128 - drop), tie = (Wide)1 << 127;
  if (rest > tie || (rest == tie && (kept & 1))) ++kept;
  return doubleOfBits(sign | (e >= -1022 ? kept + ((uint64_t)(e + 1022) << 52) : kept));
}
