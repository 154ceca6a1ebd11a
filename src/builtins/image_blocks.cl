// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_sample.h"

// Block reads and writes of 2D images by whole sub-groups (cl_intel_subgroups, _char, _short and _long). The image is
// taken for rows of bytes, whatever its format: of a row each work-item has the element of its place in the sub-group,
// counted from the byte coordinate, and further components come from the rows below. Reads outside take the nearest
// element of the row and the nearest row; writes outside are dropped.

uint PURE get_sub_group_local_id(void);

INLINE int elementsOfRow(Image image, int size) { return (int)(image->width * image->format.texelSize) / size; }

INLINE int elementOf(int2 place, int size) { return place.x / size + (int)get_sub_group_local_id(); }

/// Address of an element, which must lie in the image.
INLINE ulong elementAddress(Image image, int x, int y, int size) {
  return image->base + (ulong)(y * (long)image->rowPitch + x * (long)size);
}

INLINE ulong nearestElement(Image image, int2 place, int row, int size) {
  return elementAddress(image, clampTexel(elementOf(place, size), elementsOfRow(image, size)),
                        clampTexel(place.y + row, (int)image->height), size);
}

#define BLOCK_ELEMENT(T)                                                                                               \
  typedef T __attribute__((aligned(1))) Unaligned_##T;                                                                 \
  INLINE void setElement(Image image, int2 place, int row, T value) {                                                  \
    const int x = elementOf(place, sizeof(T)), y = place.y + row;                                                      \
    if (isOutside(x, elementsOfRow(image, sizeof(T))) || isOutside(y, (int)image->height)) return;                     \
    *(__global Unaligned_##T*)elementAddress(image, x, y, sizeof(T)) = value;                                          \
  }
BLOCK_ELEMENT(uchar)
BLOCK_ELEMENT(ushort)
BLOCK_ELEMENT(uint)
BLOCK_ELEMENT(ulong)

#define READ_BLOCK(SUFFIX, T, ACCESS, SPACE)                                                                           \
  T OVERLOAD intel_sub_group_block_read##SUFFIX(ACCESS image2d_t image, int2 place) {                                  \
    return *(const SPACE Unaligned_##T*)nearestElement(__clotho_image(image), place, 0, sizeof(T));                    \
  }
#define READ_ROWS(SUFFIX, T, ROWS, ACCESS, SPACE)                                                                      \
  T##ROWS OVERLOAD intel_sub_group_block_read##SUFFIX##ROWS(ACCESS image2d_t image, int2 place) {                      \
    T##ROWS value;                                                                                                     \
    for (int row = 0; row < ROWS; ++row)                                                                               \
      value[row] = *(const SPACE Unaligned_##T*)nearestElement(__clotho_image(image), place, row, sizeof(T));          \
    return value;                                                                                                      \
  }
#define WRITE_BLOCK(SUFFIX, T, ACCESS)                                                                                 \
  void OVERLOAD intel_sub_group_block_write##SUFFIX(ACCESS image2d_t image, int2 place, T value) {                     \
    setElement(__clotho_image(image), place, 0, value);                                                                \
  }
#define WRITE_ROWS(SUFFIX, T, ROWS, ACCESS)                                                                            \
  void OVERLOAD intel_sub_group_block_write##SUFFIX##ROWS(ACCESS image2d_t image, int2 place, T##ROWS value) {         \
    for (int row = 0; row < ROWS; ++row)                                                                               \
      setElement(__clotho_image(image), place, row, value[row]);                                                       \
  }
#define BLOCK(SUFFIX, T)                                                                                               \
  READ_BLOCK(SUFFIX, T, read_only, __constant)                                                                         \
  READ_BLOCK(SUFFIX, T, read_write, __global)                                                                          \
  WRITE_BLOCK(SUFFIX, T, write_only)                                                                                   \
  WRITE_BLOCK(SUFFIX, T, read_write)
#define BLOCK_ROWS(SUFFIX, T, ROWS)                                                                                    \
  READ_ROWS(SUFFIX, T, ROWS, read_only, __constant)                                                                    \
  READ_ROWS(SUFFIX, T, ROWS, read_write, __global)                                                                     \
  WRITE_ROWS(SUFFIX, T, ROWS, write_only)                                                                              \
  WRITE_ROWS(SUFFIX, T, ROWS, read_write)
#define BLOCKS(SUFFIX, T) BLOCK(SUFFIX, T) BLOCK_ROWS(SUFFIX, T, 2) BLOCK_ROWS(SUFFIX, T, 4) BLOCK_ROWS(SUFFIX, T, 8)
BLOCKS(, uint)
BLOCKS(_ui, uint)
BLOCKS(_uc, uchar)
BLOCKS(_us, ushort)
BLOCKS(_ul, ulong)
BLOCK_ROWS(_uc, uchar, 16)
BLOCK_ROWS(_us, ushort, 16)
