// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bitonic sort in global memory, a launch a step.
kernel void fetch(global const uint* in, global uint* keys) { keys[get_global_id(0)] = in[get_global_id(0)]; }

kernel void exchange(global uint* keys, uint k, uint j) {
  uint i = get_global_id(0), other = i ^ j;
  if (other > i) {
    uint mine = keys[i], theirs = keys[other];
    bool up = (i & k & 255) == 0;
    if (up ? mine > theirs : mine < theirs) {
      keys[i] = theirs;
      keys[other] = mine;
    }
  }
}
