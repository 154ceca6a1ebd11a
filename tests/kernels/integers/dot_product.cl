// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit) || \
    !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
#error "no cl_khr_integer_dot_product"
#endif

kernel void products(global const A4* a, global const B4* b, global const R* c, global R* out) {
  const int i = get_global_id(0);
  out[i * 4 + 0] = dot(a[i], b[i]);
  out[i * 4 + 1] = dot_acc_sat(a[i], b[i], c[i]);
  out[i * 4 + 2] = PACKED(as_uint(a[i]), as_uint(b[i]));
  out[i * 4 + 3] = PACKED_ACC(as_uint(a[i]), as_uint(b[i]), c[i]);
}
