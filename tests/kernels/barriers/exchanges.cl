// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps in which work-items read what others far away have written, at places that the compiler can know. Each
// work-item also does all the work of its group alone, in private memory.

#define SUMS(NAME, TYPE, ITEMS)                                                                                        \
  kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void NAME(global TYPE* out, global const TYPE* in) {       \
    local TYPE x[ITEMS];                                                                                               \
    const uint l = get_local_id(0);                                                                                    \
    x[l] = in[get_global_id(0)];                                                                                       \
    for (uint d = 1; d < ITEMS; d *= 2) {                                                                              \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      const uint b = (l + 1) * d * 2 - 1;                                                                              \
      if (b < ITEMS) x[b] += x[b - d];                                                                                 \
    }                                                                                                                  \
    for (uint d = ITEMS / 4; d > 0; d /= 2) {                                                                          \
      barrier(CLK_LOCAL_MEM_FENCE);                                                                                    \
      const uint a = (l + 1) * d * 2 - 1;                                                                              \
      if (a + d < ITEMS) x[a + d] += x[a];                                                                             \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    out[get_global_id(0)] = x[l];                                                                                      \
  }
SUMS(sums, uint, 64)
SUMS(sums_of_bytes, uchar, 128)
SUMS(sums_of_shorts, ushort, 128)
SUMS(sums_of_longs, ulong, 32)
SUMS(sums_of_doubles, double, 64)

// Two elements a work-item, in local memory that is an argument.
kernel __attribute__((reqd_work_group_size(32, 1, 1))) void exclusive_sums(global uint* out, global const uint* in,
                                                                           local uint* x) {
  const int l = get_local_id(0), first = get_group_id(0) * 64;
  x[2 * l] = in[first + 2 * l];
  x[2 * l + 1] = in[first + 2 * l + 1];
  int offset = 1;
  for (int d = 32; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) x[offset * (2 * l + 2) - 1] += x[offset * (2 * l + 1) - 1];
    offset *= 2;
  }
  if (l == 0) x[63] = 0;
  for (int d = 1; d < 64; d *= 2) {
    offset /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      const int a = offset * (2 * l + 1) - 1, b = offset * (2 * l + 2) - 1;
      const uint t = x[a];
      x[a] = x[b];
      x[b] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[first + 2 * l] = x[2 * l];
  out[first + 2 * l + 1] = x[2 * l + 1];
}

// Every element goes to another place in each step.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void permuted(global uint* out, global const uint* in) {
  local uint x[64];
  const uint l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  for (uint step = 0; step < 5; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint mine = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[(l * 5 + 3) % 64] = mine + step;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint from = l;
  for (uint step = 0; step < 5; ++step)
    from = (from + 61) * 13 % 64;
  out[get_global_id(0)] = x[l] == in[get_group_id(0) * 64 + from] + 10 ? get_global_id(0) : ~0U;
}

// Who writes is known at run time only.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void by_data(global uint* out, global const uint* in) {
  local uint x[64];
  const uint l = get_local_id(0);
  global const uint* group = in + get_group_id(0) * 64;
  x[l] = group[l];
  for (uint d = 1; d < 64; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint mine = x[l], theirs = x[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if ((mine & d) != 0) x[(l * 3 + d) % 64] = mine * 2 + theirs;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint y[64], z[64];
  for (uint i = 0; i < 64; ++i)
    y[i] = group[i];
  for (uint d = 1; d < 64; d *= 2) {
    for (uint i = 0; i < 64; ++i)
      z[i] = y[i];
    for (uint i = 0; i < 64; ++i)
      if ((z[i] & d) != 0) y[(i * 3 + d) % 64] = z[i] * 2 + z[63 - i];
  }
  out[get_global_id(0)] = x[l] == y[l] ? get_global_id(0) : ~0U;
}

// One array is read as elements and as pairs of them; no work-item uses the elements that none has written.
kernel __attribute__((reqd_work_group_size(32, 1, 1))) void as_pairs(global uint* out, global const uint* in) {
  local ulong pairs[40];
  local uint* x = (local uint*)pairs;
  const uint l = get_local_id(0);
  global const uint* group = in + get_group_id(0) * 32;
  x[2 * l + 1] = group[l];
  for (uint d = 1; d < 32; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong pair = pairs[l ^ d];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[2 * l + 1] = (uint)(pair >> 32) + d * l;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = group[l ^ 31];
  for (uint d = 1, at = l ^ 31; d < 32; d *= 2) {
    at ^= d;
    sum += d * at;
  }
  out[get_global_id(0)] = x[2 * l + 1] == sum ? get_global_id(0) : ~0U;
}

// Pairs are sorted by one work-item each, and a branch asks whether there is anything to do.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sorted(global uint* out, global const uint* in) {
  local uint x[128];
  const uint l = get_local_id(0), first = get_group_id(0) * 128;
  x[l] = in[first + l];
  x[l + 64] = in[first + l + 64];
  for (uint k = 2; k <= 128; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint a = 2 * l - (l & (j - 1)), b = a + j;
      const uint low = x[a], high = x[b];
      if ((low > high) == ((a & k) == 0)) {
        x[a] = high;
        x[b] = low;
      }
    }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = l; i < 128; i += 64) {
    uint less = 0, same = 0;
    for (uint j = 0; j < 128; ++j) {
      less += in[first + j] < x[i];
      same += in[first + j] == x[i];
    }
    out[first + i] = less <= i && i < less + same ? first + i : ~0U;
  }
}

// The place of the lane that never writes is far outside.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void far_places(global uint* out, global const uint* in) {
  local uint x[64];
  const size_t l = get_local_id(0);
  x[l] = in[get_global_id(0)];
  for (uint d = 1; d < 64; d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t b = ((l ^ 1) * 8 - 8) / 8;
    const uint mine = x[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine < 1000 && l != 1) x[b] = mine + d;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint y[64], z[64];
  for (uint i = 0; i < 64; ++i)
    y[i] = in[get_group_id(0) * 64 + i];
  for (uint d = 1; d < 64; d *= 2) {
    for (uint i = 0; i < 64; ++i)
      z[i] = y[i];
    for (uint i = 0; i < 64; ++i)
      if (z[i] < 1000 && i != 1) y[(i ^ 1) - 1] = z[i] + d;
  }
  out[get_global_id(0)] = x[l] == y[l] ? get_global_id(0) : ~0U;
}

// One of each pair of work-items exchanges what both have.
kernel void sorted_by_one_of_two(global uint* out, global const uint* in) {
  local int a[64];
  uint l = get_local_id(0);
  a[l] = (int)((l * 37 + 11) % 64) - 32;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 64; k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      uint other = l ^ j;
      if (other > l) {
        bool up = (l & k) == 0;
        if ((a[l] > a[other]) == up) {
          int t = a[l];
          a[l] = a[other];
          a[other] = t;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[get_global_id(0)] = get_group_id(0) * 64 + (uint)(a[l] + 32);
}

// The first step of each round pairs mirror images; what cannot be compared stays where it is.
kernel void sorted_mirrored(global uint* out, global const uint* in) {
  local float a[64];
  uint l = get_local_id(0);
  a[l] = l == 63 ? NAN : (float)((l * 25 + 7) % 63);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 64; k *= 2) {
    uint other = l ^ (k - 1);
    for (uint j = k / 2; j > 0; j /= 2) {
      if (l < other && a[l] >= a[other]) {
        float t = a[l];
        a[l] = a[other];
        a[other] = t;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      other = l ^ (j / 2);
    }
  }
  bool isLast = l == 63;
  out[get_global_id(0)] = get_group_id(0) * 64 + (isLast ? (isnan(a[l]) ? 63 : 99) : (uint)a[l]);
}

void exchange(local ushort* a, uint i, uint k) {
  ushort low = a[i], high = a[k];
  if (low > high) {
    a[i] = high;
    a[k] = low;
  }
}

// Places by sums and differences of ids, which are kept across barriers.
kernel void sorted_by_merging(global uint* out, global const uint* in) {
  local ushort a[64];
  const uint l = get_local_id(0);
  a[l] = (l * 37 + 11) % 64;
  a[l + 32] = ((l + 32) * 37 + 11) % 64;
  for (uint size = 2; size <= 64; size <<= 1) {
    uint stride = size / 2, offset = l & (stride - 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint pos = 2 * l - (l & (stride - 1));
    exchange(a, pos, pos + stride);
    for (stride >>= 1; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);
      pos = 2 * l - (l & (stride - 1));
      if (offset >= stride) exchange(a, pos - stride, pos);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_group_id(0) * 64 + l] = get_group_id(0) * 64 + a[l];
  out[get_group_id(0) * 64 + l + 32] = get_group_id(0) * 64 + a[l + 32];
}

// One of two is written only, where data say so.
kernel void larger_of_neighbours(global uint* out, global const uint* in) {
  local uint a[64];
  uint l = get_local_id(0);
  bool isOdd = l % 2 != 0;
  a[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (isOdd && a[l] < a[l - 1]) a[l] = a[l - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!isOdd && a[l] < a[l + 1]) a[l] = a[l + 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (isOdd && l < 63 && a[l] > a[l + 1] && in[0] > 2000) a[l] = a[l + 1] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!isOdd && a[l] == a[l + 1]) a[l] += 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[l];
}
