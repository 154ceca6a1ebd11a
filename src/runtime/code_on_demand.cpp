// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/code_on_demand.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/not_cancelled.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

const DeviceKernel* CodeOnDemand::known(const Wanted& wanted) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.device == &wanted.device && each.built == wanted.built && each.scope == wanted.scope &&
           each.code->info().name == wanted.kernel;
  });
  return found == entries_.end() ? nullptr : found->code;
}

const DeviceKernel* CodeOnDemand::find(const Wanted& wanted) const {
  MutexLock lock(mutex_);
  return known(wanted);
}

const DeviceKernel& CodeOnDemand::build(const Wanted& wanted, BuildRequest request) {
  const NotCancelled here; // the thread is the application's, and a launch is no place for it to end
  request.kernel = wanted.kernel;
  const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
  if (result->status != BuildStatus::Success) {
    CLOTHO_LOG(Runtime, Error, "kernel '%s' cannot be built for a launch: %s", request.kernel.c_str(),
               result->log.c_str());
    throw Error{CL_OUT_OF_RESOURCES, "code that the launch needs cannot be built"};
  }
  std::shared_ptr<DeviceProgram> program = wanted.device.load(result);
  const DeviceKernel* code = program->kernel(wanted.kernel);
  const auto described = std::find_if(wanted.built->kernels.begin(), wanted.built->kernels.end(),
                                      [&](const BuiltKernel& each) { return each.info.name == wanted.kernel; });
  // Arguments lie behind the local memory that the kernel was said to have.
  check(code != nullptr && code->limits().localBytes <= described->limits.localBytes, CL_OUT_OF_RESOURCES,
        "the kernel's code is not what it was said to be");
  MutexLock lock(mutex_);
  if (const DeviceKernel* quicker = known(wanted)) return *quicker; // another thread's
  entries_.push_back({&wanted.device, wanted.built, wanted.scope, std::move(program), code, result->seconds});
  return *code;
}

double CodeOnDemand::secondsOf(const DeviceKernel& code) const {
  MutexLock lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.code == &code; });
  return found == entries_.end() ? 0 : found->seconds;
}

} // namespace clotho
