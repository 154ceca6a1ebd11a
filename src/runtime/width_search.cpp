// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/width_search.hpp"

#include "base/log.hpp"

#include <algorithm>

namespace clotho {

namespace {

std::uint32_t widthOf(const DeviceKernel& code) { return code.limits().subGroupSize; }

bool mayNarrow(const DeviceKernel& code) { return !code.limits().mayOnlyWiden; }

} // namespace

void WidthSearch::begin(const DeviceKernel& base) noexcept {
  trial_.end();
  ++number_; // what is being built is not for this base
  scalarFirst_ = base.limits().widthToTry == 1 && widthOf(base) > 1 && mayNarrow(base);
  way_ = scalarFirst_ ? Way::Scalar : Way::Up;
  hasWon_ = false;
  refusals_ = 0;
  pause_ = std::max(kLeastTime, kTimesFirstBuild * expected_.load(std::memory_order_relaxed));
  before_ = base.spent();
  launches_.store(0, std::memory_order_relaxed);
  best_.store(&base, std::memory_order_relaxed);
  waitForNext();
  base_.store(&base, std::memory_order_release);
}

void WidthSearch::stop() noexcept {
  MutexLock lock(mutex_);
  trial_.end();
  ++number_;
  state_.store(State::Waiting, std::memory_order_relaxed);
  base_.store(nullptr, std::memory_order_release);
}

void WidthSearch::settle() noexcept {
  MutexLock lock(mutex_);
  trial_.end();
  ++number_;
  if (base_.load(std::memory_order_relaxed) != nullptr) state_.store(State::Done, std::memory_order_release);
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
  return trial_.isOn() ? trial_.next() : *best_.load(std::memory_order_relaxed);
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
  pause_ = std::max(kLeastTime, kTimesBuild * seconds);
  // Code may be narrower than was asked for.
  if (code == nullptr || widthOf(*code) == widthOf(best) || (widthOf(*code) < widthOf(best) && !mayNarrow(best)))
    return end(/*wins=*/false);
  try {
    programs_.push_back(std::move(program));
  } catch (const std::exception&) { // out of memory
    return end(/*wins=*/false);
  }
  // The general code may be on trial for launches of another local size.
  if (!trial_.begin(best, *code)) {
    if (++refusals_ == kMostRefusals) way_ = Way::None;
    return goOn();
  }
  state_.store(State::Trying, std::memory_order_release);
}

void WidthSearch::judge() noexcept {
  const CodeTrial::Result now = trial_.result();
  if (now.isDisaster()) return end(/*wins=*/false);
  if (now.hasEnough()) {
    if (now.gain > kLeastGain && now.gain > now.error) return end(/*wins=*/true);
    if (now.gain + now.error < kLeastGain) return end(/*wins=*/false);
  }
  if (now.isLong) end(/*wins=*/false);
}

void WidthSearch::end(bool wins) noexcept {
  if (trial_.isOn()) {
    const DeviceKernel &best = *best_.load(std::memory_order_relaxed), &tried = trial_.tried();
    CLOTHO_LOG(Runtime, Info, "kernel '%s': width %u is %s than %u", best.info().name.c_str(), widthOf(tried),
               wins ? "faster" : "not faster", widthOf(best));
    if (wins) best_.store(&tried, std::memory_order_release);
    trial_.end();
  }
  if (wins) {
    hasWon_ = true;
    // Work-items alone say nothing of wide sub-groups, which have not been tried then.
    if (scalarFirst_ && way_ == Way::Scalar) way_ = Way::Up;
  } else {
    // What has won in one direction is not left in the other.
    way_ = hasWon_ ? Way::None : after(way_);
  }
  goOn();
}

WidthSearch::Way WidthSearch::after(Way way) const noexcept {
  if (scalarFirst_) return way == Way::Scalar ? Way::Up : way == Way::Up ? Way::Down : Way::None;
  return way == Way::Up ? Way::Scalar : way == Way::Scalar ? Way::Down : Way::None;
}

std::uint32_t WidthSearch::nextWidth() const noexcept {
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  // Work-items alone that have won stand beside the width that they won over.
  const std::uint32_t width = widthOf(best), tried = std::max(width, widthOf(*base_.load(std::memory_order_relaxed)));
  const std::uint32_t launches = std::max(launches_.load(std::memory_order_relaxed), 1U);
  const bool areLong = best.spent() - before_ > kLongLaunch * launches;
  constexpr std::uint32_t kNarrowest = 4; // of vectors
  switch (way_) {
  case Way::Up:
    if (width == 1 && !scalarFirst_) return best.limits().widthToTry > 1 ? best.limits().widthToTry : usualWidth_;
    return 2 * tried <= widest_ ? 2 * tried : 0;
  case Way::Scalar: return width > 1 && !areLong && mayNarrow(best) ? 1 : 0;
  case Way::Down: return width / 2 >= kNarrowest && mayNarrow(best) ? width / 2 : 0;
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
