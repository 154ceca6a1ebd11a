// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/width_search.hpp"

#include "base/log.hpp"

#include <algorithm>
#include <cmath>

namespace clotho {

namespace {

std::uint32_t widthOf(const DeviceKernel& code) { return code.limits().subGroupSize; }

/// One bit of a number that looks random, so that no pattern of an application's launches goes with it.
bool isHeads(std::uint32_t number) {
  number = (number + 0x9e3779b9U) * 0x85ebca6bU;
  return ((number ^ number >> 15) * 0xc2b2ae35U >> 31) != 0;
}

} // namespace

WidthSearch::~WidthSearch() {
  MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) == State::Trying)
    best_.load(std::memory_order_relaxed)->endMeasuring(this);
}

void WidthSearch::begin(const DeviceKernel& base) noexcept {
  if (tried_ != nullptr) {
    tried_->endMeasuring(this);
    best_.load(std::memory_order_relaxed)->endMeasuring(this);
    tried_ = nullptr;
  }
  ++number_; // what is being built is not for this base
  scalarFirst_ = base.limits().leansToScalar && widthOf(base) > 1;
  way_ = scalarFirst_ ? Way::Scalar : Way::Up;
  hasWon_ = false;
  refusals_ = 0;
  pause_ = kFirstTime;
  before_ = base.spent();
  launches_.store(0, std::memory_order_relaxed);
  best_.store(&base, std::memory_order_relaxed);
  waitForNext();
  base_.store(&base, std::memory_order_release);
}

const DeviceKernel& WidthSearch::code(const DeviceKernel& base, bool mayTry) noexcept {
  if (base_.load(std::memory_order_acquire) != &base) {
    MutexLock lock(mutex_);
    if (base_.load(std::memory_order_relaxed) != &base) begin(base);
  }
  launches_.fetch_add(1, std::memory_order_relaxed);
  if (!mayTry || state_.load(std::memory_order_acquire) != State::Trying) return *best_.load(std::memory_order_acquire);
  MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) == State::Trying) judge();
  const bool isTrying = state_.load(std::memory_order_relaxed) == State::Trying;
  return isTrying && takesTried() ? *tried_ : *best_.load(std::memory_order_relaxed);
}

bool WidthSearch::takesTried() noexcept {
  const std::uint32_t known = tried_->meanCost().samples;
  if (!isHeads(chances_++) || taken_ >= known + (known < kFirstAhead ? kFirstAhead : kAhead)) return false;
  ++taken_;
  return true;
}

std::optional<WidthSearch::Wanted> WidthSearch::wanted(const DeviceKernel& base) noexcept {
  if (state_.load(std::memory_order_relaxed) != State::Waiting || base_.load(std::memory_order_acquire) != &base ||
      best_.load(std::memory_order_acquire)->spent() < nextTime_.load(std::memory_order_relaxed))
    return std::nullopt;
  MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != State::Waiting || base_.load(std::memory_order_relaxed) != &base)
    return std::nullopt;
  const std::uint32_t width = nextWidth();
  if (width == 0) {
    goOn();
    return std::nullopt;
  }
  state_.store(State::Building, std::memory_order_relaxed);
  return Wanted{width, ++number_};
}

void WidthSearch::built(std::uint32_t number, std::shared_ptr<DeviceProgram> program, const DeviceKernel* code,
                        double seconds) noexcept {
  MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != State::Building || number != number_) return;
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  pause_ = std::max(kFirstTime, kTimesBuild * seconds);
  // Code may be narrower than was asked for.
  if (code == nullptr || widthOf(*code) == widthOf(best)) return end(/*wins=*/false);
  try {
    programs_.push_back(std::move(program));
  } catch (const std::exception&) { // out of memory
    return end(/*wins=*/false);
  }
  // The general code may be on trial for launches of another local size.
  if (!best.measure(this)) {
    if (++refusals_ == kMostRefusals) way_ = Way::None;
    return goOn();
  }
  code->measure(this);
  chances_ = taken_ = 0;
  tried_ = code;
  state_.store(State::Trying, std::memory_order_release);
}

void WidthSearch::judge() noexcept {
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  const DeviceKernel::MeanCost before = best.meanCost(), now = tried_->meanCost();
  const std::uint32_t least = std::min(before.samples, now.samples), most = std::max(before.samples, now.samples);
  const double gain = before.logarithm - now.logarithm, error = kErrors * std::sqrt(before.variance + now.variance);
  if ((least >= 1 && gain < -kDisaster) || (least >= 3 && gain < -kLoss)) return end(/*wins=*/false);
  if (least >= kLeastSamples) {
    if (gain > kLeastGain && gain > error) return end(/*wins=*/true);
    if (gain + error < kLeastGain) return end(/*wins=*/false);
  }
  if (least >= kMostSamples || most >= 4 * kMostSamples || chances_ >= kMostLaunches) end(/*wins=*/false);
}

void WidthSearch::end(bool wins) noexcept {
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  if (tried_ != nullptr) {
    best.endMeasuring(this);
    tried_->endMeasuring(this);
    CLOTHO_LOG(Runtime, Info, "kernel '%s': width %u is %s than %u", best.info().name.c_str(), widthOf(*tried_),
               wins ? "faster" : "not faster", widthOf(best));
  }
  if (wins) {
    best_.store(tried_, std::memory_order_release);
    hasWon_ = true;
  } else {
    // What has won in one direction is not left in the other.
    way_ = hasWon_ ? Way::None : after(way_);
  }
  tried_ = nullptr;
  goOn();
}

WidthSearch::Way WidthSearch::after(Way way) const noexcept {
  if (scalarFirst_) return way == Way::Scalar ? Way::Up : way == Way::Up ? Way::Down : Way::None;
  return way == Way::Up ? Way::Scalar : way == Way::Scalar ? Way::Down : Way::None;
}

std::uint32_t WidthSearch::nextWidth() const noexcept {
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  const std::uint32_t width = widthOf(best), launches = std::max(launches_.load(std::memory_order_relaxed), 1U);
  const bool areLong = best.spent() - before_ > kLongLaunch * launches;
  constexpr std::uint32_t kNarrowest = 4; // of vectors
  switch (way_) {
  case Way::Up: return width == 1 ? usualWidth_ : 2 * width <= widest_ ? 2 * width : 0;
  case Way::Scalar: return width > 1 && !areLong ? 1 : 0;
  case Way::Down: return width / 2 >= kNarrowest ? width / 2 : 0;
  case Way::None: break;
  }
  return 0;
}

/// To the next width that there is.
void WidthSearch::goOn() noexcept {
  while (way_ != Way::None && nextWidth() == 0)
    way_ = hasWon_ ? Way::None : after(way_);
  if (way_ == Way::None)
    state_.store(State::Done, std::memory_order_release);
  else
    waitForNext();
}

void WidthSearch::waitForNext() noexcept {
  nextTime_.store(best_.load(std::memory_order_relaxed)->spent() + pause_, std::memory_order_relaxed);
  state_.store(State::Waiting, std::memory_order_release);
}

} // namespace clotho
