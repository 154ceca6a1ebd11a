// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/command.hpp"

#include <algorithm>
#include <cstring>

namespace clotho {

ArgSnapshot ArgSnapshot::copy(std::size_t blockBytes, std::size_t room) const {
  ArgSnapshot result;
  if (room > kInlineBytes) result.heapBlock.reset(new (kBlockAlignment) std::byte[room]);
  std::memcpy(result.block(), block(), blockBytes);
  result.inlineObjects = inlineObjects;
  result.moreObjects = moreObjects;
  result.count = count;
  result.bufferCount = bufferCount;
  result.readImageCount = readImageCount;
  result.localBytes = localBytes;
  result.arePointersApart = arePointersApart;
  result.largestPointed = largestPointed;
  if (reached) result.reached = std::make_unique<std::vector<const void*>>(*reached);
  return result;
}

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
