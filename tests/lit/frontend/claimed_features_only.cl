// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %compile %s --options "-cl-std=CL3.0" --emit=info -o /dev/null
// RUN: %compile %s --options "-cl-std=CL1.2 -DOLD" --emit=info -o /dev/null
// RUN: %compile %s --options "-DOLD" --emit=info -o /dev/null
// RUN: %compile %s --options "-cl-std=CL2.0 -DOLD=2" --emit=info -o /dev/null
// Macros say what works here, and nothing that clang's target could do beyond it.

#if !defined(cl_khr_fp64) || !defined(cl_khr_fp16) || !defined(cl_khr_int64_base_atomics) || !defined(cl_khr_subgroup_ballot) ||                \
    !defined(cl_intel_subgroups) || !defined(__ENDIAN_LITTLE__) || !defined(__IMAGE_SUPPORT__) || \
    !defined(cl_khr_3d_image_writes) || !defined(cl_khr_depth_images) || !defined(cl_khr_mipmap_image) || \
    !defined(cl_khr_mipmap_image_writes) || !defined(cl_khr_srgb_image_writes) || !defined(cl_khr_image2d_from_buffer)
#error "a macro is missing"
#endif
#if defined(cl_amd_media_ops) || defined(cl_khr_gl_msaa_sharing) || defined(cl_intel_device_side_avc_motion_estimation)
#error "claims too much"
#endif
#if __OPENCL_C_VERSION__ < 200 && (defined(cl_ext_float_atomics) || \
                                    defined(__opencl_c_ext_fp32_global_atomic_add))
#error "there is nothing that these could extend"
#endif
#if __OPENCL_C_VERSION__ >= 200 && (!defined(cl_ext_float_atomics) || \
                                     !defined(__opencl_c_ext_fp32_global_atomic_add))
#error "an extension is missing"
#endif
#if __OPENCL_VERSION__ != 300
#error "wrong version of the platform"
#endif
#if !defined(OLD)
#if __OPENCL_C_VERSION__ != 300 || !defined(__opencl_c_images) || !defined(__opencl_c_read_write_images) || !defined(__opencl_c_pipes) || \
    !defined(__opencl_c_device_enqueue) || \
    !defined(__opencl_c_3d_image_writes) || !defined(__opencl_c_fp64) || !defined(__opencl_c_generic_address_space)
#error "not OpenCL C 3.0"
#endif
#elif OLD == 2
#if __OPENCL_C_VERSION__ != 200
#error "not OpenCL C 2.0"
#endif
#elif __OPENCL_C_VERSION__ != 120
#error "without -cl-std the language is 1.2"
#endif
kernel void k(global double* a) { a[0] = 1; }
