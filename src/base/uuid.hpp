// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl_ext.h>

#include <array>
#include <cstring>
#include <string_view>
#include <xxhash.h>

namespace clotho {

using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;

/// A UUID of version 8, whose bits are its maker's own (RFC 9562).
inline Uuid uuidOf(std::string_view text) {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(text.data(), text.size()));
  Uuid uuid;
  static_assert(sizeof hash.digest == sizeof uuid);
  std::memcpy(uuid.data(), hash.digest, sizeof uuid);
  uuid[6] = static_cast<cl_uchar>((uuid[6] & 0x0f) | 0x80);
  uuid[8] = static_cast<cl_uchar>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

} // namespace clotho
