// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/cluster_program.hpp"

#include "base/opencl_version.hpp"
#include "command/nd_range.hpp"
#include "compiler/portable_build.hpp"
#include "device/arg_block.hpp"
#include "device/cluster/session.hpp"

#include <algorithm>
#include <xxhash.h>

namespace clotho::cluster {

namespace {

/// The kernel with what the node says of its code. Throws CL_OUT_OF_RESOURCES if that is impossible.
std::unique_ptr<const BuiltKernel> asCoded(const BuiltKernel& kernel, const KernelCode& code) {
  check(code.limits.subGroupSize != 0, CL_OUT_OF_RESOURCES, "the node's code has sub-groups without items");
  check(areSound(code.footprint.partArguments), CL_OUT_OF_RESOURCES, "the node's code has impossible part arguments");
  auto result = std::make_unique<BuiltKernel>(kernel);
  result->footprint = code.footprint;
  result->limits = code.limits;
  result->limits.hasOneCode = true; // the versions are the node's
  result->limits.mayChangeWidth = result->limits.wantsLocalSize = result->limits.lacksFaster = false;
  result->limits.rows = {};
  result->limits.wantedValues = 0;
  return result;
}

} // namespace

ClusterKernel::ClusterKernel(std::unique_ptr<const BuiltKernel> built, std::uint64_t mostItems, std::uint32_t index,
                             ClusterProgram& program)
    : DeviceKernel(*built), owned_(std::move(built)), mostItems_(mostItems), index_(index),
      blockBytes_(argBlockOf(info(), footprint().partArguments.size()).bytes), program_(program) {}

std::uint64_t ClusterKernel::program() const { return program_.name(); }

void ClusterKernel::chooseLocalSize(NDRange& range, const DeviceProperties&) const noexcept {
  range.local = {1, 1, 1};
  if (program_.session().isLost()) return;
  {
    MutexLock lock(mutex_);
    const auto known = std::ranges::find(localSizes_, range.global, &std::pair<Sizes, Sizes>::first);
    if (known != localSizes_.end()) {
      range.local = known->second;
      return;
    }
  }
  ChooseLocalSize question{.program = program_.name(), .kernel = index_, .dimensions = range.dimensions};
  std::ranges::copy(range.global, question.global);
  Sizes local{};
  const bool isAnswered = program_.session().askLocalSize(question, local);
  std::uint64_t items = 1;
  const bool isUsable = isAnswered && std::ranges::all_of(local, [&](std::uint64_t size) {
                          return size != 0 && !__builtin_mul_overflow(items, size, &items) && items <= mostItems_;
                        });
  if (!isUsable) return;
  range.local = local;
  try {
    MutexLock lock(mutex_);
    if (localSizes_.size() < kMostKnown) localSizes_.emplace_back(range.global, local);
  } catch (const std::bad_alloc&) {
    // The next launch asks again.
  }
}

ClusterProgram::ClusterProgram(Session& session, std::shared_ptr<const BuildResult> built, const Claims& claims,
                               std::string& log)
    : session_(session), built_(std::move(built)), name_(session.nextName()) {
  if (built_->kernels.empty()) return;
  const std::optional<PortableBuild> left = PortableBuild::decode(built_->kernels.front().facts);
  check(left.has_value(), CL_INVALID_BINARY, "the program was built for devices of another kind");
  const XXH128_hash_t hash = XXH3_128bits(built_->portable.data(), built_->portable.size());
  const BuildProgram question{.program = name_,
                              .key = {hash.low64, hash.high64},
                              .kind = left->kind,
                              .options = left->options,
                              .makesParts = left->makesParts,
                              .openclVersion = macroOf(chosenOpenClVersion()),
                              .claims = claims};
  std::string why;
  const std::optional<ProgramBuilt> answer = session_.build(question, built_->portable, why);
  check(answer.has_value(), CL_OUT_OF_RESOURCES, "the node does not build: it is lost");
  log += answer->log;
  check(answer->state == ProgramBuilt::State::Done, CL_OUT_OF_RESOURCES, "the node cannot make code of the program");
  takeKernels(answer->kernels);
}

void ClusterProgram::takeKernels(const std::vector<KernelCode>& codes) {
  for (const BuiltKernel& kernel : built_->kernels) {
    const auto code = std::ranges::find(codes, kernel.info.name, &KernelCode::name);
    if (code == codes.end()) continue;
    kernels_.push_back(std::make_unique<ClusterKernel>(asCoded(kernel, *code),
                                                       std::max<std::uint64_t>(code->mostItems, 1),
                                                       static_cast<std::uint32_t>(code - codes.begin()), *this));
  }
}

ClusterProgram::~ClusterProgram() { static_cast<void>(session_.tell(DropProgram{name_})); }

const DeviceKernel* ClusterProgram::kernel(std::string_view name) const noexcept {
  for (const auto& kernel : kernels_)
    if (kernel->info().name == name) return kernel.get();
  return nullptr;
}

} // namespace clotho::cluster
