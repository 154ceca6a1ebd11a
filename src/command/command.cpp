// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/command.hpp"

#include <algorithm>

namespace clotho {

bool enqueuesOthers(const Command& command) noexcept {
  if (const auto* launch = std::get_if<Launch>(&command)) return launch->kernel->info().enqueues;
  const auto* sequence = std::get_if<Sequence>(&command);
  return sequence &&
         std::ranges::any_of(sequence->commands, [](const auto& each) { return enqueuesOthers(each->command()); });
}

bool isStreamed(const Command& command) noexcept {
  if (const auto* copy = std::get_if<Copy>(&command)) return copy->from.memory && copy->to.memory;
  if (const auto* sequence = std::get_if<Sequence>(&command)) return !sequence->replay && !enqueuesOthers(command);
  if (std::holds_alternative<Launch>(command)) return !enqueuesOthers(command);
  if (const auto* migrate = std::get_if<Migrate>(&command)) return !migrate->shared.empty();
  return std::holds_alternative<Fill>(command) || std::holds_alternative<Nothing>(command);
}

} // namespace clotho
