// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"
#include "compiler/client/protocol.hpp"

#include <cstring>
#include <functional>
#include <vector>
#include <xxhash.h>

namespace clotho::test {

/// The program binary with its contents changed and a right checksum, as an attacker with knowledge of the format would
/// make it.
inline std::vector<unsigned char> forged(const std::vector<unsigned char>& binary,
                                         const std::function<void(BuildResult&)>& change) {
  constexpr std::size_t kMagic = 8, kHeader = kMagic + 4 + 8 + 8;
  const std::string_view all(reinterpret_cast<const char*>(binary.data()), binary.size());
  ByteReader in(all.substr(kHeader));
  ByteWriter body;
  body.u32(in.u32());
  for (int i = 0; i < 3; ++i) // options, target, checks
    body.text(in.text());
  auto result = parseResult(in.text());
  if (!result || !in.finished()) return {};
  change(*result);
  body.text(serialise(*result));
  ByteWriter out;
  out.raw(all.substr(0, kMagic + 4));
  out.u64(body.bytes().size());
  out.u64(XXH3_64bits(body.bytes().data(), body.bytes().size()));
  out.raw(body.bytes());
  const std::string& bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

} // namespace clotho::test
