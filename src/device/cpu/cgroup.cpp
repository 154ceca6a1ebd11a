// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/topology.hpp"

#include "base/text_file.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace clotho::cpu {

namespace {

/// A mounted hierarchy of control groups, and where this process is in it.
struct Hierarchy {
  std::string mountPoint;
  std::string path; ///< below the mount point: empty or with a leading slash
};

/// mountinfo writes blanks and backslashes in paths as \ooo.
std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool hasWord(std::string_view list, std::string_view word) {
  for (std::string_view item : split(list, ','))
    if (item == word) return true;
  return false;
}

/// The process's group relative to what is mounted. In a container the mount may begin at the group itself, or the
/// path may lie outside: then the mount point is the best that can be seen.
std::string below(std::string_view mountedRoot, std::string_view path) {
  if (mountedRoot == "/") mountedRoot = "";
  if (!path.starts_with(mountedRoot)) return "";
  path.remove_prefix(mountedRoot.size());
  if (path == "/" || path.find("/..") != std::string_view::npos || (!path.empty() && path.front() != '/')) return "";
  return std::string(path);
}

/// The hierarchy of a version 1 controller, or with an empty name the one of version 2.
std::optional<Hierarchy> findHierarchy(std::string_view groups, std::string_view mounts, std::string_view controller) {
  std::optional<std::string_view> path;
  for (std::string_view line : split(groups, '\n')) {
    auto fields = split(line, ':', 3);
    if (fields.size() == 3 && (controller.empty() ? fields[0] == "0" : hasWord(fields[1], controller)))
      path = fields[2];
  }
  if (!path) return std::nullopt;
  for (std::string_view line : split(mounts, '\n')) {
    // id parent major:minor root mountpoint options optional... - type source superoptions
    auto fields = split(line, ' ');
    auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    bool fits = controller.empty() ? dash[1] == "cgroup2" : dash[1] == "cgroup" && hasWord(dash[3], controller);
    if (fits) return Hierarchy{unescape(fields[4]), below(unescape(fields[3]), *path)};
  }
  return std::nullopt;
}

/// Calls `visit` with the folder of the process's group and of each above it up to the mount point.
template <class Visit> void forEachGroup(const std::string& root, const Hierarchy& hierarchy, Visit&& visit) {
  for (std::string path = hierarchy.path;; path.resize(path.rfind('/'))) {
    std::string folder = root + hierarchy.mountPoint;
    folder += path;
    visit(folder);
    if (path.empty()) return;
  }
}

template <class T> void lower(std::optional<T>& limit, T value) { limit = limit ? std::min(*limit, value) : value; }

void readThreadRoom(CgroupLimits& limits, const std::string& folder) {
  std::optional<std::uint64_t> most = readNumber(folder + "/pids.max"), now = readNumber(folder + "/pids.current");
  if (most) lower(limits.threadRoom, *most - std::min(*most, now.value_or(0)));
}

} // namespace

CgroupLimits readCgroupLimits(const std::string& root) {
  CgroupLimits limits;
  std::string groups = readTextFile(root + "/proc/self/cgroup");
  if (groups.empty()) return limits;
  std::string mounts = readTextFile(root + "/proc/self/mountinfo");

  if (auto unified = findHierarchy(groups, mounts, ""))
    forEachGroup(root, *unified, [&](const std::string& folder) {
      std::string text = readTextFile(folder + "/cpu.max");
      auto fields = split(std::string_view(text).substr(0, text.find('\n')), ' ');
      if (fields.size() == 2) {
        auto quota = parseNumber(fields[0]), period = parseNumber(fields[1]);
        if (quota && period && *period > 0)
          lower(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
      }
      if (auto bytes = readNumber(folder + "/memory.max")) lower(limits.memory, *bytes);
      readThreadRoom(limits, folder);
    });
  if (auto cpu = findHierarchy(groups, mounts, "cpu"))
    forEachGroup(root, *cpu, [&](const std::string& folder) {
      // No quota is -1, which is no number here.
      auto quota = readNumber(folder + "/cpu.cfs_quota_us"), period = readNumber(folder + "/cpu.cfs_period_us");
      if (quota && period && *period > 0)
        lower(limits.cpus, static_cast<double>(*quota) / static_cast<double>(*period));
    });
  if (auto memory = findHierarchy(groups, mounts, "memory"))
    forEachGroup(root, *memory, [&](const std::string& folder) {
      // No limit is the largest multiple of a page.
      auto bytes = readNumber(folder + "/memory.limit_in_bytes");
      if (bytes && *bytes < std::uint64_t{1} << 62) lower(limits.memory, *bytes);
    });
  if (auto pids = findHierarchy(groups, mounts, "pids"))
    forEachGroup(root, *pids, [&](const std::string& folder) { readThreadRoom(limits, folder); });
  return limits;
}

} // namespace clotho::cpu
