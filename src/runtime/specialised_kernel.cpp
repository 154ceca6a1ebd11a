// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/specialised_kernel.hpp"

#include "base/log.hpp"
#include "base/not_cancelled.hpp"
#include "base/options.hpp"
#include "command/nd_range.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <chrono>

namespace clotho {

namespace {

constexpr std::uint32_t kWidest = 64;

/// Length in work-items of the rows of work-groups as the code counts them.
std::uint64_t rowOf(const DeviceKernel& code, const CodeVersion::LocalSize& local) {
  NDRange group;
  group.local = {local.size[0], local.size[1], local.size[2]};
  group.global = group.local;
  code.toCode(group, nullptr);
  return group.local[0];
}

} // namespace

CodeScope firstScope() noexcept { return options().specialise == kInBackground ? CodeScope::First : CodeScope::Needed; }

bool wantsValue(const DeviceKernel& code, std::size_t argument) {
  return argument < 64 && (code.limits().wantedValues >> argument & 1) != 0 &&
         code.info().args[argument].kind == ArgKind::Value && code.info().args[argument].size <= sizeof(std::uint64_t);
}

SpecialisedKernel::SpecialisedKernel(Device& device, const DeviceKernel& general, CodeVersion version,
                                     SpecialisedKernel* withoutValues)
    : device_(device), general_(general), version_(std::move(version)),
      hasVersion_(!version_.isForAnyLaunch() || general.limits().lacksFaster),
      hasObjects_(!version_.withoutIntegers().arguments.empty()),
      hasShortRows_(version_.local && rowOf(general, *version_.local) <= kShortRow),
      // Who has versions built before launches wants to see the same each time.
      searchesWidth_(general.limits().mayChangeWidth && options().specialise == kInBackground),
      withoutValues_(withoutValues), spentAtFirst_(general.spent()),
      widths_(device.properties().subGroupSize, kWidest) {}

bool SpecialisedKernel::isFor(const CodeVersion& version) const {
  if (version_ == version) return true;
  return isForOtherValues_.load(std::memory_order_acquire) && version_ == version.withoutIntegers() &&
         std::none_of(forValues_.begin(), forValues_.end(), [&](const auto& each) {
           const SpecialisedKernel* other = each.load(std::memory_order_relaxed);
           return other != nullptr && other->version_ == version;
         });
}

void SpecialisedKernel::addForValues(const SpecialisedKernel& other) noexcept {
  const auto place = std::find(forValues_.begin(), forValues_.end(), nullptr);
  if (place != forValues_.end()) place->store(&other, std::memory_order_relaxed);
}

/// Launches of several values share the code without, so that its time is theirs in proportion to their numbers.
bool SpecialisedKernel::areValuesWorthBuilding() noexcept {
  SpecialisedKernel& shared = *withoutValues_;
  const std::uint32_t all = shared.allOfBase_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (options().specialise >= kAtOnce) return true;
  if (!shared.isDecided()) return false;
  const DeviceKernel& base = without();
  if (base_.exchange(&base, std::memory_order_relaxed) != &base) {
    launchesOfBase_.store(0, std::memory_order_relaxed);
    allBefore_.store(all, std::memory_order_relaxed);
    spentBefore_.store(base.spent(), std::memory_order_relaxed);
    return false;
  }
  const std::uint32_t own = launchesOfBase_.fetch_add(1, std::memory_order_relaxed) + 1;
  const double share = double(own) / std::max(all - allBefore_.load(std::memory_order_relaxed), 1U);
  return own >= kLaunchesWithValues &&
         share * (base.spent() - spentBefore_.load(std::memory_order_relaxed)) >= kTimeWithValues;
}

bool SpecialisedKernel::isFasterWorthBuilding() const noexcept {
  return general_.limits().lacksFaster &&
         general_.spent() - spentAtFirst_ >=
             std::max(kTimesFirstBuild * seconds_.load(std::memory_order_relaxed), kLeastBuild);
}

bool SpecialisedKernel::isWorthBuilding(double items) noexcept {
  if (!hasVersion_ || isAsked_.load(std::memory_order_relaxed)) return false;
  if (knowsValues()) return areValuesWorthBuilding() && !isAsked_.exchange(true, std::memory_order_relaxed);
  const double before = items_.fetch_add(items, std::memory_order_relaxed);
  const std::uint32_t launches = launches_.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool isWorthIt = isFasterWorthBuilding()     ? true
                         : version_.isForAnyLaunch() ? false
                         : hasObjects_               ? before + items >= kItemsWithImages
                         : hasShortRows_ ? before + items >= kItemsOfShortRows
                                         : launches >= kManyLaunches || (before + items >= kItemsWithBarriers &&
                                                                         launches >= kLaunchesWithBarriers);
  if (!isWorthIt && options().specialise < kAtOnce) return false;
  return !isAsked_.exchange(true, std::memory_order_relaxed);
}

void SpecialisedKernel::startTrial(const DeviceKernel& special) noexcept {
  widths_.stop(); // of the general code
  const DeviceKernel& usual = without();
  if (knowsValues()) withoutValues_->widths_.settle();
  MutexLock lock(mutex_);
  // Not where versions are built before launches, or where the general code is on trial for others.
  if (options().specialise == kInBackground && trial_.begin(usual, special))
    isOnTrial_.store(true, std::memory_order_release);
  else
    isTried_.store(true, std::memory_order_relaxed);
}

const DeviceKernel& SpecialisedKernel::ofTrial(bool mayTry) noexcept {
  MutexLock lock(mutex_);
  if (!trial_.isOn() || !mayTry) return ofUsualWidth();
  const CodeTrial::Result now = trial_.result();
  const bool isUnknown = now.isLong && now.least == 0;
  const bool loses =
      now.isDisaster() || isUnknown || (now.hasEnough() && now.gain < -kLeastLoss && now.gain < -now.error);
  // Versions are seldom slower, so that few launches are enough for them.
  const bool wins = now.isTriumph() || now.isLong || (now.hasEnough() && now.gain + kLeastLoss > now.error);
  if (!loses && !wins) return trial_.next();
  if (loses) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s': a version takes longer than the code without it, which is run again",
               general_.info().name.c_str());
    special_.store(nullptr, std::memory_order_release); // launches that run it keep its program, which stays
  }
  trial_.end();
  isTried_.store(true, std::memory_order_relaxed);
  isOnTrial_.store(false, std::memory_order_release);
  return ofUsualWidth();
}

