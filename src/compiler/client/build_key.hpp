// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace clotho {

/// A hash of 128 bits that identifies its input.
struct BuildKey {
  std::uint64_t words[2] = {0, 0};

  friend bool operator==(const BuildKey&, const BuildKey&) = default;
  std::string hex() const;
};

BuildKey hashBytes(std::string_view bytes);

/// Identifies a target, with the host's CPU if the target depends on it: code for equal identities is interchangeable.
std::string targetIdentity(const Target& target);

/// Identifies a build without its headers: the request, the compiler, and the host's CPU if the target depends on it.
BuildKey requestKey(const BuildRequest& request, std::string_view compilerIdentity);

/// Identifies a result: the request's key and the headers.
BuildKey objectKey(const BuildKey& request, std::span<const Dependency> dependencies);

/// Path, size and modification time of each file, so that another compiler has another identity.
std::string identityOf(std::span<const std::string> files);

/// Whether all files still have the contents that the build read. Reads the files.
bool unchanged(std::span<const Dependency> dependencies);

} // namespace clotho
