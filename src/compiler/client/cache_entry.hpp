// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/build_key.hpp"
#include "compiler/compiler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Contents of the files in the disk cache.
///
/// An *entry* is the shared object of a build with a trailer after it, which loaders ignore: the rest of the
/// BuildResult, the compressed portable module, and a footer with sizes, key and checksum. So dlopen can use the file
/// in place. A *manifest* lists the states of headers for which one request has entries.
namespace clotho {

/// The part of an entry after the object.
std::string encodeTrailer(const BuildKey& key, const BuildResult& result);

/// Decodes an entry; nothing if it is damaged, or of another version or key.
std::optional<BuildResult> decodeEntry(const BuildKey& key, std::string bytes);

struct Manifest {
  static constexpr std::size_t kMaxStates = 8;
  std::vector<std::vector<Dependency>> states; ///< newest first
};

std::string encodeManifest(const BuildKey& request, const Manifest& manifest);
std::optional<Manifest> decodeManifest(const BuildKey& request, std::string_view bytes);

} // namespace clotho
