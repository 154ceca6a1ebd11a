// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Files of the cache folder: names, complete reads, atomic writes, and eviction.
namespace clotho {

inline constexpr std::string_view kEntrySuffix = ".so";
inline constexpr std::string_view kManifestSuffix = ".headers";
inline constexpr std::string_view kTuningSuffix = ".tuned";
inline constexpr std::string_view kTemporaryPrefix = "tmp-";

/// The file's contents; marks the file as used. Nothing if it cannot be read completely.
std::optional<std::string> readCacheFile(int folder, const std::string& name);

/// Creates or replaces the file atomically; on failure nothing is left behind.
bool writeCacheFile(int folder, const std::string& name, std::string_view first, std::string_view second);

/// Deletes the least recently used files until at most `maxBytes` are left, and temporary files whose writers must have
/// died.
void evictCacheFiles(int folder, std::uint64_t maxBytes);

} // namespace clotho
