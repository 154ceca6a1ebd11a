// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/specialised_kernel.hpp"

#include "base/error.hpp"
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
                                     SpecialisedKernel* withoutValues, const TunedCode* known)
    : device_(device), general_(general), version_(std::move(version)),
      mayHaveVersion_(!version_.isForAnyLaunch() || general.limits().lacksFaster),
      hasObjects_(!version_.withoutIntegers().arguments.empty()),
      hasShortRows_(version_.local && rowOf(general, *version_.local) <= kShortRow),
      // Who has versions built before launches wants to see the same each time.
      searchesWidth_(general.limits().mayChangeWidth && options().specialise == kInBackground),
      withoutValues_(withoutValues), spentAtFirst_(general.spent()),
      widths_(device.properties().subGroupSize, kWidest) {
  MutexLock lock(mutex_); // for its annotations
  found_.kernel = general.info().name;
  found_.version = version_;
  if (known == nullptr) return;
  found_ = *known;
  const bool isAdopted = mayHaveVersion_ && known->verdict == TunedCode::Verdict::Adopted;
  isAsked_ = true;
  if (isAdopted || known->width != 0)
    wantsRecall_ = true;
  else if (mayHaveVersion_ && known->verdict == TunedCode::Verdict::Open)
    isAsked_ = false;
  else
    isTried_ = true; // or there is nothing to try but widths
  if (!isTried_) return;
  if (known->isWidthKnown && withoutValues_ == nullptr) settled_ = &general_;
  if (!mayHaveVersion_) return;
  CLOTHO_LOG(Runtime, Info, "kernel '%s': version '%s' is not run, as earlier processes have found best",
             found_.kernel.c_str(), version_.text().c_str());
}

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
  const LoadedCode base = without();
  if (base_.exchange(base.kernel, std::memory_order_relaxed) != base.kernel) {
    launchesOfBase_.store(0, std::memory_order_relaxed);
    allBefore_.store(all, std::memory_order_relaxed);
    spentBefore_.store(base.kernel->spent(), std::memory_order_relaxed);
    return false;
  }
  const std::uint32_t own = launchesOfBase_.fetch_add(1, std::memory_order_relaxed) + 1;
  const double share = double(own) / std::max(all - allBefore_.load(std::memory_order_relaxed), 1U);
  return own >= kLaunchesWithValues &&
         share * (base.kernel->spent() - spentBefore_.load(std::memory_order_relaxed)) >= kTimeWithValues;
}

bool SpecialisedKernel::isFasterWorthBuilding() const noexcept {
  return general_.limits().lacksFaster &&
         general_.spent() - spentAtFirst_ >=
             std::max(kTimesFirstBuild * seconds_.load(std::memory_order_relaxed), kLeastBuild);
}

