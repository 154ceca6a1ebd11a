// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/client/build_key.hpp"
#include "compiler/compiler.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

namespace clotho {

/// Cache of recent results in this process, bounded in bytes. Thread-safe.
class MemoryCache {
 public:
  using Result = std::shared_ptr<const BuildResult>;

  explicit MemoryCache(std::size_t maxBytes) : maxBytes_(maxBytes) {}

  /// The result of the request, if the headers that it read are unchanged.
  Result find(const BuildKey& request) EXCLUDES(mutex_);
  void store(const BuildKey& request, Result result) EXCLUDES(mutex_);

 private:
  struct Entry {
    BuildKey key;
    Result result;
    std::size_t bytes;
  };
  struct Hash {
    std::size_t operator()(const BuildKey& key) const { return static_cast<std::size_t>(key.words[0]); }
  };

  const std::size_t maxBytes_;
  Mutex mutex_;
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::list<Entry> entries_ GUARDED_BY(mutex_); // used last comes first
  std::unordered_map<BuildKey, std::list<Entry>::iterator, Hash> index_ GUARDED_BY(mutex_);
};

} // namespace clotho
