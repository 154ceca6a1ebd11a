// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void put(local int* where, int value) { *where = value; }
int get(const local int* where) { return *where; }
kernel void pointers(global int* out, local int* shared) {
  const int l = get_local_id(0), n = get_local_size(0);
  local int* mine = shared + l;
  put(mine, l * l);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = get(&shared[(l + 1) % n]);
}
