// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/binary_format.hpp"

#include "base/bytes.hpp"
#include "compiler/client/build_key.hpp"

#include <xxhash.h>

namespace clotho {

std::string encodeBinary(std::uint32_t type, const std::string& options, const Target& target,
                         const std::string& checks, BuildResult result) {
  result.objectPath.clear();
  result.dependencies.clear();

  ByteWriter body;
  body.u32(type);
  body.text(options);
  body.text(targetIdentity(target));
  body.text(checks);
  body.text(serialise(result));

  ByteWriter out;
  out.raw(kBinaryMagic);
  out.u32(kBinaryVersion);
  out.u64(body.bytes().size());
  out.u64(XXH3_64bits(body.bytes().data(), body.bytes().size()));
  out.raw(body.bytes());
  return out.take();
}

} // namespace clotho
