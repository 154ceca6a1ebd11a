// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/fault_text.hpp"

#include "command/node.hpp"
#include "device/cpu/program_loader.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace clotho::cpu {

namespace {

const CpuKernel& kernelOf(const Launch& launch) { return static_cast<const CpuKernel&>(*launch.kernel); }

const char* signalText(const Fault& fault) {
  if (fault.lacksMemory) return "no memory for the stacks of its sub-groups";
  if (fault.stackOverflow) return "stack overflow";
  switch (fault.signal) {
  case SIGILL: return "illegal instruction";
  case SIGFPE: return "arithmetic trap";
  case SIGTRAP: return "breakpoint";
  case SIGBUS: return "access to memory that its file or device does not back,";
  default: break;
  }
  switch (fault.access) {
  case Fault::Access::Read: return fault.code == SEGV_ACCERR ? "read of protected" : "read of unmapped";
  case Fault::Access::Write: return fault.code == SEGV_ACCERR ? "write to protected" : "write to unmapped";
  case Fault::Access::Execute: return "jump to data or unmapped";
  case Fault::Access::Unknown: break;
  }
  return "access to invalid";
}

/// The global ids among which those of the work-groups are, of a kernel that counts a launch in one dimension by rows.
std::string itemsOfRows(const Launch& launch, std::uint64_t group, std::uint64_t count) {
  NDRange range = launch.range;
  exchangeDimensions(kernelOf(launch).facts(), range.global);
  exchangeDimensions(kernelOf(launch).facts(), range.local);
  std::uint64_t least = UINT64_MAX, most = 0;
  const std::uint64_t groups = launch.range.groups(0);
  for (const std::uint64_t each : {group, group + count - 1}) {
    std::array<std::uint64_t, 3> ids{each % groups, each / groups, 0};
    exchangeDimensions(kernelOf(launch).facts(), ids);
    const auto idOf = [&](std::uint64_t column, std::uint64_t row) { return row * range.global[0] + column; };
    least = std::min(least, idOf(ids[0] * range.local[0], ids[1] * range.local[1]));
    most = std::max(most, idOf((ids[0] + 1) * range.local[0] - 1, (ids[1] + 1) * range.local[1] - 1));
  }
  return "work-items " + std::to_string(least) + " to " + std::to_string(most);
}

std::string textOfGroups(const Launch& launch, std::uint64_t group, std::uint64_t count) {
  if (kernelOf(launch).facts().countsRows) return itemsOfRows(launch, group, count);
  const std::uint64_t x = launch.range.groups(0), y = launch.range.groups(1);
  const auto place = [&](std::uint64_t index) {
    std::array<std::uint64_t, 3> ids{index % x, index / x % y, index / x / y};
    exchangeDimensions(kernelOf(launch).facts(), ids);
    return "(" + std::to_string(ids[0]) + ", " + std::to_string(ids[1]) + ", " + std::to_string(ids[2]) + ")";
  };
  if (count == 1) return "work-group " + place(group);
  return "work-groups " + place(group) + " to " + place(group + count - 1);
}

/// A kernel's argument that is a pointer, and its memory as far as that is known.
struct PointedMemory {
  std::size_t argument = 0;
  std::uintptr_t begin = 0;
  std::uint64_t size = 0;
  bool isSizeKnown = false;
};

/// Bytes between an address and memory; 0 within it.
std::uint64_t distanceTo(const PointedMemory& memory, std::uintptr_t address) {
  if (address < memory.begin) return memory.begin - address;
  const std::uint64_t offset = address - memory.begin;
  return offset < memory.size ? 0 : offset - memory.size;
}

/// The size of the buffer among the arguments that an address lies in, or at whose beginning it is.
void setSize(const Launch& launch, HomeId home, PointedMemory& memory) {
  for (std::uint32_t i = 0; i < launch.args.bufferCount; ++i) {
    const MemoryView& buffer = launch.args.object(i);
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer.addressOn(home));
    if (memory.begin < begin || memory.begin - begin >= buffer.size()) continue;
    memory.size = buffer.size() - (memory.begin - begin);
    memory.isSizeKnown = true;
  }
}

/// "12 bytes behind argument 1 'in' (4096 bytes)"; empty where nothing is near.
std::string textOfNearest(const Launch& launch, HomeId home, std::uintptr_t address) {
  // An index of 32 bits that is wrong leads no further, with elements of the usual sizes.
  constexpr std::uint64_t kNear = std::uint64_t{16} << 30;
  constexpr std::uint64_t kNearNull = std::uint64_t{1} << 20;
  const std::vector<ArgInfo>& infos = kernelOf(launch).info().args;
  PointedMemory nearest;
  std::uint64_t least = UINT64_MAX;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].kind != ArgKind::Buffer) continue;
    PointedMemory memory{.argument = i};
    std::memcpy(&memory.begin, launch.args.block() + infos[i].offset, sizeof memory.begin);
    if (memory.begin != 0) setSize(launch, home, memory);
    const std::uint64_t distance = distanceTo(memory, address);
    if (distance >= std::min(least, memory.begin == 0 ? kNearNull : kNear)) continue;
    least = distance;
    nearest = memory;
  }
  if (least == UINT64_MAX) return {};
  std::string text;
  if (address < nearest.begin)
    text = std::to_string(least) + " bytes before ";
  else if (nearest.isSizeKnown && address - nearest.begin < nearest.size)
    text = "at byte " + std::to_string(address - nearest.begin) + " of ";
  else
    text = std::to_string(least) + (nearest.isSizeKnown ? " bytes behind " : " bytes from the address in ");
  text += "argument " + std::to_string(nearest.argument);
  if (const std::string& name = infos[nearest.argument].name; !name.empty()) text += " '" + name + "'";
  if (nearest.isSizeKnown) return text + " (" + std::to_string(nearest.size) + " bytes)";
  return nearest.begin == 0 ? text + " (null)" : text;
}

/// The name of the kernel's code that ran, if it is not the general one.
std::string textOfCode(const DeviceKernel& kernel) {
  const CodeVersion& version = kernel.version();
  return version.isGeneral() ? std::string() : " (version '" + version.text() + "')";
}

} // namespace

std::string describeFault(const Node& node, const Launch& launch, const Fault& fault, std::uint64_t group,
                          std::uint64_t count) {
  std::string text = "kernel '" + launch.kernel->info().name + "'" + textOfCode(*launch.kernel) + ", " +
                     textOfGroups(launch, group, count) + ": ";
  text += signalText(fault);
  // An address that is none (not canonical) is not told by the processor.
  const bool hasAddress = (fault.signal == SIGSEGV || fault.signal == SIGBUS) && !fault.stackOverflow;
  if (hasAddress) text += " address";
  if (hasAddress && fault.access != Fault::Access::Unknown) {
    char address[32];
    std::snprintf(address, sizeof address, " 0x%llx", static_cast<unsigned long long>(fault.address));
    text += address;
    if (const std::string nearest = textOfNearest(launch, node.home(), fault.address); !nearest.empty())
      text += ", " + nearest;
  }
  if (fault.signal == 0) return text;
  if (const std::string line = kernelOf(launch).program().sourceLineOf(fault.instruction); !line.empty())
    text += ", in " + line;
  return text;
}

} // namespace clotho::cpu
