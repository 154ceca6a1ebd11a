// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/trusted_folder.hpp"

#include <climits>
#include <string_view>
#include <sys/stat.h>
#include <vector>

namespace clotho {

namespace {

constexpr int kMaxLinks = 40; // Most symbolic links in one path, as the system allows

/// Whether the owner may be root as seen from a user namespace, which maps unknown users to the overflow user.
bool isUnknownUser(uid_t user) {
  constexpr uid_t kOverflowUser = 65534;
  if (user != kOverflowUser) return false;
  const UniqueFd map = makeFd([] { return open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC); });
  char text[128];
  ssize_t size = map ? retryInterrupted([&] { return read(map.get(), text, sizeof text); }) : -1;
  // The initial user namespace maps all 2^32 - 1 ids, so no user is unknown there.
  return size > 0 &&
         std::string_view(text, static_cast<std::size_t>(size)).find("4294967295") == std::string_view::npos;
}

bool isOursOrRoots(const struct stat& status) {
  return status.st_uid == geteuid() || status.st_uid == 0 || isUnknownUser(status.st_uid);
}

bool mayOthersWrite(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return true;
  // Many systems give each user a private group with the same number and write permission; it has no other members.
  const bool isPrivateGroup = status.st_gid == getegid() && getegid() == geteuid();
  return (status.st_mode & S_IWGRP) != 0 && !isPrivateGroup;
}

/// Walks the path to a folder, one component at a time.
class PathTraversal {
 public:
  PathTraversal(const std::string& path, bool create, std::string& why) : create_(create), why_(why) { prepend(path); }

  UniqueFd run() {
    if (!enterRoot()) return {};
    while (!names_.empty()) {
      std::string name = std::move(names_.back());
      names_.pop_back();
      if (!step(name)) return {};
    }
    if (status_.st_uid != geteuid() || (status_.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
      why_ = "others may write to it";
      return {};
    }
    return std::move(here_);
  }

 private:
  void prepend(std::string_view path) {
    while (!path.empty()) {
      const std::size_t slash = path.rfind('/');
      const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
      if (!name.empty() && name != ".") names_.emplace_back(name);
      path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    }
  }

  bool enterRoot() {
    here_ = makeFd([] { return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC); });
    return here_ && fstat(here_.get(), &status_) == 0 && isTrusted();
  }

  bool isTrusted() {
    if (isOursOrRoots(status_) && (!mayOthersWrite(status_) || (status_.st_mode & S_ISVTX) != 0)) return true;
    why_ = "others may change the way to it";
    return false;
  }

  bool step(const std::string& name) {
    const auto openNext = [&] {
      return makeFd([&] { return openat(here_.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC); });
    };
    UniqueFd next = openNext();
    if (!next && create_ && errno == ENOENT) {
      mkdirat(here_.get(), name.c_str(), 0700); // another process may be faster, and is as welcome
      next = openNext();
    }
    if (!next || fstat(next.get(), &status_) != 0) return false;
    if (S_ISLNK(status_.st_mode)) return follow(next);
    if (!S_ISDIR(status_.st_mode)) return false;
    here_ = std::move(next);
    // For the last component, `run` checks stricter conditions.
    return names_.empty() || isTrusted();
  }

  bool follow(const UniqueFd& link) {
    if (!isOursOrRoots(status_)) {
      why_ = "others may change the way to it";
      return false;
    }
    char target[PATH_MAX];
    const ssize_t size = readlinkat(link.get(), "", target, sizeof target);
    if (size <= 0 || size == static_cast<ssize_t>(sizeof target) || ++links_ > kMaxLinks) return false;
    const std::string_view text(target, static_cast<std::size_t>(size));
    prepend(text);
    if (text.front() == '/') return enterRoot();
    // The folder that contains the link has been checked already.
    return fstat(here_.get(), &status_) == 0;
  }

  const bool create_;
  std::string& why_;
  std::vector<std::string> names_; // what is left, the next one last
  UniqueFd here_;
  struct stat status_{};
  int links_ = 0;
};

} // namespace

UniqueFd openTrustedFolder(const std::string& path, bool create, std::string& why) {
  return path.starts_with('/') ? PathTraversal(path, create, why).run() : UniqueFd();
}

} // namespace clotho
