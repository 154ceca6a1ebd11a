// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"

#include <string>
#include <utility>
#include <vector>

/// Commands for devices that order them by themselves.
namespace clotho::test {

/// A command of a context with several homes.
class Issued final : public Node {
 public:
  Issued(DeviceQueue* queue, Command&& command)
      : Node(queue, work_, state_, /*isTimed=*/false), work_(std::move(command)) {
    if (queue) setHome(1);
  }
  void report(std::string, LogLevel) noexcept override {}

  bool isOnHost = false;

 private:
  void runOnHost() noexcept override { isOnHost = true; }

  Command work_;
  DeviceState state_;
};

struct After {
  Node* node;
  bool passesFailure = true;
};

inline Ref<Issued> make(DeviceQueue* queue, Command&& command, const std::vector<After>& after = {}) {
  auto node = Ref<Issued>::adopt(new Issued(queue, std::move(command)));
  node->reserveDependencies(after.size());
  node->holdItself();
  for (const After& each : after)
    node->dependOn(*each.node, each.passesFailure);
  return node;
}

/// An armed command that takes the device some time.
inline Ref<Issued> run(DeviceQueue& queue, const std::vector<After>& after = {}, Command&& command = Fill{}) {
  Ref<Issued> node = make(&queue, std::move(command), after);
  node->arm();
  return node;
}

} // namespace clotho::test
