// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.h"

// get_image_* (OpenCL C 3.0, section 6.15.15.6; cl_khr_mipmap_image).

#define QUERY(NAME, FIELD, TYPE)                                                                                       \
  int OVERLOAD NAME(TYPE image) { return (int)__clotho_image(image)->FIELD; }
#define TYPE_OF(TYPE) QUERY(get_image_channel_data_type, format.type, TYPE)
#define ORDER_OF(TYPE) QUERY(get_image_channel_order, format.order, TYPE)
#define WIDTH_OF(TYPE) QUERY(get_image_width, width, TYPE)
#define HEIGHT_OF(TYPE) QUERY(get_image_height, height, TYPE)
#define DEPTH_OF(TYPE) QUERY(get_image_depth, depth, TYPE)
#define LEVELS_OF(TYPE) QUERY(get_image_num_mip_levels, levelCount, TYPE)
EACH_IMAGE(TYPE_OF)
EACH_IMAGE(ORDER_OF)
EACH_IMAGE(WIDTH_OF)

#define EACH_PLANE(USE) EACH_ACCESS(USE, image2d_t) EACH_ACCESS(USE, image2d_array_t) EACH_DEPTH_IMAGE(USE)
EACH_PLANE(HEIGHT_OF)
EACH_ACCESS(HEIGHT_OF, image3d_t)
EACH_ACCESS(DEPTH_OF, image3d_t)

#define PLANE_SIZE_OF(TYPE)                                                                                            \
  int2 OVERLOAD get_image_dim(TYPE image) {                                                                            \
    return (int2)((int)__clotho_image(image)->width, (int)__clotho_image(image)->height);                              \
  }
EACH_PLANE(PLANE_SIZE_OF)
#define VOLUME_SIZE_OF(TYPE)                                                                                           \
  int4 OVERLOAD get_image_dim(TYPE image) {                                                                            \
    return (int4)((int)__clotho_image(image)->width, (int)__clotho_image(image)->height,                               \
                  (int)__clotho_image(image)->depth, 0);                                                               \
  }
EACH_ACCESS(VOLUME_SIZE_OF, image3d_t)

#define LAYERS_OF(TYPE)                                                                                                \
  size_t OVERLOAD get_image_array_size(TYPE image) { return __clotho_image(image)->layers; }
EACH_ACCESS(LAYERS_OF, image1d_array_t)
EACH_ACCESS(LAYERS_OF, image2d_array_t)
EACH_ACCESS(LAYERS_OF, image2d_array_depth_t)

EACH_ACCESS(LEVELS_OF, image1d_t)
EACH_ACCESS(LEVELS_OF, image1d_array_t)
EACH_ACCESS(LEVELS_OF, image2d_t)
EACH_ACCESS(LEVELS_OF, image2d_array_t)
EACH_ACCESS(LEVELS_OF, image3d_t)
EACH_DEPTH_IMAGE(LEVELS_OF)
