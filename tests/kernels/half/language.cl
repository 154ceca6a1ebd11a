// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// A half may be an argument, literal or constant, and stand in structs, private arrays, vectors, unions, local memory.

typedef struct { char tag; half3 direction; half weight; } Ray;
constant half kTable[4] = {0.5h, 1.5H, -2.0h, 0x1p-24h};

half twice(half x) { return x + x; }
half4 scale(half4 v, half by) { return v * by; }

kernel void byValue(half a, half3 v, Ray ray, global half* out) {
  const int i = get_global_id(0);
  out[4 * i] = twice(a) + (half)i;
  out[4 * i + 1] = v.x * v.y + v.z;
  out[4 * i + 2] = ray.direction.z * ray.weight;
  out[4 * i + 3] = ray.tag + kTable[i & 3];
}

kernel void arrays(global const half* in, global half* out) {
  const int i = get_global_id(0);
  half sums[8];
  for (int k = 0; k < 8; ++k) sums[k] = in[(i + k) % 64] * (half)k;
  half total = 0;
  for (int k = 0; k < 8; ++k) total += sums[(i + k) & 7];
  out[i] = total;
}

kernel void operators(global const half* in, global half* out, global int* whole) {
  const int i = get_global_id(0);
  const half4 v = vload4(i, in);
  half4 w = scale(v, 2) - v.wzyx / (half)4;
  w.yw = -w.wy;
  w.x += v.y > v.z ? v.y : v.z;
  w = select(w, v, v < (half4)(0));
  vstore4(w, i, out);
  half x = v.x;
  const bool isNegative = x++ < 0;
  whole[i] = isNegative + (x == v.x) * 2 + (int)(x * 4) * 4 + (!x) + as_short(v.y) + as_ushort2(v.zw).y;
}

kernel void localMemory(global const half* in, global half* out) {
  local half line[64];
  const int i = get_local_id(0);
  line[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = line[63 - i] * (half)0.5;
}

kernel void copied(global const half* in, local half* block, global half* out) {
  const int n = get_local_size(0);
  event_t done = async_work_group_copy(block, in + get_group_id(0) * n, n, 0);
  done = async_work_group_strided_copy(block + n, in, n / 4, 2, done);
  prefetch(in, 4);
  wait_group_events(1, &done);
  const int i = get_local_id(0);
  out[get_global_id(0)] = i < n / 4 ? block[n + i] : block[n - 1 - i];
}

kernel void shuffles(global const half* in, global const ushort* masks, global half* out) {
  const int i = get_global_id(0);
  const half8 x = vload8(i, in), y = -x;
  vstore4(shuffle(x, vload4(i, masks)), 2 * i, out);
  vstore4(shuffle2(x, y, vload4(i, masks)), 2 * i + 1, out);
}

kernel void everywhere(global half* in, constant half* same, global half* out, local half* block) {
  const int i = get_global_id(0), l = get_local_id(0);
  half mine[16];
  vstore16(vload16(0, in + i), 0, mine);
  vstore3(vload3(0, same + i), l, block);
  vstore2(vload2(0, mine + 14), 0, mine);
  const half3 x = vload3(l, block);
  out[4 * i] = mine[0];
  out[4 * i + 1] = mine[1];
  out[4 * i + 2] = x.z;
  out[4 * i + 3] = mine[2];
}

kernel void printed(half a, half4 v) {
  printf("%f %.3e %v4hf %5.1v4hf|%a\n", a, a, v, v, (half)0.5h);
  printf("%v2hf %v3hg %d\n", v.xy, v.yzw, (int)v.x);
}

#if __OPENCL_C_VERSION__ >= 300
global half counter = 1.5h;
global half4 rows[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
void put(half* p, half x) { *p = x; }
kernel void programScope(global half* out) {
  const int i = get_global_id(0);
  half x = 0;
  put(&x, counter * rows[i & 1].y);
  put(out + i, x);
  half whole;
  out[i] += fract(x + (half)0.25, &whole) + whole;
}
#endif
