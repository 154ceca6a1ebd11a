// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Declares in CUDA C++, for nvcc, the part of OpenCL C that the kernels of bench/kernels use. cuda_source.cpp puts the kernels behind it
// into the same namespace and rewrites what no macro, function or class can express. There are no images.

#include <cfloat>
#include <cmath>
#include <limits>
#include <type_traits>

#define kernel extern "C" __global__
#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define M_PI_F 3.14159274101257f

namespace opencl {

// --- Vectors ---

template <class T, int N> struct Vector;

/// Elements of a vector by their numbers, as in `v.xyz`. Lies where the vector's elements lie. Copies of it are copies of
/// all elements, so that vectors are copied by loads and stores of 16 bytes.
template <class V, class T, int... I> struct Swizzle {
  T s[4];
  __device__ operator V() const { return V(s[I]...); }
  __device__ Swizzle& operator=(V v) {
    int at = 0;
    ((s[I] = v.s[at++]), ...);
    return *this;
  }
};

template <class T, int N> struct Elements {
  T s[N];
};
template <class T> struct Elements<T, 2> {
  union {
    T s[2];
    struct {
      T x, y;
    };
  };
};
template <class T> struct Elements<T, 3> {
  union {
    T s[3];
    struct {
      T x, y, z;
    };
  };
};
template <class T> struct Elements<T, 4> {
  union {
    T s[4];
    struct {
      T x, y, z, w;
    };
    Swizzle<Vector<T, 3>, T, 0, 1, 2> xyz;
  };
};

#define ELEMENTWISE(what)                                                                                              \
  Vector r;                                                                                                            \
  _Pragma("unroll") for (int i = 0; i < N; ++i) r.s[i] = static_cast<T>(what);                                         \
  return r;
#define OPERATOR(sign)                                                                                                 \
  friend __device__ Vector operator sign(Vector a, Vector b) {                                           \
    ELEMENTWISE(a.s[i] sign b.s[i])                                                                                    \
  }                                                                                                                    \
  friend __device__ Vector& operator sign##=(Vector & a, Vector b) { return a = a sign b; }
#define UNARY(name)                                                                                                    \
  friend __device__ Vector name(Vector a) {                                                                     \
    ELEMENTWISE(name(a.s[i]))                                                                                          \
  }
#define BINARY(name)                                                                                                   \
  friend __device__ Vector name(Vector a, Vector b) {                                                    \
    ELEMENTWISE(name(a.s[i], b.s[i]))                                                                                  \
  }

// Functions of scalars that friends of vectors call.
using ::exp, ::log, ::pow, ::tanh, ::floor, ::fabs, ::sqrt, ::min, ::max;

template <class T> __device__ T clamp(T x, T low, T high) { return min(max(x, low), high); }
template <class T> __device__ T mix(T a, T b, T share) { return a + (b - a) * share; }
__device__ inline unsigned rotate(unsigned x, unsigned bits) { return __funnelshift_l(x, x, bits); }
__device__ inline unsigned popcount(unsigned x) { return static_cast<unsigned>(__popc(static_cast<int>(x))); }
__device__ inline unsigned long popcount(unsigned long x) { return static_cast<unsigned long>(__popcll(x)); }

/// The nearest value of an integer type to one of a wider type, or of a floating-point type that is rounded already.
template <class To, class From> __device__ To saturated(From x) {
  if constexpr (std::is_floating_point_v<From>) {
    if constexpr (std::is_signed_v<To>) return saturated<To>(__float2int_rz(x));
    else return saturated<To>(__float2uint_rz(x));
  } else {
    constexpr From kMost = static_cast<From>(std::numeric_limits<To>::max());
    if constexpr (std::is_signed_v<From>)
      return static_cast<To>(min(max(x, static_cast<From>(std::numeric_limits<To>::min())), kMost));
    else
      return static_cast<To>(min(x, kMost));
  }
}
/// For types of at most 16 bits.
template <class T> __device__ T add_sat(T a, T b) { return saturated<T>(int{a} + int{b}); }
template <class T> __device__ T sub_sat(T a, T b) { return saturated<T>(int{a} - int{b}); }

template <class T, int N> struct alignas(sizeof(T) * (N == 3 ? 4 : N)) Vector : Elements<T, N> {
  using Elements<T, N>::s;

  Vector() = default;
  /// The number in each element.
  __device__ Vector(T x) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      s[i] = x;
  }
  /// Numbers and vectors, one after the other.
  template <class First, class Second, class... Others>
  __device__ Vector(First first, Second second, Others... others) {
    int at = 0;
    put(at, first);
    put(at, second);
    (put(at, others), ...);
  }
  __device__ Vector operator-() const { ELEMENTWISE(-s[i]) }

