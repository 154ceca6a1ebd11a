// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/build_key.hpp"
#include "compiler/compiler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The files of the cache on disk, as bytes.
///
/// An *entry* is the shared object of a build with a trailer behind it, which loaders do not look at: the rest of the
/// BuildResult, the portable module compressed, and a footer with sizes, key and checksum. So dlopen can use the file
/// where it lies. A *manifest* lists the states of headers for which one request has entries.
namespace clotho {

/// What follows the object in its entry.
std::string encodeTrailer(const BuildKey& key, const BuildResult& result);

/// The result in an entry's bytes; nothing when they are damaged, of another version, or another key's.
std::optional<BuildResult> decodeEntry(const BuildKey& key, std::string bytes);

struct Manifest {
  static constexpr std::size_t kMaxStates = 8;
  std::vector<std::vector<Dependency>> states; ///< newest first
};

std::string encodeManifest(const BuildKey& request, const Manifest& manifest);
std::optional<Manifest> decodeManifest(const BuildKey& request, std::string_view bytes);

} // namespace clotho
