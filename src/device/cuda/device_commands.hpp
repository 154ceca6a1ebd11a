// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/command.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/cuda/grids.hpp"

#include <array>

/// Commands of the device alone, as calls that put them into a stream or record them for a graph.
namespace clotho::cuda {

/// Calls `use(const KernelNode&)` for each grid of the launch, until one is no Success; the last result. `printf`:
/// where the kernel prints to; `enqueuing`: where it enqueues others.
template <class Use>
CUresult forEachLaunch(const Launch& launch, CUdeviceptr printf, CUdeviceptr enqueuing, Use&& use) {
  CUresult result = CUresult::Success;
  const auto local = launch.args.localBytes == 0 ? 0U : static_cast<unsigned>(kLocalBegin + launch.args.localBytes);
  const CUfunction function = static_cast<const CudaKernel*>(launch.kernel)->function();
  const auto zeroed = launch.zeroesLocal ? static_cast<std::uint32_t>(launch.args.localBytes) : 0U;
  forEachGrid(launch.range, printf, enqueuing, zeroed, [&](const Grid& grid) {
    std::array<void*, 2> parameters{const_cast<CudaLaunch*>(&grid.launch), const_cast<std::byte*>(launch.args.block())};
    result = use(KernelNode{function, grid.groups[0], grid.groups[1], grid.groups[2], grid.local[0], grid.local[1],
                            grid.local[2], local, parameters.data(), nullptr});
    return result == CUresult::Success;
  });
  return result;
}

inline CUresult launchInStream(const Driver& api, const KernelNode& grid, CUstream stream) noexcept {
  return api.launchKernel(grid.function, grid.gridX, grid.gridY, grid.gridZ, grid.blockX, grid.blockY, grid.blockZ,
                          grid.sharedBytes, stream, grid.parameters, grid.extra);
}

/// Moves pages of shared memory to the device, or to the host. A refusal does no harm: pages come when they are used.
void prefetchInStream(Context& context, const Migrate& migrate, CUstream stream) noexcept;

/// False if CUDA refuses.
bool fillInStream(Context& context, const Fill& fill, CUstream stream) noexcept;

} // namespace clotho::cuda
