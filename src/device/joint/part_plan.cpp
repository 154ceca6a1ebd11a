// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/joint/part_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

namespace clotho::joint {

namespace {

/// A launch with what its footprint needs.
class Planner {
 public:
  Planner(const Launch& launch, HomeId home)
      : launch_(launch), info_(launch.kernel->info()), footprint_(launch.kernel->footprint()), home_(home) {}

  /// False if a launch with these arguments cannot be split, whatever its range is.
  bool prepare();
  std::optional<std::vector<PartPlan>> planAlong(std::uint32_t dimension, const std::vector<double>& shares) const;

 private:
  /// The use that a part makes of an object, beside what counts for the search for conflicts.
  struct Use {
    PartUse part; ///< may be no byte
    FootprintUse conflicting;
  };

  bool findBuffers();
  void findAddresses();
  FootprintUse footprintUseOf(const MemoryView& memory, std::int64_t begin, std::int64_t end, bool isWrite,
                              std::uint32_t line) const;
  std::vector<Use> usesOf(const FootprintBox& box) const;
  static std::vector<PartUse> merged(std::vector<Use> uses);

  const Launch& launch_;
  const KernelInfo& info_;
  const KernelFootprint& footprint_;
  const HomeId home_;
  std::vector<MemoryView*> buffers_;                                   ///< by argument; null: none
  std::vector<std::pair<const Storage*, const std::byte*>> addresses_; ///< in the host's memory; null: none there
  FootprintBox box_;                                                   ///< of the whole launch
};

/// Finds the object of each buffer argument. Other pointers are not known.
bool Planner::findBuffers() {
  buffers_.assign(info_.args.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t i = 0; i < info_.args.size(); ++i) {
    if (info_.args[i].kind != ArgKind::Buffer) continue;
    const std::byte* address = nullptr;
    std::memcpy(static_cast<void*>(&address), launch_.args.block() + info_.args[i].offset, sizeof address);
    if (!address) continue;
    if (next >= launch_.args.bufferCount || launch_.args.object(next).addressOn(home_) != address) return false;
    buffers_[i] = &launch_.args.object(next++);
  }
  return next == launch_.args.bufferCount;
}

/// Each storage's address once, since another thread may give it memory meanwhile.
void Planner::findAddresses() {
  for (std::size_t i = 0; i < launch_.args.objectCount(); ++i) {
    const Storage& storage = launch_.args.object(i).storage();
    if (std::ranges::find(addresses_, &storage, &std::pair<const Storage*, const std::byte*>::first) ==
        addresses_.end())
      addresses_.emplace_back(&storage, storage.address(kHostHome));
  }
}

/// The bytes [begin, end) of a storage, for the search for conflicts. Memory of others and shared memory may be a
/// second storage's, too, and so may be the application's memory, but at the same address.
FootprintUse Planner::footprintUseOf(const MemoryView& memory, std::int64_t begin, std::int64_t end, bool isWrite,
                                     std::uint32_t line) const {
  constexpr std::uint64_t kUnknown = 0, kHost = 1; // no addresses of storages
  const Storage& storage = memory.storage();
  if (storage.isExternal() || storage.isShared()) return {kUnknown, 0, 1, isWrite, line};
  const auto found = std::ranges::find(addresses_, &storage, &std::pair<const Storage*, const std::byte*>::first);
  if (const std::byte* address = found->second) {
    const auto first = reinterpret_cast<std::intptr_t>(address);
    return {kHost, first + begin, first + end, isWrite, line};
  }
  return {reinterpret_cast<std::uintptr_t>(&storage), begin, end, isWrite, line};
}

bool Planner::prepare() {
  const bool isPlain = footprint_.unknown.empty() && info_.role == KernelRole::Entry && !info_.enqueues &&
                       !info_.refusesOffset && launch_.args.largestPointed == 0 && !launch_.args.reached &&
                       std::ranges::none_of(info_.args, [](const ArgInfo& arg) {
                         return arg.kind == ArgKind::Pipe || arg.kind == ArgKind::Queue;
                       });
  if (!isPlain || !findBuffers()) return false;
  findAddresses();
  box_.offset = launch_.range.offset;
  box_.global = launch_.range.global;
  box_.local = launch_.range.local;
  for (int i = 0; i < 3; ++i)
    box_.end[i] = launch_.range.groups(i);
  box_.args = {launch_.args.block(), info_.argBlockSize};
  for (const ArgInfo& arg : info_.args)
    box_.argumentOffsets.push_back(arg.offset);
  return true;
}

std::vector<Planner::Use> Planner::usesOf(const FootprintBox& box) const {
  std::vector<Use> uses;
  const FootprintValues values(footprint_, box);
  for (const FootprintAccess& access : footprint_.accesses) {
    MemoryView* buffer = access.argument < buffers_.size() ? buffers_[access.argument] : nullptr;
    if (!buffer) continue; // a null pointer, which the kernel must not use
    const auto interval = values.intervalOf(access);
    if (!interval) continue;
    // Accesses outside of the object are undefined, so a part needs no bytes there. They may be made all the same:
    // where they stay in the memory of which a sub-buffer is a part, they are as harmless as on one device.
    const auto first = static_cast<std::int64_t>(buffer->begin());
    const auto size = static_cast<std::int64_t>(buffer->size());
    const auto whole = static_cast<std::int64_t>(buffer->storage().size());
    const auto within = [&](std::int64_t least, std::int64_t most) {
      return std::pair(interval->isAny ? least : std::clamp(interval->begin, least, most),
                       interval->isAny ? most : std::clamp(interval->end, least, most));
    };
    const auto [widestBegin, widestEnd] = within(-first, whole - first);
    if (widestBegin >= widestEnd) continue;
    const auto [begin, end] = within(0, size);
    const Range range{buffer->begin() + static_cast<std::uint64_t>(begin),
                      buffer->begin() + static_cast<std::uint64_t>(end)};
    uses.push_back({{buffer, range, access.isWrite ? Access::ReadWrite : Access::Read},
                    footprintUseOf(*buffer, first + widestBegin, first + widestEnd, access.isWrite, access.line)});
  }
  // Kernels write no image here (FootprintAnalysis).
  for (std::size_t i = launch_.args.bufferCount; i < launch_.args.objectCount(); ++i) {
    MemoryView& image = launch_.args.object(i);
    const Range range = image.range();
    uses.push_back({{&image, range, Access::Read},
                    footprintUseOf(image, static_cast<std::int64_t>(range.begin), static_cast<std::int64_t>(range.end),
                                   /*isWrite=*/false, /*line=*/0)});
  }
  return uses;
}

/// One use for bytes that are next to each other, and none of no byte.
std::vector<PartUse> Planner::merged(std::vector<Use> uses) {
  const auto key = [](const Use& use) { return std::tuple(use.part.memory, use.part.access, use.part.range.begin); };
  std::erase_if(uses, [](const Use& use) { return use.part.range.begin >= use.part.range.end; });
  std::ranges::sort(uses, {}, key);
  std::vector<PartUse> result;
  for (const Use& use : uses) {
    if (!result.empty() && result.back().memory == use.part.memory && result.back().access == use.part.access &&
        use.part.range.begin <= result.back().range.end)
      result.back().range.end = std::max(result.back().range.end, use.part.range.end);
    else
      result.push_back(use.part);
  }
  return result;
}

std::optional<std::vector<PartPlan>> Planner::planAlong(std::uint32_t dimension,
                                                        const std::vector<double>& shares) const {
  const std::uint64_t groups = box_.end[dimension], local = box_.local[dimension];
  std::vector<PartPlan> plan;
  std::vector<std::vector<FootprintUse>> uses;
  double sum = 0;
  std::uint64_t begin = 0;
  std::size_t members = shares.size(); // up to the last with a share, which ends where the launch does
  while (members > 0 && shares[members - 1] <= 0)
    --members;
  for (std::size_t member = 0; member < members; ++member) {
    sum += shares[member];
    const auto rounded = static_cast<std::uint64_t>(std::llround(sum * static_cast<double>(groups)));
    const std::uint64_t end = member + 1 == members ? groups : std::min(groups, rounded);
    if (begin >= end || shares[member] <= 0) continue;
    FootprintBox box = box_;
    box.first[dimension] = begin;
    box.end[dimension] = end;
    PartPlan& part = plan.emplace_back();
    part.member = member;
    part.dimension = dimension;
    part.range = launch_.range;
    part.range.offset[dimension] += begin * local;
    part.firstGroups[dimension] = begin;
    part.range.global[dimension] = std::min(end * local, launch_.range.global[dimension]) - begin * local;
    std::vector<Use> used = usesOf(box);
    std::vector<FootprintUse>& own = uses.emplace_back();
    for (const Use& use : used)
      own.push_back(use.conflicting);
    part.uses = std::make_unique<const std::vector<PartUse>>(merged(std::move(used)));
    begin = end;
  }
  if (plan.size() < 2 || conflictOf(uses)) return std::nullopt;
  return plan;
}

} // namespace

std::optional<std::vector<PartPlan>> planParts(const Launch& launch, HomeId home, const std::vector<double>& shares) {
  Planner planner(launch, home);
  if (!planner.prepare()) return std::nullopt;
  for (std::uint32_t along = 3; along-- > 0;) {
    const KernelFootprint& footprint = launch.kernel->footprint();
    const bool seesPart = (footprint.seesLaunch >> along & 1) != 0 && footprint.partArguments.empty();
    if (launch.range.groups(static_cast<int>(along)) < 2 || seesPart) continue;
    if (auto plan = planner.planAlong(along, shares)) return plan;
  }
  return std::nullopt;
}

} // namespace clotho::joint
