// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that some work-items read and then overwrite, and use afterwards.

kernel void in_global(global T* a, global T* out) {
  int i = get_global_id(0);
  T old = (T)7;
  if (i & 1) {
    old = a[i];
    a[i] = (T)3;
  }
  out[i] = old;
}

kernel void in_local(global const T* in, global T* out) {
  local T t[64];
  int l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  T old = (T)7;
  if (l & 1) {
    old = t[l];
    t[l] = (T)3;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = old + t[l ^ 1];
}

kernel void in_private(global const T* in, global T* out, int n) {
  int i = get_global_id(0);
  T own[8];
  for (int k = 0; k < 8; ++k)
    own[k] = in[i] + (T)k;
  T old = (T)7;
  for (int k = 0; k < n; ++k)
    if ((i + k) & 1) {
      old = own[(i + k) & 7];
      own[(i + k) & 7] = (T)3;
    }
  out[i] = old;
}

kernel void swapped(global T* a, global T* b) {
  int i = get_global_id(0);
  if (a[i] > b[i]) {
    T t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

// What else is chosen is loaded behind the store, from what may be the same buffer.
kernel void chosen_later(global T* a, global const T* b) {
  int i = get_global_id(0);
  T old;
  bool odd = i & 1;
  if (odd) {
    old = a[i];
    a[i] = (T)3;
  }
  a[i] = odd ? old + b[i] : b[i] + b[i];
}

// Again and again, with what the round before has left.
kernel void again(global T* a, global T* out, int n) {
  int i = get_global_id(0);
  T old = (T)7;
  for (int k = 0; k < n; ++k) {
    if ((i + k) % 3 == 0) {
      old = a[i];
      a[i] = old + (T)k;
    }
    out[i * n + k] = old;
  }
}

kernel void counted(volatile global int* a, global int* out) {
  int i = get_global_id(0);
  int old = 7;
  if (i & 1) {
    old = a[i];
    atomic_add(a + i, 10);
  }
  out[i] = old;
}

// A bitonic sort of pairs, by one work-item for each.
kernel void sorted(global T* keys, global int* values) {
  local T k[64];
  local int v[64];
  int l = get_local_id(0), g = get_global_id(0);
  k[l] = keys[g];
  v[l] = values[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int size = 2; size <= 64; size <<= 1)
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      int other = l ^ stride;
      if (other > l) {
        bool rising = (l & size) == 0;
        if ((k[l] > k[other]) == rising) {
          T key = k[l];
          k[l] = k[other];
          k[other] = key;
          int value = v[l];
          v[l] = v[other];
          v[other] = value;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  keys[g] = k[l];
  values[g] = v[l];
}
