// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the variant for sub-groups in which work-items differ prints, whichever work-item it is.
kernel void first(global int* out) {
  if (get_global_id(0) == 0) printf("%d %s\n", 36, "first");
  out[get_global_id(0)] = 0;
}

kernel void last(global int* out) {
  if (get_global_id(0) == get_global_size(0) - 1) printf("last %d\n", (int)get_global_id(0));
  out[get_global_id(0)] = 0;
}

kernel void some(global int* out, int one) {
  if (get_global_id(0) == one) printf("some %d\n", one);
  out[get_global_id(0)] = 0;
}

kernel void beforeBarrier(global int* out, local int* sum) {
  if (get_local_id(0) == 0) {
    *sum = 5;
    printf("sets\n");
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = *sum;
}