bool SpecialisedKernel::isWorthBuilding(double items) noexcept {
  if (!mayHaveVersion_ || isAsked_.load(std::memory_order_relaxed)) return false;
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

LoadedCode SpecialisedKernel::code(bool mayTry) noexcept {
  if (SpecialisedKernel& other = acting(); &other != this) return other.code(mayTry);
  if (const DeviceKernel* only = settled()) return {only};
  MutexLock lock(mutex_);
  if (trial_.isOn() && mayTry) judgeTrial();
  if (settledCode_) return settledCode_; // meanwhile
  if (trial_.isOn()) return !mayTry || &trial_.next() == special_.kernel ? special_ : usual_;
  LoadedCode base = ofUsualWidth();
  const bool mayBeLast = isFinal() && (knowsValues() ? static_cast<bool>(special_) : true);
  if (!searchesWidth_ || !isDecided()) {
    if (!searchesWidth_ && mayBeLast) settle(base);
    return base;
  }
  LoadedCode code = widths_.code(base, mayTry);
  if (!mayBeLast) return code;
  if (widths_.winner() != found_.width) {
    found_.width = widths_.winner();
    found_.widthFigures = widths_.figures();
    hasNews_.store(true, std::memory_order_relaxed);
  }
  if (widths_.isDone()) settle(code);
  return code;
}

/// Nothing but this code is needed from now on.
void SpecialisedKernel::settle(LoadedCode code) noexcept {
  found_.isWidthKnown = true;
  if (found_.verdict != TunedCode::Verdict::Open || searchesWidth_) hasNews_.store(true, std::memory_order_relaxed);
  special_ = usual_ = {};
  widths_.stop();
  settledCode_ = std::move(code);
  settled_.store(settledCode_.kernel, std::memory_order_release);
}

void SpecialisedKernel::settleWidths() noexcept {
  MutexLock lock(mutex_);
  widths_.settle();
}

void SpecialisedKernel::install(LoadedCode special) noexcept {
  MutexLock lock(mutex_);
  widths_.stop(); // of the general code
  const LoadedCode usual = without();
  special_ = std::move(special);
  hasVersion_.store(true, std::memory_order_release);
  if (knowsValues()) withoutValues_->settleWidths();
  // Not where versions are built before launches, or where the general code is on trial for others.
  if (options().specialise == kInBackground && trial_.begin(*usual.kernel, *special_.kernel)) {
    usual_ = usual;
    CLOTHO_LOG(Runtime, Info, "kernel '%s': version '%s' is on trial", found_.kernel.c_str(), version_.text().c_str());
  } else {
    isTried_.store(true, std::memory_order_relaxed);
  }
}

void SpecialisedKernel::judgeTrial() noexcept {
  const CodeTrial::Result now = trial_.result();
  const bool isUnknown = now.isLong && now.least == 0;
  const bool loses =
      now.isDisaster() || isUnknown || (now.hasEnough() && now.gain < -kLeastLoss && now.gain < -now.error);
  // Versions are seldom slower, so that few launches are enough for them.
  const bool wins = now.isTriumph() || now.isLong || (now.hasEnough() && now.gain + kLeastLoss > now.error);
  if (!loses && !wins) return;
  found_.verdict = loses ? TunedCode::Verdict::Dropped : TunedCode::Verdict::Adopted;
  found_.figures = now.figures();
  CLOTHO_LOG(Runtime, Info, "kernel '%s': version '%s': %s: %s", found_.kernel.c_str(), version_.text().c_str(),
             found_.figures.text().c_str(), loses ? "dropped" : "adopted");
  trial_.end();
  usual_ = {};
  if (loses) {
    special_ = {}; // launches that run it keep it
    hasVersion_.store(false, std::memory_order_release);
  }
  isTried_.store(true, std::memory_order_relaxed);
  hasNews_.store(true, std::memory_order_relaxed);
}

LoadedCode SpecialisedKernel::load(const BuildRequest& like, const CodeVersion& version) {
  const GroupLimits& limits = general_.limits();
  const bool keepsWidth = !limits.mayChangeWidth && !limits.usesSubGroups; // sub-groups have a size of their own
  BuildRequest request = like;
  request.kernel = general_.info().name;
  request.version = keepsWidth ? version.withWidth(limits.subGroupSize) : version;
  const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
  if (result->status != BuildStatus::Success) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s': version '%s' cannot be built: %s", request.kernel.c_str(),
               version.text().c_str(), result->log.c_str());
    return {};
  }
  std::shared_ptr<DeviceProgram> program = device_.load(result);
  const DeviceKernel* code = program->kernel(request.kernel);
  // Arguments lie behind the local memory of the code that was built at first.
  if (code == nullptr || code->limits().localBytes > limits.localBytes) return {};
  // Rows may be too short for the width.
  if (keepsWidth && code->limits().subGroupSize != limits.subGroupSize) return {};
  return {code, std::move(program)};
}

