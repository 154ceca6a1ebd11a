// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "capture/capture.hpp"
#include "capture/choice.hpp"
#include "command/command.hpp"
#include "runtime/objects/event.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace clotho {

class Kernel;
class Queue;

/// A launch as the application asks for it.
struct AskedRange {
  cl_command_type type;
  cl_uint dimensions;
  const std::size_t *offset, *global, *local; ///< null where the application says nothing
};

/// The launches of this process that are written to files (CLOTHO_CAPTURE): which, and where to. docs/capture.md
/// describes what it is for. Thread-safe.
class Captures {
 public:
  Captures(capture::Choice choice, std::vector<capture::Named> environment)
      : choice_(std::move(choice)), environment_(std::move(environment)) {}
  /// Null unless launches are to be captured.
  static std::unique_ptr<Captures> fromOptions();

  /// Enqueues a launch, which is captured if it is chosen. Two commands of the host are beside it then: one before it
  /// that writes what it begins with, and one after it that adds what came of it. The event is the latter's, so that
  /// no command of the application changes the results before they are written.
  Ref<Event> submit(Queue& queue, const Kernel& kernel, const AskedRange& range, Command&& launch, WaitList deps);
  /// Whether one of the next launches is chosen, of which there are so many by kernel. If none is, they are counted.
  bool wantAny(const std::map<std::string, std::uint64_t, std::less<>>& launches) EXCLUDES(mutex_);
  /// Why there is no file of some launch. Only the first such line is an error, later ones are information.
  void complain(const std::string& what) noexcept;
  /// The options of the environment that are not at their defaults, by the names of their variables.
  const std::vector<capture::Named>& environment() const { return environment_; }

 private:
  /// The number of this launch of the kernel; 0 if it is not chosen.
  std::uint64_t count(const std::string& kernel) EXCLUDES(mutex_);

  const capture::Choice choice_;
  const std::vector<capture::Named> environment_;
  Mutex mutex_;
  std::map<std::string, std::uint64_t, std::less<>> counts_ GUARDED_BY(mutex_);
  std::atomic<bool> hasComplained_{false};
};

} // namespace clotho
