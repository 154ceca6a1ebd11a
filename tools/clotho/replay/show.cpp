// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/show.hpp"

#include <cstdio>

namespace clotho::replay {

namespace {

using capture::ArgumentKind;
using capture::MemoryKind;

std::string sizes(const std::uint64_t (&values)[3], std::uint32_t dimensions) {
  std::string text;
  for (std::uint32_t i = 0; i < dimensions; ++i)
    text += (i ? " x " : "") + std::to_string(values[i]);
  return text;
}

std::string hex(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string textOf(const capture::Memory& memory) {
  std::string text;
  switch (memory.kind) {
  case MemoryKind::Buffer: text = "buffer of " + std::to_string(memory.size) + " bytes"; break;
  case MemoryKind::SubBuffer:
    text = "sub-buffer of " + std::to_string(memory.size) + " bytes from byte " + std::to_string(memory.origin);
    break;
  case MemoryKind::Image:
    text = "image of " + std::to_string(memory.shape.width) + " x " + std::to_string(memory.shape.height) + " x " +
           std::to_string(memory.shape.depth) + " texels, " + std::to_string(memory.shape.layers) + " layers, order " +
           hex(memory.shape.channelOrder) + ", type " + hex(memory.shape.channelType);
    break;
  case MemoryKind::Pipe:
    text = "pipe of at most " + std::to_string(memory.shape.height) + " packets of " +
           std::to_string(memory.shape.width) + " bytes";
    break;
  }
  if (memory.parent != capture::kNone) text += ", of memory object " + std::to_string(memory.parent);
  if (memory.isShared) text += ", of shared memory at " + hex(memory.hostAddress);
  return text;
}

std::string textOf(const capture::Argument& argument) {
  switch (argument.kind) {
  case ArgumentKind::Value: {
    std::string text = std::to_string(argument.value.size()) + " bytes";
    std::uint64_t value = 0;
    if (argument.value.size() > sizeof value) return text;
    argument.value.copy(reinterpret_cast<char*>(&value), argument.value.size());
    return text + ", " + hex(value);
  }
  case ArgumentKind::Null: return "null";
  case ArgumentKind::Memory: return "memory object " + std::to_string(argument.number);
  case ArgumentKind::Local: return "local memory, " + std::to_string(argument.number) + " bytes";
  case ArgumentKind::Sampler: return "sampler " + hex(argument.number);
  case ArgumentKind::Pointer: return "shared memory at " + hex(argument.number);
  case ArgumentKind::DevicePointer: return "address on the device, " + hex(argument.number);
  case ArgumentKind::Queue: return "a queue on the device";
  }
  return {};
}

std::string outcomeOf(const capture::Contents& contents) {
  if (!contents.damage.empty()) return "not known, because " + contents.damage;
  if (!contents.outcome) return "the process ended during the launch";
  const auto status = static_cast<std::int32_t>(contents.outcome->status);
  if (status < 0) return "failed with " + std::to_string(status);
  char text[64];
  std::snprintf(text, sizeof text, "%.3f ms", contents.outcome->seconds * 1e3);
  return text;
}

} // namespace

std::string show(const capture::Contents& contents) {
  const capture::Description& description = contents.description;
  const capture::NdRange& range = description.range;
  std::string text = "kernel " + description.kernel + ", launch " + std::to_string(description.launch) + "\n";
  for (const capture::Unit& unit : description.program.units)
    text += "program: " + std::to_string(unit.text.size()) + " bytes of " +
            (unit.language == capture::Language::Source ? "source"
             : unit.language == capture::Language::Il   ? "SPIR-V"
                                                        : "a binary") +
            ", options '" + unit.options + "', " + std::to_string(unit.files.size() + unit.headers.size()) +
            " other files\n";
  if (description.program.isLinked) text += "linked with options '" + description.program.linkOptions + "'\n";
  text += "range: " + sizes(range.global, range.dimensions) + " work-items";
  if (range.hasOffset) text += " from " + sizes(range.offset, range.dimensions);
  text += range.hasLocal ? ", in work-groups of " + sizes(range.local, range.dimensions)
                         : ", work-groups as the driver likes";
  text += "\n";
  for (std::size_t i = 0; i < description.arguments.size(); ++i)
    text += "argument " + std::to_string(i) +
            (description.arguments[i].name.empty() ? "" : " (" + description.arguments[i].name + ")") + ": " +
            textOf(description.arguments[i]) + "\n";
  for (std::size_t i = 0; i < description.memories.size(); ++i)
    text += "memory object " + std::to_string(i) + ": " + textOf(description.memories[i]) + "\n";
  for (const capture::Shared& shared : description.shared)
    text += "shared memory at " + hex(shared.address) + ": " + std::to_string(shared.size) + " bytes\n";
  for (const capture::Variable& variable : description.variables)
    text += "variable " + variable.name + ": " + std::to_string(variable.size) + " bytes\n";
  for (const std::uint64_t address : description.reached)
    text += "reached beside the arguments: " + hex(address) + "\n";
  text += "outcome: " + outcomeOf(contents) + "\n";
  for (const capture::Named& remark : description.remarks)
    text += remark.name + ": " + remark.text + "\n";
  return text;
}

std::string sourceOf(const capture::Contents& contents) {
  std::string text;
  for (const capture::Unit& unit : contents.description.program.units)
    text += unit.text;
  return text;
}

} // namespace clotho::replay
