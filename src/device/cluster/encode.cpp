// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/encode.hpp"

#include "device/cluster/cluster_program.hpp"

#include <algorithm>

namespace clotho::cluster {

namespace {

std::uint64_t addressOf(const std::byte* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

RunLaunch encode(const Launch& launch, HomeId home) {
  const auto& kernel = static_cast<const ClusterKernel&>(*launch.kernel);
  RunLaunch run{.program = kernel.program(), .kernel = kernel.index(), .dimensions = launch.range.dimensions};
  std::ranges::copy(launch.range.offset, run.offset);
  std::ranges::copy(launch.range.global, run.global);
  std::ranges::copy(launch.range.local, run.local);
  const ArgSnapshot& args = launch.args;
  run.args.assign(reinterpret_cast<const char*>(args.block()), kernel.blockBytes());
  run.objects.reserve(args.objectCount());
  for (std::size_t i = 0; i < args.objectCount(); ++i) {
    const MemoryView& object = args.object(i);
    run.objects.push_back({addressOf(object.addressOn(home)), object.size(), object.isReadOnly()});
  }
  run.bufferCount = args.bufferCount;
  run.readImageCount = args.readImageCount;
  run.localBytes = args.localBytes;
  run.largestPointed = args.largestPointed;
  run.arePointersApart = args.arePointersApart;
  run.zeroesLocal = launch.zeroesLocal;
  return run;
}

RunCopy encode(const Copy& copy) {
  return {.source = {Place::Kind::Device, addressOf(copy.source)},
          .target = {Place::Kind::Device, addressOf(copy.target)},
          .rowBytes = copy.rowBytes,
          .rows = copy.rows,
          .slices = copy.slices,
          .sourceRowPitch = copy.sourceRowPitch,
          .sourceSlicePitch = copy.sourceSlicePitch,
          .targetRowPitch = copy.targetRowPitch,
          .targetSlicePitch = copy.targetSlicePitch,
          .mayOverlap = copy.mayOverlap};
}

RunFill encode(const Fill& fill) {
  RunFill run{.target = addressOf(fill.target),
              .rowBytes = fill.rowBytes,
              .rows = fill.rows,
              .slices = fill.slices,
              .rowPitch = fill.rowPitch,
              .slicePitch = fill.slicePitch};
  run.pattern.assign(reinterpret_cast<const char*>(fill.pattern.data()), fill.patternSize);
  return run;
}

} // namespace

Work encode(const Command& command, HomeId home) {
  if (const auto* launch = std::get_if<Launch>(&command)) return encode(*launch, home);
  if (const auto* copy = std::get_if<Copy>(&command)) return encode(*copy);
  if (const auto* fill = std::get_if<Fill>(&command)) return encode(*fill);
  return RunNothing{};
}

} // namespace clotho::cluster
