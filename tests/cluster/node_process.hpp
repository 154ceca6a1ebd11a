// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <string>
#include <sys/types.h>

namespace clotho::test {

/// A clotho-node that a test starts, stops and ends, and whose devices are this process's: before it asks for any.
class NodeProcess {
 public:
  /// Sets the environment of this process. `token`: what this process takes for the node's; empty: what it is.
  explicit NodeProcess(const std::string& token = "");
  ~NodeProcess();
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;

  bool isReady() const { return isReady_; }
  const std::string& name() const { return name_; }
  void signal(int number) const;
  /// Whether the process runs, as far as its parent knows.
  bool isAlive();

 private:
  std::string name_;
  pid_t process_ = 0;
  UniqueFd lifetime_; ///< the node ends when this is closed
  bool isReady_ = false, isReaped_ = false;
};

} // namespace clotho::test
