// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comes before the barrier is printed before what comes after it.
kernel void print(local int* shared) {
  const int l = get_local_id(0);
  shared[l] = l * 10;
  printf("before\n");
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) printf("after %d\n", shared[get_local_size(0) - 1]);
}
