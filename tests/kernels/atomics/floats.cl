// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(cl_ext_float_atomics) || !defined(__opencl_c_ext_fp32_global_atomic_add) || \
    !defined(__opencl_c_ext_fp64_local_atomic_min_max) || !defined(__opencl_c_ext_fp16_global_atomic_load_store) ||     \
    !defined(__opencl_c_ext_fp16_local_atomic_add) || !defined(__opencl_c_ext_fp16_global_atomic_min_max)
#error "no cl_ext_float_atomics"
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// out: the sum, the difference, the least and the greatest, by global, local and generic pointers.
kernel void globals(global const T* in, global ATOMIC* out) {
  const T x = in[get_global_id(0)];
  atomic_fetch_add(out, x);
  atomic_fetch_sub_explicit(out + 1, x, memory_order_relaxed);
  atomic_fetch_min_explicit(out + 2, x, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max(out + 3, x);
}

void generics(ATOMIC* out, T x) {
  atomic_fetch_add_explicit(out, x, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_sub(out + 1, x);
  atomic_fetch_min(out + 2, x);
  atomic_fetch_max_explicit(out + 3, x, memory_order_relaxed, memory_scope_work_group);
}

kernel void locals(global const T* in, global ATOMIC* out) {
  local ATOMIC all[4];
  if (get_local_id(0) == 0)
    for (int i = 0; i < 4; ++i) atomic_store(all + i, (T)0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const T x = in[get_global_id(0)];
  if (get_global_id(0) % 2) {
    atomic_fetch_add(all, x);
    atomic_fetch_sub(all + 1, x);
    atomic_fetch_min(all + 2, x);
    atomic_fetch_max(all + 3, x);
  } else {
    generics(all, x);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    atomic_fetch_add(out, atomic_load(all));
    atomic_fetch_add(out + 1, atomic_load(all + 1));
    atomic_fetch_min(out + 2, atomic_load(all + 2));
    atomic_fetch_max(out + 3, atomic_exchange(all + 3, (T)0));
  }
}

// What was there before comes back: differences of 1 add up to each value once.
kernel void tickets(global const T* in, global ATOMIC* out, global int* seen) {
  seen[(int)atomic_fetch_add(out, (T)1)] += 1;
}

// Sums with denormals, all pairs of some numbers, are those of plain addition, whatever the operand's size.
constant uint kNumbers[15] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                              0x00800001, 0x0d7fffff, 0x0d800000, 0x8d800001, 0x3f800000, 0xff7fffff, 0x7f800000};
kernel void denormals(global atomic_float* sums, global int* same) {
  const size_t i = get_global_id(0);
  const float old = as_float(kNumbers[i % 15]), x = as_float(kNumbers[i / 15 % 15]), plus = old + x, minus = old - x;
  atomic_store(sums + i, old);
  const float before = atomic_fetch_add_explicit(sums + i, x, memory_order_relaxed, memory_scope_device);
  const float sum = atomic_exchange(sums + i, old);
  atomic_fetch_sub(sums + i, x);
  const float difference = atomic_load(sums + i);
  same[i] = (isequal(before, old) && as_uint(before) == as_uint(old)) + 2 * (isnan(plus) ? isnan(sum) : as_uint(sum) == as_uint(plus)) +
            4 * (isnan(minus) ? isnan(difference) : as_uint(difference) == as_uint(minus));
}
