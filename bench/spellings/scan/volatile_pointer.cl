// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that scans through a volatile pointer, with zeros in front of each block instead of a condition.
uint scanInclusive(uint value, volatile local uint* data, uint size) {
  uint pos = 2 * get_local_id(0) - (get_local_id(0) & (size - 1));
  data[pos] = 0;
  pos += size;
  data[pos] = value;
  for (uint offset = 1; offset < size; offset <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = data[pos] + data[pos - offset];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[pos] = sum;
  }
  return data[pos];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void scan(global const uint* in, global uint* out,
                                                                  local uint* data) {
  uint value = in[get_global_id(0)];
  out[get_global_id(0)] = scanInclusive(value, data, 256) - value;
}
