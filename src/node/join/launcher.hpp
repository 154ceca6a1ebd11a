// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clotho::node {

/// What has started several copies of this process, and lets them say to each other how they can be reached: mpirun,
/// srun and the like.
class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Number of this copy, and how many there are.
  virtual std::uint32_t rank() const noexcept = 0;
  virtual std::uint32_t size() const noexcept = 0;
  /// Gives a text, of letters, digits and some of "-_.:/", to all copies. Returns the texts of all by rank, once each
  /// has given one; nothing if the launcher does not play along.
  virtual std::optional<std::vector<std::string>> exchange(const std::string& own) = 0;
  /// Ends the conversation. From now on the launcher waits for the end of this process.
  virtual void finish() noexcept = 0;
};

/// A launcher that has started several processes, as this one's environment says. Null if there is none, or only one
/// process; also if there is one that cannot be talked to, with the reason in `why`.
std::unique_ptr<Launcher> findLauncher(std::string& why);

/// The inherited descriptor by which a launcher is talked to, or -1.
int launcherDescriptor();

/// Takes the variables by which this process has found its launcher out of the environment of a program that it starts:
/// the launcher knows one process of this rank.
void hideLauncher(std::vector<std::string>& environment);

} // namespace clotho::node
