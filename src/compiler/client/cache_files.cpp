// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/cache_files.hpp"

#include "base/file_size_limit.hpp"
#include "base/folder.hpp"

#include <algorithm>
#include <atomic>
#include <ctime>
#include <sys/stat.h>
#include <sys/uio.h>
#include <vector>

namespace clotho {

namespace {

constexpr std::int64_t kTouchSeconds = 60;
constexpr std::int64_t kStaleTemporarySeconds = 600;
constexpr off_t kMaxFile = off_t{1} << 30;

UniqueFd openIn(int folder, const std::string& name, int flags) {
  // Never follows a symbolic link: the folder is ours, but the link's target need not be.
  return makeFd([&] { return openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW); });
}

bool writeAll(int fd, std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    iovec parts[2] = {{const_cast<char*>(first.data()), first.size()},
                      {const_cast<char*>(second.data()), second.size()}};
    ssize_t written = retryInterrupted([&] { return writev(fd, parts, 2); });
    if (written <= 0) return false;
    auto left = static_cast<std::size_t>(written);
    std::size_t ofFirst = std::min(left, first.size());
    first.remove_prefix(ofFirst);
    second.remove_prefix(left - ofFirst);
  }
  return true;
}

std::string temporaryName() {
  static std::atomic<unsigned> counter{0};
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  // The process id alone is not unique if containers share the folder.
  return std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-" + std::to_string(now.tv_nsec) + "-" +
         std::to_string(counter.fetch_add(1, std::memory_order_relaxed));
}

struct CacheFile {
  std::string name;
  std::int64_t usedAt; // ns
  std::uint64_t bytes;
};

std::vector<CacheFile> listFiles(int folder, std::int64_t nowSeconds) {
  std::vector<CacheFile> files;
  // The listing opens "." to get a descriptor and a position of its own.
  const Folder directory = listing(openIn(folder, ".", O_RDONLY | O_DIRECTORY));
  if (!directory) return files;
  while (const dirent* item = readdir(directory.get())) { // NOLINT(concurrency-mt-unsafe): the stream is ours alone
    std::string_view name = item->d_name;
    bool temporary = name.starts_with(kTemporaryPrefix);
    if (!temporary && !name.ends_with(kEntrySuffix) && !name.ends_with(kManifestSuffix) &&
        !name.ends_with(kTuningSuffix))
      continue;
    struct stat status;
    if (fstatat(folder, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (temporary && nowSeconds - status.st_mtim.tv_sec > kStaleTemporarySeconds) {
      unlinkat(folder, item->d_name, 0);
      continue;
    }
    if (!temporary)
      files.push_back({std::string(name), status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                       static_cast<std::uint64_t>(status.st_size)});
  }
  return files;
}

} // namespace

std::optional<std::string> readCacheFile(int folder, const std::string& name) {
  UniqueFd fd = openIn(folder, name, O_RDONLY | O_NONBLOCK);
  struct stat status;
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxFile)
    return std::nullopt;
  // The file is read rather than mapped: if another process truncates it meanwhile, that must not cause SIGBUS.
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = retryInterrupted([&] { return read(fd.get(), bytes.data() + have, bytes.size() - have); });
    if (got <= 0) return std::nullopt;
    have += static_cast<std::size_t>(got);
  }
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec - status.st_mtim.tv_sec > kTouchSeconds) futimens(fd.get(), nullptr);
  return bytes;
}

bool writeCacheFile(int folder, const std::string& name, std::string_view first, std::string_view second) {
  if (!isWithinFileSizeLimit(first.size() + second.size())) return false;
  std::string temporary;
  const UniqueFd fd = makeFd([&] {
    if (!temporary.empty()) unlinkat(folder, temporary.c_str(), 0);
    temporary = temporaryName();
    return openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  });
  if (!fd) return false;
  if (writeAll(fd.get(), first, second) && renameat(folder, temporary.c_str(), folder, name.c_str()) == 0) return true;
  unlinkat(folder, temporary.c_str(), 0);
  return false;
}

void evictCacheFiles(int folder, std::uint64_t maxBytes) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  std::vector<CacheFile> files = listFiles(folder, now.tv_sec);
  std::uint64_t total = 0;
  for (const CacheFile& file : files)
    total += file.bytes;
  if (total <= maxBytes) return;
  std::sort(files.begin(), files.end(), [](const CacheFile& a, const CacheFile& b) { return a.usedAt < b.usedAt; });
  for (const CacheFile& file : files) {
    if (total <= maxBytes) break;
    unlinkat(folder, file.name.c_str(), 0); // another process may have been faster
    total -= file.bytes;
  }
}

} // namespace clotho
