// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/cuda_program.hpp"

#include "abi/cuda_kernel.h"
#include "abi/device_queue.h"
#include "command/nd_range.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace clotho::cuda {

namespace {

constexpr std::uint32_t kWarp = 32;
// Threads of a block on all GPUs, together and along each dimension.
constexpr std::size_t kMostThreads = 1024;
constexpr std::array<std::uint64_t, 3> kMostAlong = {1024, 1024, 64};

/// Loads PTX.
CUmodule loadModule(Context& context, const std::string& ptx, std::string& log) {
  std::array<char, 8192> errors{};
  std::array<JitOption, 2> options{JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSizeBytes};
  std::array<void*, 2> values{errors.data(), std::bit_cast<void*>(errors.size() - 1)};
  CUmodule module = nullptr;
  const CUresult result = context.api().moduleLoadDataEx(&module, ptx.c_str(), 2, options.data(), values.data());
  if (context.succeeded(result)) return module;
  log += std::string(errors.data()) + "error: " + describe(result) + '\n';
  throw Error{CL_OUT_OF_RESOURCES, "the driver refuses the program's code"};
}

/// The largest divisor of `size` that is at most `limit`, of the multiples of 32 if there are any.
std::uint64_t rowUpTo(std::uint64_t size, std::uint64_t limit) {
  if (size % kWarp == 0 && limit >= kWarp)
    for (std::uint64_t row = std::min(limit, size) / kWarp * kWarp; row != 0; row -= kWarp)
      if (size % row == 0) return row;
  for (std::uint64_t row = std::min(limit, size); row > 1; --row)
    if (size % row == 0) return row;
  return 1;
}

} // namespace

CudaKernelFacts checkedFacts(const BuiltKernel& kernel) {
  std::optional<CudaKernelFacts> facts = decodeFacts(kernel.facts);
  check(facts && facts->abiVersion == kCudaAbiVersion, CL_INVALID_BINARY,
        "what is known of a kernel is of another version");
  check(kernel.info.argBlockSize <= kMostArgumentBytes, CL_INVALID_BINARY,
        "a kernel has more bytes of arguments than there can be");
  return std::move(*facts);
}

CudaKernel::CudaKernel(const BuiltKernel& built, CudaKernelFacts facts, const CudaProgram& program)
    : DeviceKernel(built), facts_(std::move(facts)), program_(program) {
  Context& context = program.context();
  const Driver& api = context.api();
  check(context.succeeded(api.moduleGetFunction(&function_, program.module(), facts_.symbol.c_str())),
        CL_INVALID_BINARY, "the program's code lacks a kernel");
  int threads = 1;
  if (context.succeeded(api.funcGetAttribute(&threads, FunctionAttribute::MaxThreadsPerBlock, function_)))
    mostThreads_ = static_cast<std::size_t>(std::max(threads, 1));
  int own = 0;
  context.succeeded(api.funcGetAttribute(&own, FunctionAttribute::SharedSizeBytes, function_));
  context.succeeded(api.funcSetAttribute(function_, FunctionAttribute::MaxDynamicSharedSizeBytes,
                                         std::max(program.sharedBytes() - own, 0)));
}

// Work-groups of some warps hide each other's waiting and still leave several for each multiprocessor. Those that
// nothing divides have a short last one in each dimension, where that is allowed.
void CudaKernel::chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept {
  constexpr std::uint64_t kUsual = 256;
  const std::uint64_t most = largestGroup(0, mostOfGroup(*this, device.maxWorkGroupSize));
  std::uint64_t limit = std::min<std::uint64_t>(kUsual, most);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t bound = i == 2 ? std::min<std::uint64_t>(limit, 64) : limit;
    std::uint64_t row = rowUpTo(range.global[i], bound);
    if (info().allowsNonUniform && row < std::min<std::uint64_t>(kWarp, bound) && range.global[i] > bound) row = bound;
    range.local[i] = row;
    limit /= row;
  }
}

CudaProgram::CudaProgram(Context& context, std::shared_ptr<const BuildResult> built, int sharedBytes, std::string& log)
    : context_(context), built_(std::move(built)), sharedBytes_(sharedBytes) {
  if (built_->kernels.empty() && built_->object.empty()) return;
  const Context::Current current(context_);
  check(!context_.isLost(), CL_OUT_OF_RESOURCES, "the GPU is lost to this process");
  module_ = loadModule(context_, built_->object, log);
  try {
    loadKernels();
  } catch (...) {
    if (blockLimits_) context_.deallocate(blockLimits_);
    context_.succeeded(context_.api().moduleUnload(module_));
    throw;
  }
}

void CudaProgram::loadKernels() {
  kernels_.reserve(built_->kernels.size());
  for (const BuiltKernel& kernel : built_->kernels) {
    kernels_.push_back(std::make_unique<CudaKernel>(kernel, checkedFacts(kernel), *this));
    if (kernel.info.blockNumber != 0) addBlock(*kernels_.back());
  }
  if (!blocks_.empty()) describeBlocks();
}

void CudaProgram::addBlock(const CudaKernel& kernel) {
  const std::size_t index = kernel.info().blockNumber - 1;
  check(index < built_->kernels.size(), CL_INVALID_BINARY, "a kernel that others enqueue has an impossible number");
  if (blocks_.size() <= index) blocks_.resize(index + 1);
  blocks_[index] = &kernel;
}

void CudaProgram::describeBlocks() {
  const auto localBytes = static_cast<std::uint64_t>(std::max(sharedBytes_ - int{kLocalBegin}, 0));
  std::vector<BlockLimits> limits(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i]) continue;
    const GroupLimits& own = blocks_[i]->limits();
    limits[i] = {.mostItems = blocks_[i]->largestGroup(0, kMostThreads),
                 .mostAlong = {kMostAlong[0], kMostAlong[1], kMostAlong[2]},
                 .preferredMultiple = kWarp,
                 .localBytes = roomForArguments(localBytes, own.localBytes),
                 .subGroupSize = own.usesSubGroups ? own.subGroupSize : kWarp,
                 .isUniform = blocks_[i]->info().allowsNonUniform ? 0U : 1U};
  }
  const Driver& api = context_.api();
  const std::size_t bytes = limits.size() * sizeof(BlockLimits);
  blockLimits_ = context_.allocate(bytes);
  check(blockLimits_ &&
            context_.succeeded(
                api.memcpyAsync(blockLimits_, std::bit_cast<CUdeviceptr>(limits.data()), bytes, nullptr)) &&
            context_.succeeded(api.streamSynchronize(nullptr)),
        CL_OUT_OF_RESOURCES, "no memory for what kernels know of those that they enqueue");
}

CudaProgram::~CudaProgram() {
  if (!module_) return;
  if (blockLimits_) context_.deallocate(blockLimits_);
  const Context::Current current(context_);
  if (!context_.isLost()) context_.succeeded(context_.api().moduleUnload(module_));
}

const DeviceKernel* CudaProgram::kernel(std::string_view name) const noexcept {
  for (const auto& kernel : kernels_)
    if (kernel->info().name == name) return kernel.get();
  return nullptr;
}

} // namespace clotho::cuda
