// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/programs.hpp"

#include "base/error.hpp"
#include "device/arg_block.hpp"

#include <algorithm>
#include <xxhash.h>

namespace clotho::node {

namespace {

using cluster::BuildProgram;
using cluster::ProgramBuilt;

bool hasKey(const std::string& module, const std::uint64_t (&key)[2]) {
  const XXH128_hash_t hash = XXH3_128bits(module.data(), module.size());
  return hash.low64 == key[0] && hash.high64 == key[1];
}

} // namespace

std::shared_ptr<const std::string> Programs::moduleOf(const BuildProgram& question) {
  MutexLock lock(mutex_);
  const auto isIt = [&](const Module& module) { return std::ranges::equal(module.key, question.key); };
  if (const auto known = std::ranges::find_if(modules_, isIt); known != modules_.end()) return known->bytes;
  if (!question.hasModule || !hasKey(question.module, question.key)) return nullptr;
  auto bytes = std::make_shared<const std::string>(question.module);
  modules_.push_front({{question.key[0], question.key[1]}, bytes});
  moduleBytes_ += bytes->size();
  while (moduleBytes_ > kMostModuleBytes && modules_.size() > 1) {
    moduleBytes_ -= modules_.back().bytes->size();
    modules_.pop_back();
  }
  return bytes;
}

ProgramBuilt Programs::build(Device& device, const BuildProgram& question, Program& program) {
  ProgramBuilt answer;
  const std::shared_ptr<const std::string> module = moduleOf(question);
  if (!module) {
    answer.state = question.hasModule ? ProgramBuilt::State::Failed : ProgramBuilt::State::NoModule;
    answer.log = question.hasModule ? "the module is not the one that was announced\n" : "";
    return answer;
  }
  BuildRequest request;
  request.kind = question.kind == BuildKind::Link ? BuildKind::Link : BuildKind::Build;
  request.options = question.options;
  request.modules.push_back(*module);
  request.target = device.target();
  // A device that splits launches by itself has its own use for part arguments.
  request.makesParts = question.makesParts && !device.joint();
  request.claims = question.claims;
  request.openclVersion = question.openclVersion;
  program.built = compiler_.build(request);
  answer.log = program.built->log;
  if (program.built->status != BuildStatus::Success) return answer;
  try {
    program.code = device.load(program.built, answer.log);
  } catch (const Error& error) {
    answer.log += std::string(error.why) + '\n';
    return answer;
  }
  const DeviceProperties& properties = device.properties();
  for (const BuiltKernel& kernel : program.built->kernels) {
    const DeviceKernel* code = program.code->kernel(kernel.info.name);
    if (!code) continue;
    program.kernels.push_back({code, argBlockOf(kernel.info, kernel.footprint.partArguments.size())});
    answer.kernels.push_back({kernel.info.name, kernel.limits,
                              code->largestGroup(properties.privateMemorySize, properties.maxWorkGroupSize),
                              kernel.footprint});
  }
  answer.state = ProgramBuilt::State::Done;
  return answer;
}

} // namespace clotho::node
