// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace clotho {

/// 128 bits that stand for all that they were made from.
struct BuildKey {
  std::uint64_t words[2] = {0, 0};

  friend bool operator==(const BuildKey&, const BuildKey&) = default;
  std::string hex() const;
};

BuildKey hashBytes(std::string_view bytes);

/// All of a target, and the host's CPU where that decides: code for equal ones is interchangeable.
std::string targetIdentity(const Target& target);

/// What a build depends on but for the headers that it reads: request, compiler, and the host's CPU where that decides.
BuildKey requestKey(const BuildRequest& request, std::string_view compilerIdentity);

/// Those and the headers: names the result.
BuildKey objectKey(const BuildKey& request, std::span<const Dependency> dependencies);

/// Path, size and time of change of each file: another compiler has another identity.
std::string identityOf(std::span<const std::string> files);

/// Whether all files still have the contents that the build read; reads them.
bool unchanged(std::span<const Dependency> dependencies);

} // namespace clotho
