// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/traced.hpp"

#include "base/overloaded.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace clotho {

trace::NameId traceName(const Command& command) noexcept {
  static constinit const trace::Name kNothing("marker"), kCopy("copy"), kFill("fill"), kMap("map"), kUnmap("unmap"),
      kMigrate("migrate"), kHostCall("native kernel"), kFree("free shared memory"), kSequence("command buffer"),
      kSemaphores("semaphores");
  return std::visit(Overloaded{
                        [](const Nothing&) { return kNothing.id(); },
                        [](const Launch& launch) { return launch.kernel->traceName(); },
                        [](const Copy&) { return kCopy.id(); },
                        [](const Fill&) { return kFill.id(); },
                        [](const Map&) { return kMap.id(); },
                        [](const Unmap&) { return kUnmap.id(); },
                        [](const Migrate&) { return kMigrate.id(); },
                        [](const HostCall&) { return kHostCall.id(); },
                        [](const FreeShared&) { return kFree.id(); },
                        [](const Sequence&) { return kSequence.id(); },
                        [](const UseSemaphores&) { return kSemaphores.id(); },
                    },
                    command);
}

std::uint64_t traceBytes(const Command& command) noexcept {
  const auto bytesOf = [](Range range) { return range.end - range.begin; };
  if (const auto* copy = std::get_if<Copy>(&command)) return copy->rowBytes * copy->rows * copy->slices;
  if (const auto* fill = std::get_if<Fill>(&command)) return fill->rowBytes * fill->rows * fill->slices;
  if (const auto* map = std::get_if<Map>(&command)) return bytesOf(map->operand.range);
  if (const auto* unmap = std::get_if<Unmap>(&command)) return bytesOf(unmap->written);
  std::uint64_t sum = 0;
  if (const auto* migrate = std::get_if<Migrate>(&command))
    for (const Operand& operand : migrate->operands)
      sum += bytesOf(operand.range);
  return sum;
}

namespace {

double argumentOf(const Launch& launch, std::uint32_t number) noexcept {
  const std::vector<ArgInfo>& args = launch.kernel->info().args;
  if (number >= args.size()) return 0;
  const std::byte* place = launch.args.block() + args[number].offset;
  const auto as = [&](auto value) {
    std::memcpy(&value, place, sizeof value);
    return static_cast<double>(value);
  };
  switch (args[number].size) {
  case 1: return as(std::int8_t());
  case 2: return as(std::int16_t());
  case 4: return as(std::int32_t());
  case 8: return as(std::int64_t());
  default: return 0;
  }
}

double valueOf(const Launch& launch, const WorkFactor& factor) noexcept {
  if (factor.kind == WorkFactor::Kind::Argument) return argumentOf(launch, factor.number);
  const NDRange& range = launch.range;
  if (factor.number > 2) return 0;
  const auto dimension = static_cast<int>(factor.number);
  const auto global = static_cast<double>(range.global[factor.number]),
             local = static_cast<double>(range.local[factor.number]);
  switch (factor.kind) {
  case WorkFactor::Kind::GlobalSize: return global;
  case WorkFactor::Kind::LocalSize: return local;
  default: return static_cast<double>(range.groups(dimension));
  }
}

/// For all work-items; negative: not known.
double valueOf(const Launch& launch, const std::optional<std::vector<WorkTerm>>& terms) noexcept {
  if (!terms) return -1;
  double sum = 0;
  for (const WorkTerm& term : *terms) {
    double product = term.coefficient;
    for (const WorkFactor& factor : term.factors)
      product *= valueOf(launch, factor);
    sum += product;
  }
  // A loop that does not run may have a negative count of iterations.
  return std::max(sum, 0.0) *
         (launch.range.rowItems ? static_cast<double>(launch.range.rowItems) : launch.range.items());
}

} // namespace

void tracePart(const Node& whole, const Command& part, std::uint64_t started, std::uint64_t ended) noexcept {
  const trace::CommandId queue{whole.whole().traceId().queue, 0};
  if (queue.queue == 0 || started == 0 || ended < started) return;
  trace::CommandRun run{.queued = started,
                        .submitted = started,
                        .started = started,
                        .ended = ended,
                        .amount = traceBytes(part),
                        .id = queue,
                        .name = traceName(part)};
  if (const auto* launch = std::get_if<Launch>(&part)) {
    run.isLaunch = true;
    run.amount = static_cast<std::uint64_t>(launch->range.items());
    const LaunchWork work = workOf(*launch);
    run.flops = work.flops;
    run.bytes = work.bytes;
  }
  trace::add(run);
}

LaunchWork workOf(const Launch& launch) noexcept {
  const KernelWork& work = launch.kernel->work();
  const double flops = valueOf(launch, work.flops);
  double bytes = valueOf(launch, work.bytes);
  // Accesses that find their bytes in the caches do not count: each buffer is read once, and written once.
  const bool hasOtherMemory = !launch.args.arePointersApart || launch.args.largestPointed != 0;
  if (bytes >= 0 && launch.args.objectCount() != 0 && !hasOtherMemory) {
    double most = 0;
    for (std::size_t i = 0; i < launch.args.objectCount(); ++i) {
      const Range range = launch.args.object(i).range();
      most += static_cast<double>(range.end - range.begin) * (launch.args.access(i) == Access::Read ? 1 : 2);
    }
    bytes = std::min(bytes, most);
  }
  return {static_cast<float>(flops), static_cast<float>(bytes)};
}

} // namespace clotho
