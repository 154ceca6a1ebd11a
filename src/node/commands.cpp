// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/commands.hpp"

#include "base/error.hpp"
#include "base/overloaded.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace clotho::node {

namespace {

using cluster::Place;
using cluster::RunCopy;
using cluster::RunFill;
using cluster::RunLaunch;

void expect(bool holds, const char* why) { check(holds, CL_INVALID_VALUE, why); }

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result;
  expect(!__builtin_add_overflow(a, b, &result), "sizes of a command are too large");
  return result;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result;
  expect(!__builtin_mul_overflow(a, b, &result), "sizes of a command are too large");
  return result;
}

/// Rows of bytes, some in each slice.
struct Rows {
  std::uint64_t rowBytes, rows, slices, rowPitch, slicePitch;

  /// Bytes from the first to the last.
  std::uint64_t span() const {
    expect(rowBytes != 0 && rows != 0 && slices != 0, "a command without any bytes");
    // No byte comes twice, so there are no more than the memory has.
    expect(rows == 1 || rowPitch >= rowBytes, "rows of a command overlap");
    const std::uint64_t slice = sum(product(rows - 1, rowPitch), rowBytes);
    expect(slices == 1 || slicePitch >= slice, "slices of a command overlap");
    return sum(product(slices - 1, slicePitch), slice);
  }
};

std::byte* resolve(const Place& place, const Rows& rows, const Known& known) {
  const std::uint64_t bytes = rows.span();
  if (place.kind == Place::Kind::Device) return known.memory.at(place.address, bytes);
  const auto& [slots, begin] = known.slots;
  expect(place.address >= begin && place.address - begin <= slots.size() &&
             bytes <= slots.size() - (place.address - begin),
         "a command with bytes beyond the slots");
  return slots.data() + (place.address - begin);
}

Copy makeCopy(const RunCopy& run, const Known& known) {
  Copy copy{.source = nullptr, .target = nullptr, .rowBytes = run.rowBytes, .rows = run.rows, .slices = run.slices};
  copy.source =
      resolve(run.source, {run.rowBytes, run.rows, run.slices, run.sourceRowPitch, run.sourceSlicePitch}, known);
  copy.target =
      resolve(run.target, {run.rowBytes, run.rows, run.slices, run.targetRowPitch, run.targetSlicePitch}, known);
  copy.sourceRowPitch = run.sourceRowPitch;
  copy.sourceSlicePitch = run.sourceSlicePitch;
  copy.targetRowPitch = run.targetRowPitch;
  copy.targetSlicePitch = run.targetSlicePitch;
  copy.mayOverlap = run.mayOverlap;
  // On a device with memory of its own, operands at both ends say that it moves the bytes itself. Its window stays.
  const bool isWithin = run.source.kind == Place::Kind::Device && run.target.kind == Place::Kind::Device;
  const auto keep = [&](const Place& place) {
    if (place.kind != Place::Kind::Device || (known.device.memory() && !isWithin)) return Ref<MemoryView>();
    return known.memory.operand(place.address, run.rowBytes);
  };
  copy.from.memory = keep(run.source);
  copy.to.memory = keep(run.target);
  return copy;
}

Fill makeFill(const RunFill& run, const Known& known) {
  Fill fill{};
  fill.rowBytes = run.rowBytes;
  fill.patternSize = run.pattern.size();
  fill.rows = run.rows;
  fill.slices = run.slices;
  expect(std::has_single_bit(run.pattern.size()) && run.pattern.size() <= fill.pattern.size() &&
             run.rowBytes % run.pattern.size() == 0,
         "a fill with an impossible pattern");
  fill.target = resolve({Place::Kind::Device, run.target},
                        {run.rowBytes, run.rows, run.slices, run.rowPitch, run.slicePitch}, known);
  if (!known.device.memory()) fill.to.memory = known.memory.operand(run.target, run.rowBytes);
  std::memcpy(fill.pattern.data(), run.pattern.data(), run.pattern.size());
  fill.rowPitch = run.rowPitch;
  fill.slicePitch = run.slicePitch;
  return fill;
}

NDRange makeRange(const RunLaunch& run, const Program::Kernel& kernel, const DeviceProperties& properties) {
  NDRange range;
  expect(run.dimensions >= 1 && run.dimensions <= 3, "a launch with an impossible number of dimensions");
  range.dimensions = run.dimensions;
  std::uint64_t items = 1, groups = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    expect(run.local[i] != 0 && run.local[i] <= properties.maxWorkItemSizes[i], "a launch with an impossible size");
    static_cast<void>(sum(run.offset[i], run.global[i]));
    items = product(items, run.local[i]);
    groups = product(groups, run.global[i] / run.local[i] + (run.global[i] % run.local[i] != 0));
    range.offset[i] = run.offset[i];
    range.global[i] = run.global[i];
    range.local[i] = run.local[i];
  }
  // The size that a kernel requires of its work-groups may be more than its private data leave room for.
  const bool isRequired = kernel.code->info().requiredLocalSize[0] != 0;
  expect(items <= properties.maxWorkGroupSize && groups != 0, "a launch with an impossible size");
  if (isRequired)
    expect(std::ranges::equal(range.local, kernel.code->info().requiredLocalSize),
           "a launch with another local size than its kernel requires");
  return range;
}

