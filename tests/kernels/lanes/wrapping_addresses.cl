// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of 32 bits that wrap around between two lanes, and lanes on either side of the wrap that use them.

// Those before the wrap: the last lanes are not of their side.
kernel void beforeWrap(global const int* in, global int* out, uint from) {
  const uint g = get_global_id(0), i = g + from;
  out[g] = -1;
  if (i >= from) out[g] = in[(ulong)i - 4294967196UL];
}

// Those behind it, by ints: the first lanes are not.
kernel void behindSignedWrap(global const int* in, global int* out, uint from) {
  const uint g = get_global_id(0);
  const int i = as_int(g + from);
  out[g] = -1;
  if (i < 0) out[g] = in[(long)i + 2147483648L];
}

// Backwards, from zero to the largest.
kernel void backwardsBehindWrap(global const int* in, global int* out, uint from) {
  const uint g = get_global_id(0), i = from - g;
  out[g] = -1;
  if (i > from) out[g] = in[4294967295UL - i];
}

// By a pitch of which nothing is known.
kernel void beyondPitch(global const int* in, global int* out, uint from, ulong pitch) {
  const uint g = get_global_id(0), i = g + from;
  out[g] = -1;
  if (i >= from) out[g] = in[get_global_id(1) * 7 + pitch * 3 + i];
}

// Each lane that counts has wrapped around several times more than the one before.
kernel void severalTimes(global const int* in, global int* out, uint factor) {
  const uint g = get_global_id(0);
  out[g] = -1;
  if ((g & 7) == 0) out[g] = in[g * 0x20000001u];
}

// What the kernel promises of its arithmetic holds for lanes that use the result.
kernel void promisedToFew(global const int* in, global long* out, int from, int first) {
  const int l = get_local_id(0), t = l - first;
  out[get_global_id(0)] = t >= 0 ? (long)(t + from) * 3 : 1;
}

// The last lanes are not there, and would wrap around.
kernel __attribute__((reqd_work_group_size(24, 1, 1))) void absentLanes(global const int* in, global ulong* out, uint n) {
  const uint l = get_local_id(0), i = l + 0xFFFFFFE8u;
  out[get_global_id(0)] = i;
}

// In local memory.
kernel void localBehindWrap(global const int* in, global int* out, uint from) {
  local int copy[208];
  const uint l = get_local_id(0), n = get_local_size(0);
  copy[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int i = as_int((2 * l - (l & 1)) + from);
  out[get_global_id(0)] = -1;
  if (i < 0 && (long)i + 2147483648L < n) out[get_global_id(0)] = copy[(long)i + 2147483648L];
}

// Read from above, where others have written before if the barrier between is given up for the order of work-items.
kernel void readAbove(global const int* in, global int* out, uint from) {
  local int copy[240];
  const uint l = get_local_id(0), i = l - 100;
  copy[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int above = 0;
  if (i > 4294967000u) above = copy[(ulong)i - 4294967146UL];
  barrier(CLK_LOCAL_MEM_FENCE);
  copy[l] = above + 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = copy[l ^ 1];
}

// By pointers that go down columns, the first of which lies where lanes before it have wrapped around.
kernel void columnsBehindWrap(global const int* in, global int* out, uint first) {
  const uint g = get_global_id(0), i = g - first;
  int sum = -1;
  if (g >= first) {
    global const int* p = in + i;
    sum = 0;
    for (int k = 0; k < 3; ++k, p += 240) sum += (k + 1) * *p;
  }
  out[g] = sum;
}

// By int, from a pointer into the middle.
kernel void columnsBeside(global const int* in, global int* out, uint first) {
  const int g = get_global_id(0), i = g - (int)first;
  global const int* p = in + 240 + i;
  int sum = 0;
  for (int k = 0; k < 3; ++k, p += 240) sum += (k + 1) * *p;
  out[g] = sum;
}

// Global ids from an offset on: those that are no int are negative as ints.
kernel void positiveIds(global const int* in, global int* out, ulong first) {
  const int x = get_global_id(0);
  out[get_global_id(0) - first] = -1;
  if (x > 0) out[get_global_id(0) - first] = in[(long)x - (long)first];
}
