// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/memory_cache.hpp"

namespace clotho {

namespace {

std::size_t bytesOf(const BuildResult& result) {
  constexpr std::size_t kBookkeeping = 512;
  std::size_t bytes = kBookkeeping + result.object.size() + result.portable.size() + result.log.size();
  for (const BuiltKernel& kernel : result.kernels)
    bytes += sizeof kernel + kernel.info.args.size() * sizeof(ArgInfo);
  for (const PrintfFormat& format : result.printfFormats)
    bytes += sizeof format + format.format.size();
  for (const Dependency& dependency : result.dependencies)
    bytes += sizeof dependency + dependency.path.size();
  return bytes;
}

} // namespace

MemoryCache::Result MemoryCache::find(const BuildKey& request) {
  Result result;
  {
    MutexLock lock(mutex_);
    auto found = index_.find(request);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    result = found->second->result;
  }
  // Reads files, so the lock is not held.
  return unchanged(result->dependencies) ? result : nullptr;
}

void MemoryCache::store(const BuildKey& request, Result result) {
  std::size_t bytes = bytesOf(*result);
  if (bytes > maxBytes_) return;
  // Evicted results are destroyed after the lock is released.
  std::list<Entry> fresh, dead;
  fresh.push_back({request, std::move(result), bytes});
  MutexLock lock(mutex_);
  auto evict = [&](std::list<Entry>::iterator entry) NO_THREAD_SAFETY_ANALYSIS {
    bytes_ -= entry->bytes;
    index_.erase(entry->key);
    dead.splice(dead.begin(), entries_, entry);
  };
  if (auto found = index_.find(request); found != index_.end()) evict(found->second);
  while (bytes_ + bytes > maxBytes_)
    evict(std::prev(entries_.end()));
  index_.emplace(request, fresh.begin());
  entries_.splice(entries_.begin(), fresh);
  bytes_ += bytes;
}

} // namespace clotho
