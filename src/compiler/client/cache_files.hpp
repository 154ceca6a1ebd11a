// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The cache folder's files: names, whole reads, atomic writes, and making room.
namespace clotho {

inline constexpr std::string_view kEntrySuffix = ".so";
inline constexpr std::string_view kManifestSuffix = ".headers";
inline constexpr std::string_view kTuningSuffix = ".tuned";
inline constexpr std::string_view kTemporaryPrefix = "tmp-";

/// The file's contents; marks the file as used. Nothing when it cannot be read whole.
std::optional<std::string> readCacheFile(int folder, const std::string& name);

/// Makes or replaces the file in one step; on failure nothing is left behind.
bool writeCacheFile(int folder, const std::string& name, std::string_view first, std::string_view second);

/// Deletes the files that were not used for the longest time until at most `maxBytes` are left, and temporary files
/// whose writers must have died.
void evictCacheFiles(int folder, std::uint64_t maxBytes);

} // namespace clotho