void SpecialisedKernel::build(const BuildRequest& like) noexcept {
  const NotCancelled here; // it may be a thread of the application's that enqueues, which has no such thing
  try {
    if (LoadedCode special = load(like, version_)) return install(std::move(special));
  } catch (const Error& error) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s' stays as it is: %s", general_.info().name.c_str(), error.why);
  } catch (const std::exception&) {
    // Out of memory.
  }
  isTried_.store(true, std::memory_order_relaxed);
}

void SpecialisedKernel::recall(const BuildRequest& like) noexcept {
  const NotCancelled here;
  TunedCode known;
  {
    MutexLock lock(mutex_);
    known = found_;
  }
  const bool isAdopted = mayHaveVersion_ && known.verdict == TunedCode::Verdict::Adopted;
  const CodeVersion wanted = (isAdopted ? version_ : CodeVersion()).withWidth(known.width);
  LoadedCode code;
  try {
    code = load(like, wanted);
  } catch (const std::exception&) {
    // Out of memory.
  } catch (const Error&) {
    // As if nothing were known.
  }
  // Records come from files; what they say of widths is no more than a proposal.
  const GroupLimits& limits = general_.limits();
  const bool mayHaveWidth =
      known.width == 0 ||
      (searchesWidth_ && code && (!limits.mayOnlyWiden || code.kernel->limits().subGroupSize >= limits.subGroupSize));
  MutexLock lock(mutex_);
  if (!code || !mayHaveWidth) {
    found_ = {};
    found_.kernel = general_.info().name;
    found_.version = version_;
    isAsked_.store(false, std::memory_order_relaxed);
    return;
  }
  CLOTHO_LOG(Runtime, Info, "kernel '%s': version '%s' is run, as earlier processes have found best",
             found_.kernel.c_str(), wanted.text().c_str());
  if (isAdopted) hasVersion_.store(true, std::memory_order_release);
  isTried_.store(true, std::memory_order_relaxed);
  if (known.isSettled()) {
    settle(code);
    hasNews_.store(false, std::memory_order_relaxed);
  } else {
    special_ = std::move(code);
  }
}

std::optional<WidthSearch::Wanted> SpecialisedKernel::wantedWidth() noexcept {
  if (!searchesWidth_ || !isDecided() || settled() != nullptr) return std::nullopt;
  MutexLock lock(mutex_);
  return settledCode_ ? std::nullopt : widths_.wanted(ofUsualWidth());
}

void SpecialisedKernel::buildWidth(const BuildRequest& like, WidthSearch::Wanted wanted) noexcept {
  const NotCancelled here;
  const auto begin = std::chrono::steady_clock::now();
  LoadedCode code;
  try {
    const bool isOfVersion = hasVersion_.load(std::memory_order_acquire);
    code = load(like, (isOfVersion ? version_ : CodeVersion()).withWidth(wanted.width));
  } catch (const Error& error) {
    CLOTHO_LOG(Runtime, Info, "kernel '%s' keeps its width: %s", general_.info().name.c_str(), error.why);
  } catch (const std::exception&) {
    // Out of memory.
  }
  MutexLock lock(mutex_);
  widths_.built(wanted.number, std::move(code),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

void SpecialisedKernel::forgoWidth(WidthSearch::Wanted wanted) noexcept {
  MutexLock lock(mutex_);
  widths_.built(wanted.number, {}, 0);
}

void SpecialisedKernel::expect(double seconds) noexcept {
  seconds_.store(seconds, std::memory_order_relaxed);
  {
    MutexLock lock(mutex_);
    widths_.expect(seconds);
  }
  if (withoutValues_ != nullptr) withoutValues_->expect(seconds);
}

std::optional<TunedCode> SpecialisedKernel::takeNews() {
  if (!hasNews_.load(std::memory_order_relaxed)) return std::nullopt;
  MutexLock lock(mutex_);
  if (!hasNews_.exchange(false, std::memory_order_relaxed)) return std::nullopt;
  return found_;
}

} // namespace clotho
