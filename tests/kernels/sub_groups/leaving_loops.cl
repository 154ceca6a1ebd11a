// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Those that leave a loop in the same round take part together, whatever ends its body: here every round has an eighth
// of the work-items.
kernel void ends_in_and(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0, round = 0;
  do {
    if (a[i] % 8 == round) {
      found = sub_group_non_uniform_reduce_add(1) + 100 * round;
      break;
    }
    ++round;
  } while (round < 8 && a[i] >= 0);
  out[i] = found;
}

kernel void ends_in_choice(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int round = 0;
  for (;;) {
    if (a[i] % 8 == round) {
      out[i] = sub_group_non_uniform_reduce_add(1) + 100 * round;
      break;
    }
    round += a[i] > 1000 ? a[i + 1] : 1;
  }
}

typedef struct {
  int v[9];
} Steps;
__attribute__((noinline)) int stepOf(Steps steps) { return steps.v[0]; }
__attribute__((noinline)) int thrice(int x) { return x * 3; }
// The loop's last block uses values that it gets from others.
kernel void ends_in_structs(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  Steps one = {{1}}, other = {{1, 2}};
  int found = 0, round = 0;
  while (round < 8) {
    if (a[i] % 8 == round) {
      found = sub_group_non_uniform_reduce_add(1) + 100 * round;
      break;
    }
    round += thrice(round) - 3 * round + stepOf(a[i] > 5 ? one : other);
  }
  out[i] = found;
}

// An odd number is not zero, so that the loop is always left, which the compiler finds out.
kernel void always_leaves(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  for (int round = 0; round < 8; ++round) {
    if (a[i] % 8 == round) {
      found = sub_group_non_uniform_reduce_add(1) + 100 * round;
      if ((2 * round + 54 * round + 1) & 1) break;
    }
    if (a[i] < 0) found = a[i];
  }
  out[i] = found;
}

kernel void leaves_with_variable(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  for (int round = 0; round < 8; ++round) {
    const int own = a[i] % 8;
    if (own == round) {
      found = sub_group_non_uniform_reduce_add(1) + 100 * round;
      if ((2 * found + 1) & 1) break;
    }
    if (own < 0) found = own;
  }
  out[i] = found;
}

// Those that leave a loop in different rounds take part together behind it, in a branch, too.
kernel void behind_loops(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  if (a[i] & 1) {
    for (int round = 0; round < a[i] % 8; ++round) found += 100 * round;
    found += sub_group_non_uniform_reduce_add(1);
  }
  out[i] = found;
}

// They do before another loop, too, and at the end of one around it.
kernel void between_loops(global const int* a, global int* out) {
  const size_t i = get_global_id(0);
  int found = 0;
  if (a[i] & 1) {
    for (int round = 0; round < a[i] % 8; ++round) found += 100 * round;
    for (int twice = 0; twice < 2; ++twice) {
      found += sub_group_non_uniform_reduce_add(1);
      for (int round = 0; round < a[i] % 8; ++round) found += 100 * round;
    }
  }
  out[i] = found;
}
