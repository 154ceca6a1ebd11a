// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL C declarations of cl_intel_subgroups, _char, _short and _long, which clang does not know by itself. Given to
// programs that name such a function: the many overloads take as long to parse as a small program.
// clang-format off
#define __overloads __attribute__((overloadable, convergent))
#define __each_size(DECLARE, type)                                                                                     \
  DECLARE(type) DECLARE(type##2) DECLARE(type##3) DECLARE(type##4) DECLARE(type##8) DECLARE(type##16)

#define __shuffles(type)                                                                                               \
  type __overloads intel_sub_group_shuffle(type, uint);                                                                \
  type __overloads intel_sub_group_shuffle_down(type, type, uint);                                                     \
  type __overloads intel_sub_group_shuffle_up(type, type, uint);                                                       \
  type __overloads intel_sub_group_shuffle_xor(type, uint);
__each_size(__shuffles, float) __each_size(__shuffles, int) __each_size(__shuffles, uint) __each_size(__shuffles, short)
    __each_size(__shuffles, ushort) __each_size(__shuffles, char) __each_size(__shuffles, uchar)
        __each_size(__shuffles, long) __each_size(__shuffles, ulong)
#ifdef cl_khr_fp64
            __shuffles(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
                __shuffles(half)
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

#define __broadcasts(type) type __overloads intel_sub_group_broadcast(type, uint);
                    __each_size(__broadcasts, short) __each_size(__broadcasts, ushort) __each_size(__broadcasts, char)
                        __each_size(__broadcasts, uchar)

#define __arithmetic(type, operation)                                                                                  \
  type __overloads intel_sub_group_reduce_##operation(type);                                                           \
  type __overloads intel_sub_group_scan_exclusive_##operation(type);                                                   \
  type __overloads intel_sub_group_scan_inclusive_##operation(type);
#define __operations(type) __arithmetic(type, add) __arithmetic(type, min) __arithmetic(type, max)
                            __operations(short) __operations(ushort) __operations(char) __operations(uchar)

#define __block(suffix, element, type)                                                                                 \
  type __overloads intel_sub_group_block_read##suffix(const __global element*);                                        \
  void __overloads intel_sub_group_block_write##suffix(__global element*, type);
#define __blocks(suffix, element)                                                                                      \
  __block(suffix, element, element) __block(suffix##2, element, element##2) __block(suffix##4, element, element##4)    \
      __block(suffix##8, element, element##8)
                                __block(, uint, uint) __block(2, uint, uint2) __block(4, uint, uint4)
                                    __block(8, uint, uint8) __blocks(_ui, uint) __blocks(_uc, uchar)
                                        __block(_uc16, uchar, uchar16) __blocks(_us, ushort)
                                            __block(_us16, ushort, ushort16) __blocks(_ul, ulong)

#ifdef __IMAGE_SUPPORT__
#define __image_block(suffix, access, type)                                                                            \
  type __overloads intel_sub_group_block_read##suffix(access image2d_t, int2);
#define __image_block_write(suffix, access, type)                                                                      \
  void __overloads intel_sub_group_block_write##suffix(access image2d_t, int2, type);
#ifdef __opencl_c_read_write_images
#define __image_accesses(suffix, type)                                                                                 \
  __image_block(suffix, read_only, type) __image_block_write(suffix, write_only, type)                                 \
      __image_block(suffix, read_write, type) __image_block_write(suffix, read_write, type)
#else
#define __image_accesses(suffix, type)                                                                                 \
  __image_block(suffix, read_only, type) __image_block_write(suffix, write_only, type)
#endif
#define __image_blocks(suffix, element)                                                                                \
  __image_accesses(suffix, element) __image_accesses(suffix##2, element##2) __image_accesses(suffix##4, element##4)    \
      __image_accesses(suffix##8, element##8)
__image_accesses(, uint) __image_accesses(2, uint2) __image_accesses(4, uint4) __image_accesses(8, uint8)
    __image_blocks(_ui, uint) __image_blocks(_uc, uchar) __image_accesses(_uc16, uchar16) __image_blocks(_us, ushort)
        __image_accesses(_us16, ushort16) __image_blocks(_ul, ulong)
#undef __image_block
#undef __image_block_write
#undef __image_accesses
#undef __image_blocks
#endif

#undef __overloads
#undef __each_size
#undef __shuffles
#undef __broadcasts
#undef __arithmetic
#undef __operations
#undef __block
#undef __blocks