  OPERATOR(+)
  OPERATOR(-)
  OPERATOR(*)
  OPERATOR(/)
  OPERATOR(&)
  OPERATOR(|)
  OPERATOR(^)
  OPERATOR(<<)
  OPERATOR(>>)
  UNARY(exp)
  UNARY(log)
  UNARY(tanh)
  UNARY(floor)
  UNARY(fabs)
  UNARY(sqrt)
  UNARY(popcount)
  BINARY(min)
  BINARY(max)
  BINARY(pow)
  BINARY(rotate)
  BINARY(add_sat)
  BINARY(sub_sat)
  friend __device__ Vector clamp(Vector x, Vector low, Vector high) {
    return min(max(x, low), high);
  }
  friend __device__ Vector mix(Vector a, Vector b, Vector share) { return a + (b - a) * share; }
  friend __device__ T dot(Vector a, Vector b) {
    T sum = a.s[0] * b.s[0];
#pragma unroll
    for (int i = 1; i < N; ++i)
      sum += a.s[i] * b.s[i];
    return sum;
  }
  friend __device__ T length(Vector a) { return sqrt(dot(a, a)); }
  friend __device__ Vector normalize(Vector a) { return a * rsqrt(dot(a, a)); }

 private:
  template <class U> __device__ void put(int& at, U x) { s[at++] = static_cast<T>(x); }
  template <class U, int M> __device__ void put(int& at, Vector<U, M> v) {
#pragma unroll
    for (int i = 0; i < M; ++i)
      s[at++] = static_cast<T>(v.s[i]);
  }
};

// --- Names of types, and conversions to them ---

template <class To, int N, class From> __device__ Vector<To, N> converted(Vector<From, N> v) {
  Vector<To, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i)
    r.s[i] = static_cast<To>(v.s[i]);
  return r;
}
template <class To, int N, class From> __device__ Vector<To, N> saturated(Vector<From, N> v) {
  Vector<To, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i)
    r.s[i] = saturated<To>(v.s[i]);
  return r;
}
template <class To, int N> __device__ Vector<To, N> saturatedToEven(Vector<float, N> v) {
  Vector<To, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i)
    r.s[i] = saturated<To>(rint(v.s[i]));
  return r;
}

#define WIDTH(type, n)                                                                                                 \
  using type##n = Vector<type, n>;                                                                                     \
  template <class From> __device__ type##n convert_##type##n(Vector<From, n> v) { return converted<type, n>(v); }
#define SATURATING(type, n)                                                                                            \
  template <class From> __device__ type##n convert_##type##n##_sat(Vector<From, n> v) {                         \
    return saturated<type, n>(v);                                                                                      \
  }                                                                                                                    \
  inline __device__ type##n convert_##type##n##_sat_rte(Vector<float, n> v) {                                   \
    return saturatedToEven<type, n>(v);                                                                                \
  }
#define WIDTHS(what, type) what(type, 2) what(type, 3) what(type, 4) what(type, 8) what(type, 16)
#define TYPE(type)                                                                                                     \
  WIDTHS(WIDTH, type)                                                                                                  \
  template <class From> __device__ type convert_##type(From x) { return static_cast<type>(x); }
#define SMALL_TYPE(type)                                                                                               \
  TYPE(type)                                                                                                           \
  WIDTHS(SATURATING, type)                                                                                             \
  template <class From> __device__ type convert_##type##_sat(From x) { return saturated<type>(x); }
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned;
using ulong = unsigned long;
SMALL_TYPE(char)
SMALL_TYPE(uchar)
SMALL_TYPE(short)
SMALL_TYPE(ushort)
TYPE(int)
TYPE(uint)
TYPE(long)
TYPE(ulong)
TYPE(float)
TYPE(double)

/// A number of 16 bits, as memory has it.
struct half {
  unsigned short bits;
};
__device__ inline float vload_half(size_t i, const half* p) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(p[i].bits));
  return x;
}
__device__ inline float4 vload_half4(size_t i, const half* p) {
  return float4(vload_half(4 * i, p), vload_half(4 * i + 1, p), vload_half(4 * i + 2, p), vload_half(4 * i + 3, p));
}
__device__ inline void vstore_half(float x, size_t i, half* p) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p[i].bits) : "f"(x));
}

// --- Other functions ---