void setBlock(const RunLaunch& run, const Program::Kernel& kernel, ArgSnapshot& args) {
  expect(run.args.size() == kernel.block.bytes, "a launch with too many or too few arguments");
  if (run.args.size() > ArgSnapshot::kInlineBytes)
    args.heapBlock.reset(static_cast<std::byte*>(::operator new[](run.args.size(), ArgSnapshot::kBlockAlignment)));
  std::memcpy(args.block(), run.args.data(), run.args.size());
}

/// Compares local memory with what the device has as the API does: without the gaps that alignment leaves before
/// arguments.
void checkLocalBytes(const RunLaunch& run, const Program::Kernel& kernel, const std::byte* block,
                     const DeviceProperties& properties) {
  const std::uint64_t own = kernel.code->limits().localBytes;
  std::uint64_t used = own, gaps = 0;
  const std::byte* next = block + kernel.block.localSizes;
  for (const ArgInfo& arg : kernel.code->info().args) {
    if (arg.kind != ArgKind::Local) continue;
    std::uint64_t size;
    std::memcpy(&size, next, sizeof size);
    next += sizeof size;
    used = sum(used, size);
    gaps = sum(gaps, std::max<std::uint64_t>(arg.alignment, static_cast<std::uint64_t>(ArgSnapshot::kBlockAlignment)));
  }
  expect(used <= properties.localMemorySize && run.localBytes >= own && run.localBytes <= sum(used, gaps),
         "a launch with an impossible size of local memory");
}

Launch makeLaunch(const RunLaunch& run, const Known& known) {
  const Program::Kernel& kernel = kernelOf(known, run.program, run.kernel);
  const DeviceProperties& properties = known.device.properties();
  expect(!kernel.code->info().enqueues, "a launch of a kernel that enqueues others");
  expect(run.bufferCount <= run.objects.size() && run.readImageCount <= run.objects.size() - run.bufferCount,
         "a launch with fewer objects than it says");
  Launch launch{};
  known.memory.trim();
  launch.kernel = kernel.code;
  launch.range = makeRange(run, kernel, properties);
  setBlock(run, kernel, launch.args);
  checkLocalBytes(run, kernel, launch.args.block(), properties);
  for (const cluster::ArgumentObject& object : run.objects)
    launch.args.add(*known.memory.object(object)); // the session's memory keeps it as long as the program uses it
  launch.args.bufferCount = run.bufferCount;
  launch.args.readImageCount = run.readImageCount;
  launch.args.localBytes = run.localBytes;
  launch.args.arePointersApart = run.arePointersApart;
  launch.args.largestPointed = run.largestPointed;
  launch.zeroesLocal = run.zeroesLocal;
  launch.code = known.programs.at(run.program)->code;
  kernel.code->toCode(launch.range, launch.args.block());
  return launch;
}

} // namespace

const Program::Kernel& kernelOf(const Known& known, std::uint64_t program, std::uint32_t kernel) {
  const auto found = known.programs.find(program);
  expect(found != known.programs.end() && kernel < found->second->kernels.size(), "a launch of an unknown kernel");
  return found->second->kernels[kernel];
}

namespace {

/// Recorded commands have nothing to do with other sessions, and runs of others are no commands of the device.
Command refuseMove() {
  expect(false, "bytes between sessions in a sequence");
  return Nothing{};
}

} // namespace

const Place* slotsOf(const cluster::Work& work) noexcept {
  const auto* run = std::get_if<RunCopy>(&work);
  if (!run || run->source.kind == run->target.kind) return nullptr;
  return run->source.kind == Place::Kind::Slots ? &run->source : &run->target;
}

std::uint64_t bytesInSlots(const RunCopy& run) {
  const bool isRead = run.target.kind == Place::Kind::Slots;
  const std::uint64_t rowPitch = isRead ? run.targetRowPitch : run.sourceRowPitch,
                      slicePitch = isRead ? run.targetSlicePitch : run.sourceSlicePitch;
  const std::uint64_t slice = product(run.rowBytes, run.rows), all = product(slice, run.slices);
  expect((run.rows == 1 || rowPitch == run.rowBytes) && (run.slices == 1 || slicePitch == slice),
         "rows in slots have gaps");
  return all;
}

Command makeCommand(const cluster::Work& work, const Known& known) {
  return std::visit(Overloaded{[&](const RunLaunch& run) -> Command { return makeLaunch(run, known); },
                               [&](const RunCopy& run) -> Command { return makeCopy(run, known); },
                               [&](const RunFill& run) -> Command { return makeFill(run, known); },
                               [](const cluster::RunNothing&) -> Command { return Nothing{}; },
                               [](const cluster::SendBytes&) -> Command { return refuseMove(); },
                               [](const cluster::ReceiveBytes&) -> Command { return refuseMove(); },
                               [&](const cluster::RunSequence& run) -> Command {
                                 const auto found = known.sequences.find(run.sequence);
                                 expect(found != known.sequences.end(), "a run of an unknown sequence");
                                 const Ref<SequenceHolder>& holder = found->second;
                                 check(holder->failure == CL_SUCCESS, holder->failure,
                                       "a run of a sequence of which a command could not be recorded");
                                 holder->isSealed = true;
                                 return Sequence{
                                     .owner = holder, .commands = holder->commands, .prepared = &holder->prepared};
                               }},
                    work);
}

} // namespace clotho::node
