// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes leave a loop in different rounds, skip the rest of a round, and have a loop of common length inside.
kernel void exits(global const int* in, global int* out, int m) {
  const int i = get_global_id(0), n = in[i];
  int sum = 0;
  for (int a = 0;; ++a) {
    if (a >= n) break;
    if (a % 3 == 1) continue;
    if (a == 20) {
      sum += 1000;
      break;
    }
    sum += a;
    for (int u = 0; u < m; ++u) sum += u * (a & 1);
  }
  out[i] = sum;
}

// What a lane takes out of the loop is of its own last round, whichever way it left.
kernel void lastRound(global const int* in, global int* out, int m) {
  const int i = get_global_id(0), n = in[i];
  int a = 0, kept = -1, way = 0;
  do {
    kept = a * a;
    if (a == n / 2 && n > 10) {
      way = 1;
      break;
    }
    a += m;
  } while (a < n);
  out[i] = kept * 100 + a * 2 + way;
}

// Loops in loops, each left by each lane on its own; the inner one also leaves the outer one.
kernel void nested(global const int* in, global int* out, int m) {
  const int i = get_global_id(0), n = in[i];
  int found = -1, rounds = 0;
  for (int a = 1; a < m && found < 0; ++a)
    for (int b = 0; b <= a; ++b) {
      ++rounds;
      if (a * m + b == n) {
        found = a * 100 + b;
        break;
      }
    }
  out[i] = found * 1000 + rounds;
}
