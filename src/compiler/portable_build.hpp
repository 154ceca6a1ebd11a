// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"
#include "compiler/compiler.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace clotho {

/// The work that a build for TargetKind::Portable leaves to the compiler that makes the code, beside the portable
/// module. It is the facts of each kernel.
struct PortableBuild {
  BuildKind kind = BuildKind::Build;
  std::string options;     ///< code generation looks at some of them
  bool makesParts = false; ///< BuildRequest::makesParts

  std::string encode() const {
    ByteWriter out;
    out.enumerator(kind);
    out.text(options);
    out.boolean(makesParts);
    return out.take();
  }
  static std::optional<PortableBuild> decode(std::string_view facts) {
    ByteReader in(facts);
    PortableBuild result;
    result.kind = in.enumerator(BuildKind::Link);
    result.options = in.text();
    result.makesParts = in.boolean();
    if (!in.finished()) return std::nullopt;
    return result;
  }
};

} // namespace clotho
