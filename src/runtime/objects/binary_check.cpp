// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/binary_check.hpp"

#include "base/error.hpp"

#include <CL/cl.h>
#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_set>

namespace clotho {

namespace {

/// Largest size in bytes that a binary may give: more than any device has, and so little that products with numbers of
/// work-items do not overflow.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostArgumentBytes = 1 << 24;

void expect(bool holds, const char* why) { check(holds, CL_INVALID_BINARY, why); }

bool isAddressOf(AddressQualifier address, ArgKind kind) {
  switch (kind) {
  case ArgKind::Value: return address == AddressQualifier::Private;
  case ArgKind::Buffer: return address == AddressQualifier::Global || address == AddressQualifier::Constant;
  case ArgKind::Local: return address == AddressQualifier::Local;
  case ArgKind::Image:
  case ArgKind::Sampler:
  case ArgKind::Pipe:
  case ArgKind::Queue: return true;
  }
  return false;
}

/// As the compiler lays them out: one after the other, each as far as its alignment asks.
void checkArguments(const KernelInfo& kernel) {
  constexpr std::uint32_t kWord = 8, kQualifiers = 15;
  std::uint64_t end = 0;
  for (const ArgInfo& arg : kernel.args) {
    const bool isValue = arg.kind == ArgKind::Value;
    expect(isAddressOf(arg.address, arg.kind), "an argument of a kernel in the binary has a wrong address space");
    expect(std::has_single_bit(arg.alignment) && (arg.typeQualifiers & ~kQualifiers) == 0 &&
               arg.size <= kMostArgumentBytes && (isValue || arg.size == kWord),
           "an argument of a kernel in the binary has an impossible type");
    const std::uint64_t alignment = isValue ? arg.alignment : kWord;
    expect(arg.offset == (end + alignment - 1) / alignment * alignment,
           "the arguments of a kernel in the binary are not where they belong");
    end = arg.offset + std::uint64_t{arg.size};
  }
  expect(kernel.argBlockSize <= kMostArgumentBytes && kernel.argBlockSize == (end + kWord - 1) / kWord * kWord,
         "the arguments of a kernel in the binary do not fit");
}

void checkSizes(const KernelInfo& kernel, const GroupLimits& limits) {
  const auto& required = kernel.requiredLocalSize;
  const auto zeros = std::count(std::begin(required), std::end(required), 0);
  expect(zeros == 0 || zeros == 3, "a kernel in the binary requires an impossible work-group size");
  const auto& largest = kernel.largestLocalSize;
  const auto unlimited = std::count(std::begin(largest), std::end(largest), 0);
  expect((unlimited == 0 || unlimited == 3) && kernel.mostDimensions <= 3,
         "a kernel in the binary limits its launches to impossible ones");
  expect(std::has_single_bit(limits.subGroupSize) && limits.subGroupSize <= kMostLanes &&
             (kernel.requiredSubGroupSize == 0 || std::find(std::begin(kSubGroupSizes), std::end(kSubGroupSizes),
                                                            kernel.requiredSubGroupSize) != std::end(kSubGroupSizes)),
         "a kernel in the binary has an impossible sub-group size");
  expect(static_cast<std::size_t>(std::popcount(limits.wantedValues)) <= kMostWantedValues,
         "a kernel in the binary wants the values of more arguments than are asked for");
  expect(limits.localBytes <= kMostBytes && limits.privateBytes <= kMostBytes,
         "a kernel in the binary wants more memory than there can be");
}

void checkRoles(const BuildResult& result) {
  std::size_t initialisers = 0, cleanUps = 0;
  for (const BuiltKernel& kernel : result.kernels) {
    const KernelRole role = kernel.info.role;
    expect((role == KernelRole::Block) == (kernel.info.blockNumber != 0), "a block in the binary has no number");
    const bool isOfProgram = role == KernelRole::Initialiser || role == KernelRole::CleanUp;
    expect(!isOfProgram || kernel.info.args.empty(), "what initialises the binary's program has arguments");
    initialisers += static_cast<std::size_t>(role == KernelRole::Initialiser);
    cleanUps += static_cast<std::size_t>(role == KernelRole::CleanUp);
  }
  expect(initialisers <= 1 && cleanUps <= 1, "the binary's program is initialised twice");
}

} // namespace

void checkBinaryResult(const BuildResult& result) {
  expect(result.status == BuildStatus::Success && result.globalVariableBytes <= kMostBytes,
         "the binary is not of a successful build");
  std::unordered_set<std::string_view> names;
  for (const BuiltKernel& kernel : result.kernels) {
    expect(!kernel.info.name.empty() && names.insert(kernel.info.name).second,
           "the binary has two kernels of one name");
    checkArguments(kernel.info);
    checkSizes(kernel.info, kernel.limits);
    expect(areSound(kernel.footprint.partArguments), "a kernel in the binary has impossible part arguments");
  }
  checkRoles(result);
  constexpr std::uint32_t kMostPrinted = 1 << 12;
  for (const PrintfFormat& format : result.printfFormats)
    expect(std::all_of(format.argSizes.begin(), format.argSizes.end(),
                       [](std::uint32_t size) { return size >= 1 && size <= kMostPrinted; }),
           "a format of printf in the binary has impossible arguments");
}

} // namespace clotho
