// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each pointer is of one space: 1 global, 2 local, 4 private; 10 times the fence, local 1 and global 2.
typedef struct {
  int first, rest[5];
} pack;

global int variable;

int space(int* p) {
  int result = 0;
  if (to_global(p)) result += 1;
  if (to_local(p)) result += 2;
  if (to_private(p)) result += 4;
  if (get_fence(p) == CLK_LOCAL_MEM_FENCE) result += 10;
  if (get_fence((const int*)p) == CLK_GLOBAL_MEM_FENCE) result += 20;
  return result;
}

// Whether the answer is the pointer that was asked for.
bool same(int* p) {
  global int* g = to_global(p);
  local int* l = to_local(p);
  private int* v = to_private(p);
  if (g) return (int*)g == p;
  if (l) return (int*)l == p;
  return (int*)v == p;
}

kernel void told(global int* data, pack given, local int* last, global int* out) {
  local int mine[3];
  const int i = get_global_id(0), l = get_local_id(0);
  global int* to = out + 16 * i;
  int escaping[3] = {i, i + 1, i + 2}, kept[3] = {i, 7, l};
  if (l == 0) mine[0] = mine[1] = mine[2] = 0;
  last[l] = l;
  int* pointer = &kept[i % 3];
  to[0] = space(&data[i]);
  to[1] = space(&variable);
  to[2] = space(&mine[l % 3]);
  to[3] = space(&last[l]);
  to[4] = space(last + get_local_size(0)); // just past the end
  to[5] = space(&escaping[i % 3]);
  to[6] = space(pointer);
  to[7] = space(&given.rest[i % 5]);
  *pointer += 100;
  barrier(CLK_LOCAL_MEM_FENCE);
  to[8] = space(pointer);
  to[9] = space(&kept[2]);
  to[10] = kept[0] + kept[1] + kept[2] - l;
  int* none = i < 0 ? pointer : 0;
  to[11] = space(none) % 10;
  to[12] = same(&data[i]) && same(&mine[l % 3]) && same(&last[l]);
  to[13] = same(&escaping[i % 3]) && same(pointer) && same(&given.first);
  to[14] = same(none);
  to[15] = escaping[i % 3] + given.rest[i % 5];
}

// The space differs between the work-items that run in one vector.
kernel void chosen(global int* data, local int* shared, global int* out) {
  const int i = get_global_id(0), l = get_local_id(0);
  int own = 300 + i;
  shared[l] = 200 + i;
  int* p = &own;
  if (i % 3 == 0) p = &data[i];
  else if (i % 3 == 1) p = &shared[l];
  global int* g = to_global(p);
  local int* s = to_local(p);
  private int* v = to_private(p);
  int result = 1000 * space(p);
  if (g) result += *g;
  if (s) result += *s;
  if (v) result += *v;
  out[i] = result;
}
