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

void WidthSearch::begin(const DeviceKernel& base) noexcept {
  way_ = Way::Up;
  hasWon_ = false;
  best_.store(&base, std::memory_order_relaxed);
  tried_.store(nullptr, std::memory_order_relaxed);
  pause_ = kFirstTime;
  nextTime_.store(base.spent() + pause_, std::memory_order_relaxed);
  state_.store(State::Waiting, std::memory_order_relaxed);
  base_.store(&base, std::memory_order_release);
}

const DeviceKernel& WidthSearch::code(const DeviceKernel& base, bool mayTry) noexcept {
  if (base_.load(std::memory_order_acquire) != &base) {
    MutexLock lock(mutex_);
    if (base_.load(std::memory_order_relaxed) != &base) begin(base);
  }
  const DeviceKernel* best = best_.load(std::memory_order_acquire);
  if (!mayTry || state_.load(std::memory_order_acquire) != State::Trying) return *best;
  const DeviceKernel* tried = tried_.load(std::memory_order_acquire);
  const std::uint32_t number = launches_.fetch_add(1, std::memory_order_relaxed);
  constexpr std::uint32_t kLooks = 8; // launches from one look at the costs to the next
  if (number % kLooks == kLooks - 1) {
    MutexLock lock(mutex_);
    if (state_.load(std::memory_order_relaxed) == State::Trying) judge();
    return *best_.load(std::memory_order_relaxed);
  }
  return tried != nullptr && isHeads(number) ? *tried : *best;
}

std::optional<std::uint32_t> WidthSearch::wanted(const DeviceKernel& base) noexcept {
  if (state_.load(std::memory_order_relaxed) != State::Waiting || base_.load(std::memory_order_acquire) != &base)
    return std::nullopt;
  const DeviceKernel* best = best_.load(std::memory_order_acquire);
  if (best->spent() < nextTime_.load(std::memory_order_relaxed)) return std::nullopt;
  MutexLock lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != State::Waiting || base_.load(std::memory_order_relaxed) != &base)
    return std::nullopt;
  const std::uint32_t width = nextWidth();
  if (width == 0) {
    goOn();
    return std::nullopt;
  }
  buildsFor_ = &base;
  state_.store(State::Building, std::memory_order_relaxed);
  return width;
}

void WidthSearch::built(std::shared_ptr<DeviceProgram> program, const DeviceKernel* code, double seconds) noexcept {
  MutexLock lock(mutex_);
  // The base may have become another meanwhile.
  if (state_.load(std::memory_order_relaxed) != State::Building || base_.load(std::memory_order_relaxed) != buildsFor_)
    return;
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  pause_ = std::max(kFirstTime, kTimesBuild * seconds);
  // Code may be narrower than was asked for.
  if (code == nullptr || widthOf(*code) == widthOf(best)) return end(/*wins=*/false);
  try {
    programs_.push_back(std::move(program));
  } catch (const std::exception&) { // out of memory
    return end(/*wins=*/false);
  }
  best.measure(true);
  code->measure(true);
  launches_.store(0, std::memory_order_relaxed);
  tried_.store(code, std::memory_order_release);
  state_.store(State::Trying, std::memory_order_release);
}

void WidthSearch::judge() noexcept {
  const DeviceKernel &best = *best_.load(std::memory_order_relaxed), &tried = *tried_.load(std::memory_order_relaxed);
  const DeviceKernel::MeanCost before = best.meanCost(), now = tried.meanCost();
  const std::uint32_t least = std::min(before.samples, now.samples), most = std::max(before.samples, now.samples);
  if (least < kLeastSamples) {
    if (launches_.load(std::memory_order_relaxed) > kMostLaunches || most > 2 * kMostSamples) end(/*wins=*/false);
    return;
  }
  const double gain = before.logarithm - now.logarithm, error = kErrors * std::sqrt(before.variance + now.variance);
  if (gain > kLeastGain && gain > error) return end(/*wins=*/true);
  if (gain + error < kLeastGain || least >= kMostSamples) end(/*wins=*/false);
}

void WidthSearch::end(bool wins) noexcept {
  const DeviceKernel& best = *best_.load(std::memory_order_relaxed);
  const DeviceKernel* tried = tried_.load(std::memory_order_relaxed);
  best.measure(false);
  if (tried != nullptr) {
    tried->measure(false);
    CLOTHO_LOG(Runtime, Info, "kernel '%s': width %u is %s than %u", best.info().name.c_str(), widthOf(*tried),
               wins ? "faster" : "not faster", widthOf(best));
  }
  if (wins) {
    best_.store(tried, std::memory_order_release);
    hasWon_ = true;
  } else {
    // What has won in one direction is not left in the other.
    way_ = hasWon_ ? Way::None : after(way_);
  }
  tried_.store(nullptr, std::memory_order_relaxed);
  goOn();
}

WidthSearch::Way WidthSearch::after(Way way) noexcept {
  return way == Way::Up ? Way::Scalar : way == Way::Scalar ? Way::Down : Way::None;
}

std::uint32_t WidthSearch::nextWidth() const noexcept {
  const std::uint32_t width = widthOf(*best_.load(std::memory_order_relaxed));
  constexpr std::uint32_t kNarrowest = 4; // of vectors
  switch (way_) {
  case Way::Up: return width == 1 ? usualWidth_ : 2 * width <= widest_ ? 2 * width : 0;
  case Way::Scalar: return width > 1 ? 1 : 0;
  case Way::Down: return width / 2 >= kNarrowest ? width / 2 : 0;
  case Way::None: break;
  }
  return 0;
}

/// To the next width that there is.
void WidthSearch::goOn() noexcept {
  while (way_ != Way::None && nextWidth() == 0)
    way_ = hasWon_ ? Way::None : after(way_);
  nextTime_.store(best_.load(std::memory_order_relaxed)->spent() + pause_, std::memory_order_relaxed);
  state_.store(way_ == Way::None ? State::Done : State::Waiting, std::memory_order_release);
}

} // namespace clotho
