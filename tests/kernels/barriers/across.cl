// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is computed behind barriers of values from before them, which are of use elsewhere or in other rounds, too.
kernel void choose(global const int* in, global int* out, local int* a, int rounds) {
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0), kept = 0;
  a[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i < rounds; i++) {
    int mine = a[l], theirs = a[(l + i) % size];
    bool take = theirs > mine || (theirs == mine && i % 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = take ? theirs - i : mine;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = a[l];
}

// Values of one iteration are used in the next one and behind the loop.
kernel void rounds(global const int* in, global int* out, local int* a, int rounds) {
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0), before = 0, last = 0, sum = 0;
  a[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 1; i < rounds; i++) {
    int mine = a[l], theirs = a[(l + i) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    int larger = max(mine, theirs);
    sum += larger - before;
    before = theirs;
    last = mine;
    a[l] = larger + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[g] = sum * 3 + before + 5 * last;
}

// Behind the second of two barriers, and on one way only.
kernel void ways(global const int* in, global int* out, local int* a, int rounds) {
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0);
  int x = in[g], y = in[g ^ 1], z = x * y;
  a[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = a[size - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = x + y, less = min(other, sum);
  a[l] = less;
  if (rounds > 3) {
    barrier(CLK_LOCAL_MEM_FENCE);
    less += z - a[size - 1 - l];
  } else {
    less -= z;
  }
  out[g] = less * 2 + x;
}

// Division is done for whom it is asked, not before.
kernel void divided(global const int* in, global int* out, local int* a, int rounds) {
  int l = get_local_id(0), g = get_global_id(0), size = get_local_size(0), n = in[g] & 3, m = in[g] >> 2;
  a[l] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  if (a[l] != 0)
    sum = m / n;
  out[g] = sum + a[size - 1 - l];
}
