// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that is written with one type and looked at through another, which programs do though the language forbids it.
// Where the two addresses are known to be the same only at run time, nothing but the types could tell them apart.
kernel void halvesAsShorts(global const float16* in, global short* out) {
  const int i = get_global_id(0);
  volatile private short place[32];
  for (int k = 0; k < 32; ++k)
    place[k] = 0;
  vstorea_half16(in[i], 0, (private half*)place);
  vstore_half16(in[i], 0, (private half*)place + 16);
  for (int k = 0; k < 32; ++k)
    out[32 * i + k] = place[k];
}

kernel void floatsAsInts(global float* a, global uint* out, int at, int from) {
  const int i = get_global_id(0);
  global float* mine = a + 4 * i;
  const global uint* bits = (const global uint*)mine;
  const uint before = bits[from];
  mine[at] = 1.5f;
  const uint after = bits[from];
  out[2 * i] = before;
  out[2 * i + 1] = after;
}

kernel void floatsAsIntsInLoop(global float* a, global uint* out, int at, int from) {
  const int i = get_global_id(0);
  global float* mine = a + 4 * i;
  uint sum = 0;
  for (int k = 0; k < 8; ++k) {
    mine[at] = k;
    sum += ((const global uint*)mine)[from] >> 16;
  }
  out[i] = sum;
}

kernel void floatsAsShortsInPrivate(global const float* in, global ushort* out, int at, int from) {
  const int i = get_global_id(0);
  float place[8];
  for (int k = 0; k < 8; ++k)
    place[k] = in[i] + k;
  const private ushort* pieces = (const private ushort*)place;
  const ushort before = pieces[2 * from + 1];
  place[at] = 1.5f;
  const ushort after = pieces[2 * from + 1];
  out[2 * i] = before;
  out[2 * i + 1] = after;
}

kernel void intsAsFloatsInLocal(global float* out, int at, int from) {
  const int i = get_global_id(0);
  local uint tile[4 * 64];
  local uint* mine = tile + 4 * get_local_id(0);
  const local float* reals = (const local float*)mine;
  for (int k = 0; k < 4; ++k)
    mine[k] = 0x40000000;
  const float before = reals[from];
  mine[at] = 0x3fc00000;
  const float after = reals[from];
  out[2 * i] = before;
  out[2 * i + 1] = after;
}

typedef struct {
  float weight;
  short at[2];
} Part;

kernel void structsAsInts(global Part* parts, global uint* out, int zero) {
  const int i = get_global_id(0);
  const global uint* words = (const global uint*)(parts + i);
  const uint before = words[1];
  parts[i + zero].at[0] = 7;
  parts[i + zero].at[1] = 9;
  const uint after = words[1];
  out[2 * i] = before;
  out[2 * i + 1] = after;
}

// Builtins access memory in place of the kernel.
kernel void throughBuiltins(global float* a, global float* out, int at, int from) {
  const int i = get_global_id(0);
  global float* mine = a + 4 * i;
  const global half* halves = (const global half*)mine;
  const float before = vload3(from, halves + 1).z;
  const float fraction = fract(5.5f, mine + at);
  const float after = vload3(from, halves + 1).z;
  out[2 * i] = before;
  out[2 * i + 1] = after + fraction;
}
