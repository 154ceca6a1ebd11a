// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-groups that read elements into local memory only where there are such, and write results so.

kernel void tiles(global const float* a, global float* c, global const float* b, int n) {
  local float ta[16][16], tb[16][16];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < (n + 15) / 16; ++t) {
    ta[ly][lx] = y < n && t * 16 + lx < n ? a[y * n + t * 16 + lx] : 0;
    tb[ly][lx] = t * 16 + ly < n && x < n ? b[(t * 16 + ly) * n + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k)
      sum += ta[ly][k] * tb[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (x < n && y < n) c[y * n + x] = sum;
}

kernel void product(global const float* a, global float* c, global const float* b, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

kernel void transposed(global const float* in, global float* out, int w, int h) {
  local float tile[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;
  if (x < w && y < h) tile[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 16 + lx;
  y = get_group_id(0) * 16 + ly;
  if (x < h && y < w) out[y * h + x] = tile[lx][ly];
}

kernel void transposed_naively(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

kernel void halo(global const float* in, global float* out, int w, int h) {
  local float tile[18][18];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  for (int i = ly * 16 + lx; i < 18 * 18; i += 256) {
    const int sx = (int)get_group_id(0) * 16 - 1 + i % 18, sy = (int)get_group_id(1) * 16 - 1 + i / 18;
    tile[i / 18][i % 18] = sx >= 0 && sx < w && sy >= 0 && sy < h ? in[sy * w + sx] : 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < w && y < h)
    out[y * w + x] = tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2];
}

kernel void stencil(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float sum = 0;
  if (y > 0) sum += in[(y - 1) * w + x];
  if (y < h - 1) sum += in[(y + 1) * w + x];
  if (x > 0) sum += in[y * w + x - 1];
  if (x < w - 1) sum += in[y * w + x + 1];
  out[y * w + x] = sum;
}

kernel void stencil_of_chars(global const uchar* in, global uchar* out, int w, int h) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  uchar most = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      most = max(most, in[(y + dy) * w + x + dx]);
  out[y * w + x] = most;
}

// Four pixels a work-item.
kernel void rows_of_four(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0) * 4, y = get_global_id(1);
  if (y >= h) return;
  if (x + 3 < w)
    vstore4(vload4(0, in + y * w + x) + 1, 0, out + y * w + x);
  else
    for (int k = x; k < w; ++k)
      out[y * w + k] = in[y * w + k] + 1;
}

kernel void columns_summed(global const float* in, global float* out, int w, int h) {
  const int x = get_global_id(0);
  float sum = 0;
  if (x < w)
    for (int y = 0; y < h; ++y) {
      sum += in[y * w + x];
      out[y * w + x] = sum;
    }
}

kernel void sums(global const float* in, global float* out, int n) {
  local float t[64];
  const int l = get_local_id(0), size = get_local_size(0);
  int i = get_group_id(0) * size * 2 + l;
  t[l] = (i < n ? in[i] : 0) + (i + size < n ? in[i + size] : 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = 1; s < size; s *= 2) {
    if (l % (2 * s) == 0 && l + s < size) t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) out[get_group_id(0)] = t[0];
}

kernel void sums_by_stride(global const float* in, global float* out, int n) {
  local float t[64];
  const int l = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    sum += in[i];
  t[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    for (int k = 1; k < get_local_size(0); ++k)
      sum += t[k];
    out[get_group_id(0)] = sum;
  }
}

kernel void scan(global const int* in, global int* out, int n) {
  local int t[2][64];
  const int l = get_local_id(0), g = get_global_id(0);
  int side = 0;
  t[0][l] = g < n ? in[g] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 64; d *= 2) {
    t[1 - side][l] = l >= d ? t[side][l] + t[side][l - d] : t[side][l];
    side = 1 - side;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (g < n) out[g] = t[side][l];
}

kernel void scan_in_tree(global const int* in, global int* out, int n) {
  local int t[128];
  const int l = get_local_id(0), first = get_group_id(0) * 128;
  int d = 1;
  t[2 * l] = first + 2 * l < n ? in[first + 2 * l] : 0;
  t[2 * l + 1] = first + 2 * l + 1 < n ? in[first + 2 * l + 1] : 0;
  for (int s = 64; s > 0; s /= 2, d *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) t[d * (2 * l + 2) - 1] += t[d * (2 * l + 1) - 1];
  }
  if (l == 0) t[127] = 0;
  for (int s = 1; s < 128; s *= 2) {
    d /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s) {
      int left = t[d * (2 * l + 1) - 1];
      t[d * (2 * l + 1) - 1] = t[d * (2 * l + 2) - 1];
      t[d * (2 * l + 2) - 1] += left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first + 2 * l < n) out[first + 2 * l] = t[2 * l];
  if (first + 2 * l + 1 < n) out[first + 2 * l + 1] = t[2 * l + 1];
}

kernel void bodies(global const float4* in, global float4* out, int n) {
  local float4 t[64];
  const int l = get_local_id(0), g = get_global_id(0);
  float4 own = 0, sum = 0;
  if (g < n) own = in[g];
  for (int first = 0; first < n; first += 64) {
    t[l] = first + l < n ? in[first + l] : (float4)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 64 && first + k < n; ++k)
      sum += t[k] - own;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (g < n) out[g] = sum;
}

kernel void histogram(global const uchar* in, global int* out, int n) {
  local int counts[50];
  const int l = get_local_id(0);
  if (l < 50) counts[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&counts[in[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 50) atomic_add(&out[l], counts[l]);
}

// One step of a sort, of which the last partner may not be there.
kernel void partners(global const int* in, global int* out, int n) {
  const int g = get_global_id(0), other = g ^ 4;
  if (g >= n) return;
  int own = in[g];
  if (other < n) own = (g & 4) != 0 ? max(own, in[other]) : min(own, in[other]);
  out[g] = own;
}

kernel void shifted(global const int* in, global int* out, int n) {
  local int t[64];
  const int l = get_local_id(0), g = get_global_id(0);
  if (g < n) t[l] = in[g];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (g < n) out[g] = l > 0 ? t[l - 1] : g > 0 ? in[g - 1] : 0;
}

// Work-items without an element have returned before the barrier, which GPUs let them.
kernel void returned_early(global const float* in, global float* out, int w, int h) {
  local float tile[16][17];
  const int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  tile[ly][lx] = in[y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  const int ox = get_group_id(1) * 16 + lx, oy = get_group_id(0) * 16 + ly;
  const float value = tile[lx][ly];
  out[oy * 32 + ox] = ox < h && oy < w ? value : -1;
}
