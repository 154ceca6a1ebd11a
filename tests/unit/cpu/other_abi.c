// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel object of another version, as its note says.
#include <stdint.h>

__attribute__((section(".note.clotho"), used, aligned(4))) static const struct {
  uint32_t nameSize, size, type;
  char name[8];
  uint32_t version, kernels;
} note = {7, 8, 1, "Clotho", 0x7fff, 0};

__attribute__((visibility("default"))) void add_number(void) {}
