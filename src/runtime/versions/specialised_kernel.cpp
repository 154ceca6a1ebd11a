// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/specialised_kernel.hpp"

#include "base/error.hpp"
#include "base/not_cancelled.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/news.hpp"
#include "runtime/versions/specialise_option.hpp"

#include <algorithm>
#include <chrono>

namespace clotho {

namespace {

constexpr std::uint32_t kWidest = 64;

} // namespace

SpecialisedKernel::SpecialisedKernel(Device& device, const DeviceKernel& general, CodeVersion version,
                                     SpecialisedKernel* withoutValues, const TunedCode* known)
    : device_(device), general_(general), version_(std::move(version)),
      mayHaveVersion_(!version_.isForAnyLaunch() || general.limits().lacksFaster),
      // With versions built before launches, launches run the same code each time.
      searchesWidth_(general.limits().mayChangeWidth && options().specialise == kInBackground),
      withoutValues_(withoutValues), demand_(general, version_, device.target().kind),
      widths_(device.properties().subGroupSize, kWidest) {
  MutexLock lock(mutex_); // for its annotations
  found_.kernel = general.info().name;
  found_.version = version_;
  if (known == nullptr) return;
  found_ = *known;
  if (mayHaveVersion_ && known->verdict == TunedCode::Verdict::Open && known->width == 0) return;
  if ((mayHaveVersion_ && known->verdict == TunedCode::Verdict::Adopted) || known->width != 0) {
    phase_ = Phase::Asked;
    wantsRecall_ = true;
    return;
  }
  phase_ = Phase::Decided; // without a version; only widths may be left to try
  if (known->isWidthKnown && !knowsValues()) settled_ = &general_;
  if (!mayHaveVersion_) return;
  CLOTHO_NEWS("kernel '%s': version '%s' is not run, as earlier processes have found best", found_.kernel.c_str(),
              version_.text().c_str());
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

bool SpecialisedKernel::isWorthBuilding(double items) noexcept {
  if (!mayHaveVersion_ || phase() != Phase::Open) return false;
  bool isWorthIt = false;
  if (knowsValues()) {
    const LoadedCode base = withoutValues_->isDecided() ? without() : LoadedCode();
    isWorthIt = demand_.addLaunch(withoutValues_->demand_, base.kernel);
  } else {
    isWorthIt = demand_.addLaunch(items);
  }
  Phase open = Phase::Open;
  return (isWorthIt || options().specialise >= kAtOnce) &&
         phase_.compare_exchange_strong(open, Phase::Asked, std::memory_order_relaxed);
}

LoadedCode SpecialisedKernel::code(bool mayTry) noexcept {
  if (SpecialisedKernel& other = acting(); &other != this) return other.code(mayTry);
  if (const DeviceKernel* only = settled()) return {only};
  MutexLock lock(mutex_);
  if (trial_.isOn() && mayTry) judgeTrial();
  if (settledCode_) return settledCode_; // meanwhile
  if (trial_.isOn()) return !mayTry || &trial_.next() == special_.kernel ? special_ : usual_;
  LoadedCode base = ofUsualWidth();
  const bool mayBeLast = isFinal() && (!knowsValues() || special_);
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
    CLOTHO_NEWS("kernel '%s': version '%s' is on trial", found_.kernel.c_str(), version_.text().c_str());
  } else {
    phase_.store(Phase::Decided, std::memory_order_relaxed);
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
  CLOTHO_NEWS("kernel '%s': version '%s': %s: %s", found_.kernel.c_str(), version_.text().c_str(),
              found_.figures.text().c_str(), loses ? "dropped" : "adopted");
  trial_.end();
  usual_ = {};
  if (loses) {
    special_ = {}; // launches that run it keep it
    hasVersion_.store(false, std::memory_order_release);
  }
  phase_.store(Phase::Decided, std::memory_order_relaxed);
  hasNews_.store(true, std::memory_order_relaxed);
}

LoadedCode SpecialisedKernel::load(const BuildRequest& like, const CodeVersion& version, std::uint32_t width) noexcept {
  const NotCancelled here; // it may be a thread of the application's that enqueues, which has no such thing
  try {
    return loadOrThrow(like, version.withWidth(width));
  } catch (const Error& error) {
    CLOTHO_NEWS("kernel '%s' stays as it is: %s", general_.info().name.c_str(), error.why);
  } catch (const std::exception&) {
    // Out of memory.
  }
  return {};
}

LoadedCode SpecialisedKernel::loadOrThrow(const BuildRequest& like, const CodeVersion& version) {
  const GroupLimits& limits = general_.limits();
  const bool keepsWidth = !limits.mayChangeWidth && !limits.usesSubGroups; // sub-groups have a size of their own
  BuildRequest request = like;
  request.kernel = general_.info().name;
  request.version = keepsWidth ? version.withWidth(limits.subGroupSize) : version;
  const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
  if (result->status != BuildStatus::Success) {
    CLOTHO_NEWS("kernel '%s': version '%s' cannot be built: %s", request.kernel.c_str(), version.text().c_str(),
                result->log.c_str());
    return {};
  }
  std::string log; // not the log of a build by the application
  std::shared_ptr<DeviceProgram> program = device_.load(result, log);
  const DeviceKernel* code = program->kernel(request.kernel);
  // Arguments lie behind the local memory of the code that was built at first.
  if (code == nullptr || code->limits().localBytes > limits.localBytes) return {};
  // Rows may be too short for the width.
  if (keepsWidth && code->limits().subGroupSize != limits.subGroupSize) return {};
  return {code, std::move(program)};
}

void SpecialisedKernel::build(const BuildRequest& like) noexcept {
  if (LoadedCode special = load(like, version_, 0))
    install(std::move(special));
  else
    forgo();
}

void SpecialisedKernel::recall(const BuildRequest& like) noexcept {
  bool isAdopted, isSettled;
  std::uint32_t width;
  {
    MutexLock lock(mutex_);
    isAdopted = mayHaveVersion_ && found_.verdict == TunedCode::Verdict::Adopted;
    isSettled = found_.isSettled();
    width = found_.width;
  }
  const CodeVersion general;
  const CodeVersion& version = isAdopted ? version_ : general;
  LoadedCode code = load(like, version, width);
  // Records come from files; what they say of widths is no more than a proposal.
  const GroupLimits& limits = general_.limits();
  const bool mayHaveWidth =
      width == 0 ||
      (searchesWidth_ && code && (!limits.mayOnlyWiden || code.kernel->limits().subGroupSize >= limits.subGroupSize));
  MutexLock lock(mutex_);
  if (!code || !mayHaveWidth) { // all is tried, as if nothing were known
    found_.verdict = TunedCode::Verdict::Open;
    found_.width = 0;
    found_.isWidthKnown = false;
    found_.figures = found_.widthFigures = {};
    phase_.store(Phase::Open, std::memory_order_relaxed);
    return;
  }
  CLOTHO_NEWS("kernel '%s': version '%s' is run, as earlier processes have found best", found_.kernel.c_str(),
              version.withWidth(width).text().c_str());
  if (isAdopted) hasVersion_.store(true, std::memory_order_release);
  phase_.store(Phase::Decided, std::memory_order_relaxed);
  if (isSettled) {
    settle(std::move(code));
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
  const auto begin = std::chrono::steady_clock::now();
  const CodeVersion general;
  LoadedCode code = load(like, hasVersion_.load(std::memory_order_acquire) ? version_ : general, wanted.width);
  MutexLock lock(mutex_);
  widths_.built(wanted.number, std::move(code),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

void SpecialisedKernel::forgoWidth(WidthSearch::Wanted wanted) noexcept {
  MutexLock lock(mutex_);
  widths_.built(wanted.number, {}, 0);
}

void SpecialisedKernel::expect(double seconds) noexcept {
  demand_.expect(seconds);
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
