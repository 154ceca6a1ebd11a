// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"

namespace clotho {

/// Nodes whose dependencies are met or whose end is to be spread: a list instead of recursion.
class WorkList {
 public:
  void push(Node& node) noexcept {
    node.nextReady_ = nullptr;
    (last_ ? last_->nextReady_ : first_) = &node;
    last_ = &node;
  }
  /// Adds a node whose device is done with it, and that has waited for predecessors in order to end.
  void pushEnding(Node& node) noexcept {
    node.isEnding_ = true;
    push(node);
  }
  /// Starts all of them, and what becomes ready meanwhile.
  void run() noexcept;

 private:
  void start(Node& node) noexcept;

  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

} // namespace clotho
