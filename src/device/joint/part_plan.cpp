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
  /// What a part uses of an object, beside where that is for the search for conflicts.
  struct Use {
    PartUse part;
    std::uint32_t line;
  };

  bool findBuffers();
  std::vector<Use> usesOf(const FootprintBox& box) const;
  static std::vector<PartUse> merged(std::vector<Use> uses);

  const Launch& launch_;
  const KernelInfo& info_;
  const KernelFootprint& footprint_;
  const HomeId home_;
  std::vector<MemoryView*> buffers_; ///< by argument; null: none
  FootprintBox box_;                 ///< of the whole launch
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

bool Planner::prepare() {
  const bool isPlain = footprint_.unknown.empty() && info_.role == KernelRole::Entry && !info_.enqueues &&
                       !info_.refusesOffset && launch_.args.largestPointed == 0 && !launch_.args.reached &&
                       std::ranges::none_of(info_.args, [](const ArgInfo& arg) {
                         return arg.kind == ArgKind::Pipe || arg.kind == ArgKind::Queue;
                       });
  if (!isPlain || !findBuffers()) return false;
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
    // Accesses outside of the object are undefined, so none is there.
    const auto size = static_cast<std::int64_t>(buffer->size());
    const std::int64_t begin = interval->isAny ? 0 : std::clamp<std::int64_t>(interval->begin, 0, size);
    const std::int64_t end = interval->isAny ? size : std::clamp<std::int64_t>(interval->end, 0, size);
    if (begin >= end) continue;
    const Range range = buffer->range(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    uses.push_back({{buffer, range, access.isWrite ? Access::ReadWrite : Access::Read}, access.line});
  }
  // Kernels write no image here (FootprintAnalysis).
  for (std::size_t i = launch_.args.bufferCount; i < launch_.args.objectCount(); ++i) {
    MemoryView& image = launch_.args.object(i);
    uses.push_back({{&image, image.range(), Access::Read}, 0});
  }
  return uses;
}

/// One use for bytes that are next to each other.
std::vector<PartUse> Planner::merged(std::vector<Use> uses) {
  const auto key = [](const Use& use) { return std::tuple(use.part.memory, use.part.access, use.part.range.begin); };
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

/// The bytes for which a storage stands. Memory of others and shared memory may be a second storage's, too.
FootprintUse footprintUseOf(const PartUse& use, std::uint32_t line) {
  const Storage& storage = use.memory->storage();
  const bool isWrite = use.access != Access::Read;
  if (storage.isExternal() || storage.isShared()) return {0, 0, 1, isWrite, line};
  return {reinterpret_cast<std::uintptr_t>(&storage), static_cast<std::int64_t>(use.range.begin),
          static_cast<std::int64_t>(use.range.end), isWrite, line};
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
      own.push_back(footprintUseOf(use.part, use.line));
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
