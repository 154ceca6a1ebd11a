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

/// Cache of builds on disk: a folder of files that many processes use at once without locks. Files appear by rename,
/// are checked when read, and are never changed in place; any failure costs only speed. Thread-safe: the object holds
/// only names, and no descriptor stays open between calls.
class DiskCache {
 public:
  /// `folder`: absolute path; empty: no cache. `maxBytes`: approximate limit.
  DiskCache(std::string folder, std::uint64_t maxBytes) : folder_(std::move(folder)), maxBytes_(maxBytes) {}

  /// The folder that the options and the environment name; empty if caching is off.
  static std::string defaultFolder(const Options& options);

  std::optional<BuildResult> find(const BuildKey& request) const;

  /// Stores a successful result. Returns the path of its entry if an object can be loaded from there, else an empty
  /// path.
  std::string store(const BuildKey& request, const BuildResult& result) const;

 private:
  UniqueFd open(bool create) const;
  std::optional<BuildResult> findEntry(int folder, const BuildKey& key) const;
  std::string loadablePath(int folder, const BuildKey& key, const BuildResult& result) const;

  const std::string folder_;
  const std::uint64_t maxBytes_;
};

} // namespace clotho
