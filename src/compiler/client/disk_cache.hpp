// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/options.hpp"
#include "base/unique_fd.hpp"
#include "compiler/client/build_key.hpp"
#include "compiler/compiler.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace clotho {

/// Builds that outlive the process: a folder of files that many processes use at once without locks. Files appear by
/// rename, are checked when read, and are never changed in place; whatever goes wrong costs speed only. Thread-safe:
/// the object holds nothing but names, and no descriptor stays open between calls.
class DiskCache {
 public:
  /// The folder's path is absolute; empty: no cache. `maxBytes` is kept to approximately.
  DiskCache(std::string folder, std::uint64_t maxBytes) : folder_(std::move(folder)), maxBytes_(maxBytes) {}

  /// The folder that the options and the environment name; empty when there shall be no cache.
  static std::string defaultFolder(const Options& options);

  std::optional<BuildResult> find(const BuildKey& request) const;

  /// Keeps a successful result. Returns the path of its entry if an object could be loaded from there, else nothing.
  std::string store(const BuildKey& request, const BuildResult& result) const;

 private:
  UniqueFd open(bool create) const;
  std::optional<BuildResult> findEntry(int folder, const BuildKey& key) const;
  std::string loadablePath(int folder, const BuildKey& key, const BuildResult& result) const;

  const std::string folder_;
  const std::uint64_t maxBytes_;
};

} // namespace clotho
