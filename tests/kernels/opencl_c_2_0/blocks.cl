// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
constant int table[4] = {1, 2, 3, 5};
int (^const thrice)(int) = ^int(int x) { return x * 3; };

int usesBlocks(int x) {
  int (^squared)(int) = ^(int y) { return y * y; };
  return squared(x) - thrice(x);
}

// Values are captured when the block is made; pointers reach what they point to.
kernel void captured(global const int* in, global int* out) {
  const int i = get_global_id(0);
  int value = in[i];
  int (^plus)(int) = ^(int x) { return x + value; };
  value = 1000;
  void (^store)(int) = ^(int v) { out[i] = v; };
  int sum = plus(i);
  for (int k = 0; k < 4; ++k) {
    int (^step)(void) = ^{ return table[k] + k; };
    sum += step() + usesBlocks(k);
  }
  store(sum);
}

kernel void acrossBarriers(global const int* in, global int* out, local int* tmp) {
  const int l = get_local_id(0), mine = in[get_global_id(0)];
  void (^fill)(void) = ^{ tmp[l] = mine; };
  int (^read)(int) = ^(int at) { return tmp[at] * mine; };
  fill();
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = read((int)get_local_size(0) - 1 - l);
}

// In divergent flow, with vectors and doubles captured, and a literal called at once.
kernel void divergent(global const int* in, global double* out) {
  const int i = get_global_id(0), x = in[i];
  const int4 v = (int4)(x, 1, 2, 3);
  const double d = x * 0.5;
  double (^both)(double) = ^(double y) { return v.x + v.w * y + d; };
  if (x & 1)
    out[i] = both(2.0);
  else
    for (int k = 0; k < (x & 7); ++k) out[i] += ^(double y) { return y * k + d; }(both(k));
}
