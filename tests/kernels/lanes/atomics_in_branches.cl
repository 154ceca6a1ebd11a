// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics from some of the lanes, in loops of different length, and each lane with its own result.
kernel void counts(global const int* in, global int* counters, global int* out) {
  const int g = get_global_id(0);
  out[g] = 0;
  if (in[g] % 3 == 1) {
    atomic_add(&counters[in[g] % 4], g);
    atomic_max(&counters[4], in[g]);
  } else {
    for (int k = 0; k < in[g] % 5; ++k) atomic_inc(&counters[5]);
  }
  out[g] = 1;
}

// Tickets are drawn by some work-items only, and each ticket by one.
kernel void tickets(global const int* in, global int* counters, global int* out) {
  const int g = get_global_id(0);
  if (in[g] & 1) {
    const int mine = atomic_inc(&counters[0]);
    atomic_inc(&out[mine]);
  }
}

kernel void exchanges(global const int* in, global int* counters, global int* out) {
  const int g = get_global_id(0);
  if (in[g] % 7 == 2) return;
  int old = counters[1];
  while (true) {
    const int seen = atomic_cmpxchg(&counters[1], old, old + in[g]);
    if (seen == old) break;
    old = seen;
  }
  out[g] = 1;
}
