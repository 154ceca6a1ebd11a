// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void pick(global const int4* a, global const int4* b, global const uint4* mask, global int4* out) {
  const int i = get_global_id(0);
  out[i * 4] = select(a[i], b[i], mask[i] << 31);
  out[i * 4 + 1] = shuffle(a[i], mask[i]);
  out[i * 4 + 2] = shuffle2(a[i], b[i], mask[i]);
  out[i * 4 + 3] = (int4)(any(a[i]), all(a[i]), bitselect(a[i].x, b[i].x, (int)mask[i].x), select(a[i].y, b[i].y, mask[i].y));
}
