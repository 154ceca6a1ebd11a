// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/code_on_demand.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/not_cancelled.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

namespace {

Error lacking() { return {CL_OUT_OF_RESOURCES, "code that the launch needs cannot be built"}; }

} // namespace

const CodeOnDemand::Entry* CodeOnDemand::known(const Wanted& wanted) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.device == &wanted.device && each.built == wanted.built && each.scope == wanted.scope &&
           each.kernel == wanted.kernel;
  });
  return found == entries_.end() ? nullptr : &*found;
}

const DeviceKernel* CodeOnDemand::find(const Wanted& wanted) const {
  MutexLock lock(mutex_);
  const Entry* entry = known(wanted);
  if (entry == nullptr) return nullptr;
  if (entry->code == nullptr) throw lacking();
  return entry->code;
}

void CodeOnDemand::refuse(const Wanted& wanted, std::string_view why, bool isForGood) {
  {
    MutexLock lock(mutex_);
    if (known(wanted) == nullptr) {
      const std::string kernel(wanted.kernel), reason(why);
      CLOTHO_LOG(Runtime, Error, "kernel '%s' cannot be built for a launch: %s", kernel.c_str(), reason.c_str());
      if (isForGood) entries_.push_back({&wanted.device, wanted.built, kernel, wanted.scope, nullptr, nullptr, 0});
    }
  }
  throw lacking();
}

const DeviceKernel& CodeOnDemand::build(const Wanted& wanted, BuildRequest request) {
  const NotCancelled here; // the thread is the application's, and a launch is no place for it to end
  request.kernel = wanted.kernel;
  const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
  if (result->status != BuildStatus::Success) {
    // A later launch may find a compiler process where none could be started.
    refuse(wanted, result->log, /*isForGood=*/result->status != BuildStatus::Unavailable);
  }
  std::string log; // not the log of a build by the application
  std::shared_ptr<DeviceProgram> program = wanted.device.load(result, log);
  const DeviceKernel* code = program->kernel(wanted.kernel);
  const auto described = std::find_if(wanted.built->kernels.begin(), wanted.built->kernels.end(),
                                      [&](const BuiltKernel& each) { return each.info.name == wanted.kernel; });
  // Arguments lie behind the local memory that the kernel was said to have.
  if (code == nullptr || code->limits().localBytes > described->limits.localBytes)
    refuse(wanted, "its code is not what it was said to be", /*isForGood=*/true);
  MutexLock lock(mutex_);
  // Another thread may have been quicker.
  if (const Entry* entry = known(wanted); entry != nullptr && entry->code != nullptr) return *entry->code;
  entries_.push_back({&wanted.device, wanted.built, std::string(wanted.kernel), wanted.scope, std::move(program), code,
                      result->seconds});
  return *code;
}

double CodeOnDemand::secondsOf(const DeviceKernel& code) const {
  MutexLock lock(mutex_);
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.code == &code; });
  return found == entries_.end() ? 0 : found->seconds;
}

} // namespace clotho