__device__ inline uint mul_hi(uint a, uint b) { return __umulhi(a, b); }
__device__ inline uint bitselect(uint a, uint b, uint mask) { return (a & ~mask) | (b & mask); }
__device__ inline float degrees(float radians) { return radians * 57.2957795130823f; }
__device__ inline float sincos(float x, float* cosine) {
  float sine;
  sincosf(x, &sine, cosine);
  return sine;
}
__device__ inline uint atomic_inc(uint* p) { return atomicAdd(p, 1u); }
__device__ inline uint atomic_add(uint* p, uint x) { return atomicAdd(p, x); }

// --- Work-items ---

// They have 32 bits until they are returned, as programs of CUDA compute them.
__device__ inline size_t get_local_id(uint d) { return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : threadIdx.z; }
__device__ inline size_t get_group_id(uint d) { return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : blockIdx.z; }
__device__ inline size_t get_local_size(uint d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : blockDim.z; }
__device__ inline size_t get_num_groups(uint d) { return d == 0 ? gridDim.x : d == 1 ? gridDim.y : gridDim.z; }
__device__ inline size_t get_global_id(uint d) {
  return static_cast<uint>(get_group_id(d)) * static_cast<uint>(get_local_size(d)) + static_cast<uint>(get_local_id(d));
}
__device__ inline size_t get_global_size(uint d) {
  return static_cast<uint>(get_num_groups(d)) * static_cast<uint>(get_local_size(d));
}
__device__ inline void barrier(int) { __syncthreads(); }

/// A kernel's argument that is memory of the work-group: where it begins in what the launch adds to the arrays.
extern __shared__ __align__(16) unsigned char addedMemory[];
template <class T> struct LocalArgument {
  uint offset;
  __device__ operator T*() const { return reinterpret_cast<T*>(addedMemory + offset); }
};

// --- Sub-groups and work-groups of one dimension ---

__device__ inline uint laneId() { return threadIdx.x % 32; }
/// Lanes of this warp: work-groups may end within one.
__device__ inline uint lanes() { return ::min(32u, blockDim.x - threadIdx.x / 32 * 32); }
__device__ inline uint laneMask() { return 0xFFFFFFFFu >> (32 - lanes()); }
__device__ inline uint warps() { return (blockDim.x + 31) / 32; }

__device__ inline uint get_sub_group_id() { return threadIdx.x / 32; }
__device__ inline uint get_num_sub_groups() { return warps(); }
__device__ inline uint get_sub_group_local_id() { return laneId(); }

template <class T> __device__ T sub_group_scan_inclusive_add(T x) {
#pragma unroll
  for (uint step = 1; step < 32; step *= 2) {
    const T before = __shfl_up_sync(laneMask(), x, step);
    if (laneId() >= step) x += before;
  }
  return x;
}
template <class T> __device__ T sub_group_reduce_add(T x) {
#pragma unroll
  for (uint step = 16; step > 0; step /= 2) {
    const T other = __shfl_down_sync(laneMask(), x, step);
    if (laneId() + step < lanes()) x += other;
  }
  return __shfl_sync(laneMask(), x, 0);
}

template <class T> __device__ T work_group_reduce_add(T x) {
  __shared__ T sums[32];
  const T own = sub_group_reduce_add(x);
  if (laneId() == 0) sums[threadIdx.x / 32] = own;
  __syncthreads();
  T all{};
  if (lanes() >= warps())
    all = sub_group_reduce_add(laneId() < warps() ? sums[laneId()] : T{});
  else // the last warp may have too few lanes for the sums of all
    for (uint warp = 0; warp < warps(); ++warp)
      all += sums[warp];
  __syncthreads();
  return all;
}
template <class T> __device__ T work_group_scan_inclusive_add(T x) {
  __shared__ T sums[32];
  const T own = sub_group_scan_inclusive_add(x);
  if (laneId() + 1 == lanes()) sums[threadIdx.x / 32] = own;
  __syncthreads();
  T before{};
  for (uint warp = 0; warp < threadIdx.x / 32; ++warp)
    before += sums[warp];
  __syncthreads();
  return before + own;
}
template <class T> __device__ T work_group_scan_exclusive_add(T x) { return work_group_scan_inclusive_add(x) - x; }
template <class T> __device__ T work_group_broadcast(T x, size_t local) {
  __shared__ T shared;
  if (threadIdx.x == local) shared = x;
  __syncthreads();
  const T result = shared;
  __syncthreads();
  return result;
}

} // namespace opencl
