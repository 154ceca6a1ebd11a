// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(cl_khr_extended_async_copies)
#error "no cl_khr_extended_async_copies"
#endif

// Each work-group has a slice of BYTES of the output; what no copy reaches stays zero.
void clear(local uchar* box) {
  for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0)) box[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
}

void show(local const uchar* box, global uchar* out) {
  for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0)) out[get_group_id(0) * BYTES + i] = box[i];
}

kernel void planesToLocal(global const uchar* in, global uchar* out, local uchar* box) {
  clear(box);
  event_t e = async_work_group_copy_3D3D(box, 1, in, 2, SIZE, 5, 4, 2, 7, 31, 6, 25, 0);
  wait_group_events(1, &e);
  show(box, out);
}

kernel void linesToLocal(global const uchar* in, global uchar* out, local uchar* box) {
  clear(box);
  event_t e = async_work_group_copy_2D2D(box, 1, in, 2, SIZE, 5, 4, 7, 6, 0);
  // The second plane with the same event.
  e = async_work_group_copy_2D2D(box, 1 + 25, in, 2 + 31, SIZE, 5, 4, 7, 6, e);
  wait_group_events(1, &e);
  show(box, out);
}

kernel void planesToGlobal(global const uchar* in, global uchar* out, local uchar* box) {
  for (uint i = get_local_id(0); i < 64 * SIZE; i += get_local_size(0)) box[i] = in[i];
  for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0)) out[get_group_id(0) * BYTES + i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t e = async_work_group_copy_3D3D(out + get_group_id(0) * BYTES, 1, box, 2, SIZE, 5, 4, 2, 7, 31, 6, 25, 0);
  wait_group_events(1, &e);
}

kernel void linesToGlobal(global const uchar* in, global uchar* out, local uchar* box) {
  for (uint i = get_local_id(0); i < 64 * SIZE; i += get_local_size(0)) box[i] = in[i];
  for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0)) out[get_group_id(0) * BYTES + i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  event_t events[2];
  for (int plane = 0; plane < 2; ++plane)
    events[plane] = async_work_group_copy_2D2D(out + get_group_id(0) * BYTES, 1 + plane * 25, box, 2 + plane * 31, SIZE,
                                               5, 4, 7, 6, 0);
  wait_group_events(2, events);
}
