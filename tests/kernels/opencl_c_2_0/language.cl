// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if __OPENCL_C_VERSION__ != 200 || __OPENCL_VERSION__ != 300 || CL_VERSION_2_0 != 200 || CL_VERSION_3_0 != 300
#error "versions"
#endif

global int counter = 5;
global float reals[3] = {1, 2, 3};
static global int hidden = 11;
global int* global pointer = &counter;
constant int fixed = 7;
global atomic_int ticket = ATOMIC_VAR_INIT(3);
global atomic_flag flag = ATOMIC_FLAG_INIT;

int anywhere(const int* p) { return *p; }
int inFunction(void) {
  static global int kept = 17;
  return kept;
}

kernel void k(global int* out, global int* in, __attribute__((nosvm)) global int* other) {
  static global int inKernel = 9;
  local int shared;
  if (get_local_linear_id() == 0) shared = 3;
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);
  int own = 4;
  out[0] = anywhere(&shared) * 1000 + anywhere(&own) * 100 + anywhere(in) * 10 + anywhere(other);
  out[1] = counter + (int)reals[2] + hidden + *pointer + fixed + inKernel + inFunction();
  out[2] = get_enqueued_local_size(0) == get_local_size(0) && get_global_linear_id() == get_global_id(0);
  out[3] = atomic_fetch_add_explicit(&ticket, 2, memory_order_acq_rel, memory_scope_device);
  out[4] = atomic_flag_test_and_set(&flag) * 2 + atomic_flag_test_and_set_explicit(&flag, memory_order_relaxed);
  int* p = in;
  out[5] = (to_global(p) == in) + 2 * (to_local(p) == NULL) + 4 * (get_fence(p) == CLK_GLOBAL_MEM_FENCE) +
           8 * (to_private(&own) != NULL);
  out[6] = work_group_reduce_add(21) + work_group_any(0);
  out[7] = ctz(8) + popcount(7u) + (int)get_num_sub_groups();
  atomic_store(&ticket, 3);
  atomic_flag_clear(&flag);
}
