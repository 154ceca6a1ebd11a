// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels may ask of images (OpenCL C 6.15.15.6). The build options are those of access.cl, and AXES, the coordinates
// without the layer.
#define ASK(access)                                                                                                    \
  kernel void ask_##access(access IMAGE image, global int* out) {                                                      \
    out += 10 * get_global_id(0);                                                                                      \
    out[0] = get_image_width(image);                                                                                   \
    out[1] = HEIGHT(image);                                                                                            \
    out[2] = DEPTH_OF(image);                                                                                          \
    out[3] = LAYERS(image);                                                                                            \
    out[4] = get_image_channel_data_type(image);                                                                       \
    out[5] = get_image_channel_order(image);                                                                           \
    DIM(image)                                                                                                         \
  }

#if AXES > 1
#define HEIGHT(image) get_image_height(image)
#else
#define HEIGHT(image) 1
#endif
#if AXES > 2
#define DEPTH_OF(image) get_image_depth(image)
#define DIM(image)                                                                                                     \
  int4 dim = get_image_dim(image);                                                                                     \
  out[6] = dim.x;                                                                                                      \
  out[7] = dim.y;                                                                                                      \
  out[8] = dim.z;                                                                                                      \
  out[9] = dim.w;
#elif AXES > 1
#define DEPTH_OF(image) 1
#define DIM(image)                                                                                                     \
  int2 dim = get_image_dim(image);                                                                                     \
  out[6] = dim.x;                                                                                                      \
  out[7] = dim.y;                                                                                                      \
  out[8] = 0;                                                                                                          \
  out[9] = 0;
#else
#define DEPTH_OF(image) 1
#define DIM(image) out[6] = out[7] = out[8] = out[9] = 0;
#endif
#ifdef ARRAY
#define LAYERS(image) (int)get_image_array_size(image)
#else
#define LAYERS(image) 1
#endif

ASK(read_only)
ASK(write_only)
ASK(read_write)

// The numbers that the queries give have names.
kernel void names(global int* out) {
  const int values[] = {
      CLK_SNORM_INT8,     CLK_SNORM_INT16,    CLK_UNORM_INT8,       CLK_UNORM_INT16,     CLK_UNORM_SHORT_565,
      CLK_UNORM_SHORT_555, CLK_UNORM_INT_101010, CLK_SIGNED_INT8,    CLK_SIGNED_INT16,    CLK_SIGNED_INT32,
      CLK_UNSIGNED_INT8,  CLK_UNSIGNED_INT16, CLK_UNSIGNED_INT32,   CLK_HALF_FLOAT,      CLK_FLOAT,
      CLK_A,              CLK_R,              CLK_Rx,               CLK_RG,              CLK_RGx,
      CLK_RA,             CLK_RGB,            CLK_RGBx,             CLK_RGBA,            CLK_ARGB,
      CLK_BGRA,           CLK_INTENSITY,      CLK_LUMINANCE,        CLK_DEPTH,           CLK_sRGB,
      CLK_sRGBx,          CLK_sRGBA,          CLK_sBGRA};
  for (int i = 0; i < sizeof values / sizeof *values; ++i)
    out[i] = values[i];
}
