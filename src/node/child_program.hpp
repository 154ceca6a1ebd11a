// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"

#include <csignal>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace clotho::node {

/// The environment of this process, as programs are to have it.
std::vector<std::string> environmentForPrograms();

/// The process's dispositions of signals, as programs that it starts are to do.
class InheritedSignals {
 public:
  /// As it is now: before this process changes it.
  InheritedSignals() noexcept;
  bool ignores(int signal) const noexcept { return sigismember(&ignored_, signal) == 1; }
  /// Makes it so for the calling process.
  void restore() const noexcept;

 private:
  sigset_t blocked_, ignored_;
};

/// Descriptors that this process has inherited, and passes on to programs. Libraries open others, some of which would
/// stay open in a program.
class InheritedDescriptors {
 public:
  /// Notes those that are open now: before this process opens any. `except`: one that is for this process alone, or -1.
  explicit InheritedDescriptors(int except = -1);
  /// Makes exec close all others. In a child, which may allocate no memory.
  void closeOthersAtExec() const noexcept;

 private:
  std::vector<unsigned> open_; ///< in ascending order
};

/// All that a program inherits beside the environment.
struct Inherited {
  InheritedSignals signals{};
  InheritedDescriptors descriptors;
};

/// Starts a program, found as a shell finds it, that uses the node of this name. Its number; 0, with errno set, if it
/// does not start. `arguments`: the program's name first, null at the end.
pid_t startProgram(char** arguments, std::vector<std::string> environment, const std::string& node,
                   const cluster::Token& token, const Inherited& inherited);

/// The exit status of a shell for a program that has ended; nothing while it runs. EXIT_FAILURE if the system does not
/// know the program any more.
std::optional<int> exitOf(pid_t program) noexcept;

} // namespace clotho::node
