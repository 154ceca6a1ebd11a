// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/checks.hpp"

#include "abi/local_sizes.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/options.hpp"
#include "command/node.hpp"
#include "device/cpu/check_cells.hpp"
#include "device/cpu/program_loader.hpp"
#include "device/known_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>

namespace clotho::cpu {

namespace {

const CpuKernel& kernelOf(const Launch& launch) { return static_cast<const CpuKernel&>(*launch.kernel); }

std::uint64_t groupsOf(const NDRange& range) { return range.groups(0) * range.groups(1) * range.groups(2); }

/// "file:12:5", as far as it is known.
std::string placeOf(const CheckSite& site) {
  const auto* file = reinterpret_cast<const char*>(site.texts);
  std::string text = *file ? file : "<program>";
  if (site.line) text += ":" + std::to_string(site.line);
  if (site.line && site.column) text += ":" + std::to_string(site.column);
  return text;
}

/// The line of the source, and a caret below the column; empty if it is not known.
std::string quote(const CheckSite& site) {
  const auto* file = reinterpret_cast<const char*>(site.texts);
  const std::string line = file + std::strlen(file) + 1;
  if (line.empty()) return {};
  std::string text = "\n" + line;
  if (site.column == 0) return text;
  std::string caret;
  for (std::size_t i = 0; i + 1 < site.column; ++i)
    caret += i < line.size() && line[i] == '\t' ? '\t' : ' ';
  return text + "\n" + caret + "^";
}

std::string triple(const std::uint64_t (&ids)[3]) {
  return "(" + std::to_string(ids[0]) + ", " + std::to_string(ids[1]) + ", " + std::to_string(ids[2]) + ")";
}

} // namespace

bool ReportedSites::add(const CheckSite& site, std::uint64_t count) {
  MutexLock lock(mutex_);
  const auto [at, isNew] = sites_.try_emplace(site.number);
  if (isNew) {
    at->second.place = placeOf(site);
    return true;
  }
  ++at->second.launches;
  at->second.faults += count;
  return false;
}

ReportedSites::~ReportedSites() {
  MutexLock lock(mutex_);
  for (const auto& [number, later] : sites_)
    if (later.launches)
      CLOTHO_LOG(Device, Error, "%s: the same, %llu times in %llu later launches", later.place.c_str(),
                 static_cast<unsigned long long>(later.faults), static_cast<unsigned long long>(later.launches));
}

LaunchChecks::LaunchChecks(const Launch& launch, HomeId home)
    : command_(launch), records_(kernelOf(launch).facts().checkSites), started_(hostTime()),
      phases_(CheckCells::get().takePhases(groupsOf(launch.range) *
                                           std::max<std::uint64_t>(kernelOf(launch).facts().phasesOfGroup, 1))) {
  const std::size_t arguments = launch.kernel->info().args.size();
  const std::size_t bytes = sizeof(LaunchChecks*) + sizeof(CheckedLaunch) + arguments * sizeof(CheckedArgument);
  storage_.resize((bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
  LaunchChecks* const self = this;
  std::memcpy(storage_.data(), static_cast<const void*>(&self), sizeof(LaunchChecks*));
  launch_ = new (storage_.data() + 1) CheckedLaunch;
  launch_->report = report;
  launch_->hasMemory = hasMemory;
  launch_->mayGoOn = mayGoOn;
  launch_->firstPhase = phases_.first;
  launch_->isLocalZeroed = launch.zeroesLocal ? 1 : 0;
  std::vector<ArgumentMemory> memory;
  memory.reserve(arguments);
  std::uint32_t buffers = 0;
  for (std::size_t i = 0; i < arguments; ++i)
    memory.push_back(memoryOf(i, home, buffers));
  // No work-item races with another one in memory that none of them writes to.
  const std::uint64_t written = kernelOf(launch).facts().written;
  const auto isWritten = [&](const ArgumentMemory& of) {
    for (std::size_t i = 0; i < arguments; ++i)
      if (memory[i].begin == of.begin && (i >= 64 || (written >> i & 1) != 0)) return true;
    return false;
  };
  for (std::size_t i = 0; i < arguments; ++i) {
    CheckedArgument argument = memory[i].argument;
    if (memory[i].size != 0 && isWritten(memory[i])) argument.cells = cellsOf(memory[i]);
    new (launch_->arguments + i) CheckedArgument(argument);
  }
}

LaunchChecks& LaunchChecks::of(CheckedLaunch* launch) {
  LaunchChecks* checks = nullptr;
  std::memcpy(static_cast<void*>(&checks), reinterpret_cast<const std::uint64_t*>(launch) - 1, sizeof(LaunchChecks*));
  return *checks;
}

/// The memory of an argument: that of a buffer, of shared memory, or of the work-group. Other memory of the host's has
/// no bounds that are known. `buffers`: how many of the arguments before are buffers.
LaunchChecks::ArgumentMemory LaunchChecks::memoryOf(std::size_t index, HomeId home, std::uint32_t& buffers) const {
  constexpr std::uint64_t kAnywhere = std::uint64_t{1} << 46;
  const std::vector<ArgInfo>& infos = command_.kernel->info().args;
  const ArgInfo& info = infos[index];
  if (info.kind != ArgKind::Buffer && info.kind != ArgKind::Local) return {};
  std::uint64_t value = 0;
  std::memcpy(&value, command_.args.block() + info.offset, sizeof value);
  if (info.kind == ArgKind::Local) {
    // Kernels that kernels enqueue have no sizes in their blocks: there the next argument's memory is the end.
    const KernelInfo& its = command_.kernel->info();
    std::uint64_t end = command_.args.localBytes, size = 0;
    std::size_t locals = 0;
    for (std::size_t i = 0; i < infos.size(); ++i) {
      if (infos[i].kind != ArgKind::Local) continue;
      std::uint64_t begin = 0;
      std::memcpy(&begin, command_.args.block() + infos[i].offset, sizeof begin);
      if (begin > value) end = std::min(end, begin);
      if (i == index && its.role == KernelRole::Entry)
        std::memcpy(&size, command_.args.block() + localSizeOffset(its.argBlockSize, locals), sizeof size);
      ++locals;
    }
    return {{0, its.role == KernelRole::Entry ? size : end - value, 0}};
  }
  if (value == 0) return {};
  // Buffers are in the order of arguments. Several may begin at one address: a buffer and sub-buffers of it.
  if (buffers < command_.args.bufferCount) {
    const MemoryView& buffer = command_.args.object(buffers);
    const auto storage = reinterpret_cast<std::uintptr_t>(buffer.storage().address(home));
    if (value == reinterpret_cast<std::uintptr_t>(buffer.addressOn(home))) {
      ++buffers;
      return {{0, buffer.size(), 0}, storage, buffer.storage().size(), value - storage};
    }
  }
  const KnownMemory::Found found = KnownMemory::get().find(value);
  if (found.state == KnownMemory::State::Unknown) return {{kAnywhere, 2 * kAnywhere, 0}};
  if (found.state != KnownMemory::State::Live) return {{value - found.begin, 0, 0}};
  return {{value - found.begin, found.size, 0}, found.begin, found.size, 0};
}

/// Address of the first cell of an argument's memory; 0 without memory for cells. Arguments may share memory.
std::uint64_t LaunchChecks::cellsOf(const ArgumentMemory& memory) {
  const std::uint32_t granule = kernelOf(command_).facts().granule;
  if (granule == 0) return 0;
  auto known = std::ranges::find(cells_, memory.begin, &Cells::begin);
  if (known == cells_.end()) {
    cells_.emplace_back(memory.begin);
    known = std::prev(cells_.end());
    known->memory = CheckCells::get().take((memory.size / granule + 1) * kCellBytes);
  }
  const auto first = reinterpret_cast<std::uint64_t>(known->memory.base());
  return first == 0 ? 0 : first + memory.offset / granule * kCellBytes;
}

LaunchChecks::~LaunchChecks() {
  for (const Cells& cells : cells_)
    if (cells.memory.base()) CheckCells::get().giveBack(cells.memory, phases_.epoch);
}

bool LaunchChecks::prepare(Executor& executor, WorkerContext& context) const noexcept {
  CheckedGroup& group = executor.checkedGroup;
  const auto set = [&](std::size_t i, const std::byte* begin, const std::byte* end) {
    group.begins[i] = reinterpret_cast<std::uintptr_t>(begin);
    group.ends[i] = reinterpret_cast<std::uintptr_t>(end);
  };
  set(0, context.localMemory, context.localEnd);
  set(1, context.frame, context.frameEnd);
  set(2, context.stackBegin, context.stackEnd);
  const StringMemory image = kernelOf(command_).program().strings();
  group.begins[3] = image.begin;
  group.ends[3] = image.end;
  context.checks = &group;
  // Any bytes of local memory may have a cell, and a word that says in which phase it was written.
  const std::size_t bytes = command_.args.localBytes * kCellBytes;
  if (executor.checkEpoch != phases_.epoch) {
    executor.checkCells.unmap();
    group.phase = group.passed = 0;
    executor.checkEpoch = phases_.epoch;
  }
  auto* cells = executor.checkCells.reserve(2 * bytes);
  if (!cells && bytes) return false;
  group.cells = reinterpret_cast<std::uintptr_t>(cells);
  group.initialised = group.cells + bytes;
  return true;
}

void LaunchChecks::report(CheckedLaunch* launch, const CheckSite* site, std::uint64_t a, std::uint64_t b,
                          std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  LaunchChecks& checks = of(launch);
  // The end of a kernel is no place of which to tell: the barrier that others wait in is.
  if (site->kind == kFaultBarrier && site->bytes != 0 && a != 0) {
    const auto* other = std::bit_cast<const CheckSite*>(a);
    a = reinterpret_cast<std::uintptr_t>(site);
    site = other;
  }
  if (site->number >= checks.records_.size()) return;
  Record& record = checks.records_[site->number];
  if (record.count.fetch_add(1, std::memory_order_relaxed) == 0) record.fault = {site, a, b, {x, y, z}};
}

std::uint64_t LaunchChecks::hasMemory(CheckedLaunch* /*launch*/, const CheckedGroup* group, std::uint64_t address,
                                      std::uint64_t bytes) {
  constexpr std::uint64_t kNull = 1 << 16;
  if (bytes == 0) return 1;
  if (address < kNull) return 0;
  for (std::size_t i = 0; i < std::size(group->begins); ++i)
    if (address >= group->begins[i] && address < group->ends[i] && bytes <= group->ends[i] - address) return 1;
  const KnownMemory::Found found = KnownMemory::get().find(address);
  switch (found.state) {
  case KnownMemory::State::Unknown: return 1;
  case KnownMemory::State::Live: return bytes <= found.size - (address - found.begin) ? 1 : 0;
  default: return 0;
  }
}

std::uint64_t LaunchChecks::mayGoOn(CheckedLaunch* launch, std::uint64_t) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  return hostTime() - of(launch).started_ < options().checkSeconds * kSecond ? 1 : 0;
}

/// The work-item's ids, in the program's order of dimensions.
std::string LaunchChecks::textOfItem(const std::uint64_t (&ids)[3]) const {
  const CpuKernelFacts& facts = kernelOf(command_).facts();
  std::string text = "work-item " + triple(ids);
  // Code that counts the launch in another way knows global ids alone.
  if (facts.countsRows || facts.shape[0] != 0) return text;
  NDRange range = command_.range;
  exchangeDimensions(facts, range.local);
  exchangeDimensions(facts, range.offset);
  std::uint64_t local[3], group[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t id = ids[i] - range.offset[i];
    local[i] = id % range.local[i];
    group[i] = id / range.local[i];
  }
  return text + ", local id " + triple(local) + " in group " + triple(group);
}

/// The other work-item of a race, as far as the cell tells.
std::string LaunchChecks::otherOfRace(const CheckFault& fault) const {
  const CpuKernelFacts& facts = kernelOf(command_).facts();
  NDRange range = command_.range;
  exchangeDimensions(facts, range.local);
  exchangeDimensions(facts, range.global);
  exchangeDimensions(facts, range.offset);
  const std::uint64_t cell = fault.a, phases = std::max<std::uint64_t>(facts.phasesOfGroup, 1);
  std::uint64_t item = (cell >> kCellFlagBits) & ((1 << kCellItemBits) - 1);
  const std::uint64_t phase = cell >> kCellPhaseShift;
  if (phase < launch_->firstPhase) return {};
  std::uint64_t group = (phase - launch_->firstPhase) / phases;
  std::uint64_t ids[3];
  bool isSameGroup = true, isSameItem = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t groups = (range.global[i] + range.local[i] - 1) / range.local[i];
    const std::uint64_t place = group % groups, local = item % range.local[i];
    group /= groups;
    item /= range.local[i];
    ids[i] = range.offset[i] + place * range.local[i] + local;
    isSameGroup = isSameGroup && (fault.ids[i] - range.offset[i]) / range.local[i] == place;
    isSameItem = isSameItem && ids[i] == fault.ids[i];
  }
  const std::string what = cell & kCellWrite ? "a write" : cell & kCellAtomic ? "an atomic update" : "a read";
  if (isSameItem) {
    const std::uint32_t argument = fault.site->argument;
    const bool isLocal =
        argument == kNoCheckedArgument || command_.kernel->info().args[argument].kind == ArgKind::Local;
    return "\n  after an access by another work-item of the " + std::string(isLocal ? "group" : "launch") +
           ", whose id was not kept";
  }
  return "\n  after " + what + " by work-item " + triple(ids) +
         (isSameGroup ? " of the group, with no barrier between" : " of another group");
}

std::string LaunchChecks::otherOf(const CheckFault& fault) const {
  if (fault.site->kind == kFaultReadRace || fault.site->kind == kFaultWriteRace) return otherOfRace(fault);
  if (fault.site->kind == kFaultBarrier && fault.a != 0) {
    const auto& other = *std::bit_cast<const CheckSite*>(fault.a);
    return std::string("\n  while another work-item of the group met ") +
           (other.bytes != 0 ? "the kernel's end, " : "") + placeOf(other) + quote(other);
  }
  return {};
}

std::string LaunchChecks::textOf(const Record& record) const {
  const CheckFault& fault = record.fault;
  const std::uint64_t count = record.count.load(std::memory_order_relaxed);
  std::string text = placeOf(*fault.site) + ": runtime error: " + describe(fault) + quote(*fault.site);
  text += "\n  in kernel '" + command_.kernel->info().name + "', " + textOfItem(fault.ids) + otherOf(fault);
  if (count > 1) text += "\n  " + std::to_string(count) + " times in this launch";
  return text;
}

bool LaunchChecks::finish(Node& node) noexcept {
  bool hasFailed = false;
  for (const Record& record : records_) {
    const std::uint64_t count = record.count.load(std::memory_order_relaxed);
    if (count == 0) continue;
    hasFailed = true;
    try {
      if (kernelOf(command_).program().reportedSites().add(*record.fault.site, count))
        node.report(textOf(record), LogLevel::Error);
    } catch (const std::bad_alloc&) {
      // Without memory for the text it is lost.
    }
  }
  return hasFailed;
}

} // namespace clotho::cpu
