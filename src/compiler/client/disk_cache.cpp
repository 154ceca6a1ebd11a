// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/disk_cache.hpp"

#include "base/log.hpp"
#include "compiler/client/cache_entry.hpp"
#include "compiler/client/cache_files.hpp"
#include "compiler/client/trusted_folder.hpp"

#include <climits>
#include <cstdlib>
#include <sys/auxv.h>
#include <sys/statvfs.h>

namespace clotho {

namespace {

std::string entryName(const BuildKey& key) { return key.hex() + std::string(kEntrySuffix); }
std::string manifestName(const BuildKey& key) { return key.hex() + std::string(kManifestSuffix); }

/// Whether this store should evict old files. Listing the folder takes longer than storing an entry, so only some
/// stores do it: one in as many as fill a small part of the limit, selected by the key, which is effectively random.
bool timeToEvict(const BuildKey& key, std::uint64_t stored, std::uint64_t maxBytes) {
  constexpr std::uint64_t kPart = 128;
  std::uint64_t every = maxBytes / kPart / (stored + 1);
  return every <= 1 || key.words[1] % every == 0;
}

} // namespace

std::string DiskCache::defaultFolder(const Options& options) {
  // A privileged program must not load code from a folder that its caller controls.
  if (!options.cacheEnabled || getauxval(AT_SECURE)) return {};
  if (options.cacheDir.starts_with('/')) return options.cacheDir;
  if (!options.cacheDir.empty()) {
    // The path is made absolute, since the application may change its working directory later.
    char here[PATH_MAX];
    return getcwd(here, sizeof here) ? std::string(here) + "/" + options.cacheDir : std::string();
  }
  // Relative paths in these variables are to be ignored (XDG base directory specification).
  if (const char* base = secure_getenv("XDG_CACHE_HOME"); base && *base == '/') return std::string(base) + "/clotho";
  if (const char* home = secure_getenv("HOME"); home && *home == '/') return std::string(home) + "/.cache/clotho";
  return {};
}

UniqueFd DiskCache::open(bool create) const {
  if (folder_.empty()) return {};
  // Code is loaded from this folder: no other user may be able to write to it or replace it. A program that runs as
  // root in the environment of a user (sudo -E) uses no cache, and leaves none in that user's home.
  std::string why;
  UniqueFd fd = openTrustedFolder(folder_, create, why);
  if (!why.empty()) CLOTHO_LOG(Cache, Warn, "%s is not used: %s", folder_.c_str(), why.c_str());
  return fd;
}

std::string DiskCache::loadablePath(int folder, const BuildKey& key, const BuildResult& result) const {
  if (result.object.empty()) return {};
  struct statvfs status;
  if (fstatvfs(folder, &status) != 0 || (status.f_flag & ST_NOEXEC) != 0) return {};
  return folder_ + "/" + entryName(key);
}

std::optional<BuildResult> DiskCache::findEntry(int folder, const BuildKey& key) const {
  std::string name = entryName(key);
  std::optional<std::string> bytes = readCacheFile(folder, name);
  if (!bytes) return std::nullopt;
  std::optional<BuildResult> result = decodeEntry(key, *std::move(bytes));
  if (!result) {
    CLOTHO_LOG(Cache, Info, "%s is damaged and will be replaced", name.c_str());
    return std::nullopt;
  }
  result->objectPath = loadablePath(folder, key, *result);
  return result;
}

std::optional<BuildResult> DiskCache::find(const BuildKey& request) const {
  UniqueFd folder = open(false);
  if (!folder) return std::nullopt;
  // Most programs read no headers, so their entry is found at once.
  if (auto result = findEntry(folder.get(), objectKey(request, {}))) return result;
  std::optional<std::string> bytes = readCacheFile(folder.get(), manifestName(request));
  std::optional<Manifest> manifest = bytes ? decodeManifest(request, *bytes) : std::nullopt;
  if (!manifest) return std::nullopt;
  for (const auto& state : manifest->states)
    if (unchanged(state))
      if (auto result = findEntry(folder.get(), objectKey(request, state))) return result;
  return std::nullopt;
}

std::string DiskCache::store(const BuildKey& request, const BuildResult& result) const {
  if (folder_.empty() || result.status != BuildStatus::Success) return {};
  UniqueFd folder = open(true);
  if (!folder) return {};
  BuildKey key = objectKey(request, result.dependencies);
  std::string trailer = encodeTrailer(key, result);
  std::uint64_t size = result.object.size() + trailer.size();
  if (trailer.empty() || size > maxBytes_ / 2) return {};
  if (!writeCacheFile(folder.get(), entryName(key), result.object, trailer)) {
    CLOTHO_LOG(Cache, Info, "%s takes no files", folder_.c_str());
    // The disk may be full of our own files, from when the limit was higher or the disk emptier.
    evictCacheFiles(folder.get(), maxBytes_);
    return {};
  }
  if (!result.dependencies.empty()) {
    Manifest manifest;
    if (auto bytes = readCacheFile(folder.get(), manifestName(request)))
      if (auto known = decodeManifest(request, *bytes)) manifest = *std::move(known);
    std::erase_if(manifest.states, [&](const auto& state) { return objectKey(request, state) == key; });
    manifest.states.insert(manifest.states.begin(), result.dependencies);
    if (manifest.states.size() > Manifest::kMaxStates) manifest.states.resize(Manifest::kMaxStates);
    writeCacheFile(folder.get(), manifestName(request), encodeManifest(request, manifest), {});
  }
  // Evicts to somewhat below the limit, so that the next store need not evict again.
  if (timeToEvict(key, size, maxBytes_)) evictCacheFiles(folder.get(), maxBytes_ - maxBytes_ / 8);
  return loadablePath(folder.get(), key, result);
}

} // namespace clotho
