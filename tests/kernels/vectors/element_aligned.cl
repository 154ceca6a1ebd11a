// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors at addresses that are multiples of an element's size, and of nothing more.
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(T, N) V;
#define PLACES (sizeof(V) / sizeof(T)) // of an element each, in memory

kernel void straight(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  *(global V*)(o + at) = *(global const V*)(a + at);
}

kernel void permuted(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * 7 % 32 * PLACES + shift;
  *(global V*)(o + at) = *(global const V*)(a + at);
}

kernel void in_some_lanes(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  if (a[at] > 20) *(global V*)(o + at) = *(global const V*)(a + at);
  else for (int i = 0; i < N; ++i) o[at + i] = a[at + i];
}

kernel void argument(global const V* a, global V* o) { o[get_global_id(0)] = a[get_global_id(0)]; }
kernel void calls_kernel(global const T* a, global T* o, int shift) {
  argument((global const V*)(a + shift), (global V*)(o + shift));
}

kernel void by_element(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  global V* to = (global V*)(o + at);
  to->s0 = a[at];
  for (int i = 1; i < N; ++i) ((global T*)to)[i] = ((global const V*)(a + at))[0][i];
}

kernel void from_constant(constant T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  *(global V*)(o + at) = *(constant V*)(a + at);
}

kernel void through_local(global const T* a, global T* o, int shift, local T* l) {
  const size_t n = get_local_size(0), i = get_local_id(0), at = get_global_id(0) * PLACES + shift;
  *(local V*)(l + (n - 1 - i) * PLACES + shift) = *(global const V*)(a + at);
  barrier(CLK_LOCAL_MEM_FENCE);
  const V mine = *(local V*)(l + (n - 1 - i) * PLACES + shift);
  *(global V*)(o + at) = mine;
}

kernel void through_private(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  T p[2 * PLACES], r[2 * PLACES];
  for (int i = 0; i < N; ++i) p[i + shift] = a[at + i];
  *(V*)(r + shift) = *(V*)(p + shift);
  for (int i = 0; i < N; ++i) o[at + i] = r[i + shift];
}

typedef struct { V first; T second; } Pair;
kernel void in_struct(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  Pair pair = *(global const Pair*)(a + at);
  pair.second = 0;
  global Pair* to = (global Pair*)(o + at);
  to->first = pair.first;
}
kernel void whole_struct(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * 2 * PLACES + shift;
  if (get_global_id(0) < 16) *(global Pair*)(o + at) = *(global const Pair*)(a + at);
}

#if __OPENCL_C_VERSION__ >= 200
void copy(V* to, const V* from) { *to = *from; }
kernel void through_generic(global const T* a, global T* o, int shift, local T* l) {
  const size_t i = get_local_id(0), at = get_global_id(0) * PLACES + shift;
  copy((V*)(l + i * PLACES + shift), (const V*)(a + at));
  barrier(CLK_LOCAL_MEM_FENCE);
  copy((V*)(o + at), (const V*)(l + i * PLACES + shift));
}
#endif

kernel void by_async_copy(global const T* a, global T* o, int shift, local V* l) {
  const size_t n = get_local_size(0), at = get_group_id(0) * n * PLACES + shift;
  event_t e = async_work_group_copy(l, (global const V*)(a + at), n, 0);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy((global V*)(o + at), l, n, 1, 0);
  wait_group_events(1, &e);
}

#ifdef POINTS
// Builtins that store by way of a pointer to a vector.
kernel void by_builtin(global const T* a, global T* o, int shift) {
  const size_t at = get_global_id(0) * PLACES + shift;
  const V x = *(global const V*)(a + at);
  const V fraction = modf(x + (V)0.25f, (global V*)(o + at));
  if (any(fraction != (V)0.25f)) *(global V*)(o + at) = (V)0;
}
#endif

// A struct of vectors of bytes at an odd address, by an index of which nothing is known.
typedef struct {
  V v;
} Only;
kernel void indexed(global const T* a, global T* o, global const int* index) {
  const size_t i = get_global_id(0);
  ((global Only*)(o + 1))[i] = ((global const Only*)(a + 1))[index[i]];
}