const DeviceKernel* SpecialisedKernel::load(const BuildRequest& request, std::shared_ptr<DeviceProgram>& program) {
  const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
  if (result->status != BuildStatus::Success) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s' stays as it is: %s", request.kernel.c_str(), result->log.c_str());
    return nullptr;
  }
  program = device_.load(result);
  const DeviceKernel* code = program->kernel(request.kernel);
  // Arguments lie behind the local memory of the code that was built at first.
  return code != nullptr && code->limits().localBytes <= general_.limits().localBytes ? code : nullptr;
}

void SpecialisedKernel::build(const BuildRequest& like) noexcept {
  const NotCancelled here; // it may be a thread of the application's that enqueues, which has no such thing
  try {
    BuildRequest request = like;
    request.kernel = general_.info().name;
    request.version = version_;
    std::shared_ptr<DeviceProgram> program;
    if (const DeviceKernel* special = load(request, program)) {
      program_ = std::move(program);
      special_.store(special, std::memory_order_release);
      startTrial(*special);
      return;
    }
  } catch (const Error& error) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s' stays as it is: %s", general_.info().name.c_str(), error.why);
  } catch (const std::exception&) {
    // Out of memory.
  }
  isTried_.store(true, std::memory_order_relaxed);
}

void SpecialisedKernel::buildWidth(const BuildRequest& like, WidthSearch::Wanted wanted) noexcept {
  const NotCancelled here;
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<DeviceProgram> program;
  const DeviceKernel* code = nullptr;
  try {
    BuildRequest request = like;
    request.kernel = general_.info().name;
    if (special_.load(std::memory_order_acquire) != nullptr) request.version = version_;
    request.version.width = wanted.width;
    code = load(request, program);
  } catch (const Error& error) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s' keeps its width: %s", general_.info().name.c_str(), error.why);
  } catch (const std::exception&) {
    // Out of memory.
  }
  widths_.built(wanted.number, std::move(program), code,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

} // namespace clotho
