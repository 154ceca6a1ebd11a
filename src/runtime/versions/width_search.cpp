// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/width_search.hpp"

#include "runtime/versions/news.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

namespace {

std::uint32_t widthOf(const DeviceKernel& code) { return code.limits().subGroupSize; }

bool mayNarrow(const DeviceKernel& code) { return !code.limits().mayOnlyWiden; }

} // namespace

void WidthSearch::begin(const LoadedCode& base) noexcept {
  trial_.end();
  ++number_; // what is being built is not for this base
  const DeviceKernel& code = *base.kernel;
  scalarFirst_ = code.limits().widthToTry == 1 && widthOf(code) > 1 && mayNarrow(code);
  way_ = scalarFirst_ ? Way::Scalar : Way::Up;
  hasWon_ = false;
  figures_ = {};
  refusals_ = 0;
  pause_ = std::max(kLeastTime, kTimesFirstBuild * expected_);
  before_ = code.spent();
  launches_ = 0;
  base_ = best_ = base;
  tried_ = {};
  waitForNext();
}

void WidthSearch::stop() noexcept {
  trial_.end();
  ++number_;
  state_ = State::Waiting;
  hasWon_ = false;
  base_ = best_ = tried_ = {};
}

void WidthSearch::settle() noexcept {
  trial_.end();
  ++number_;
  tried_ = {};
  if (base_) state_ = State::Done;
}

LoadedCode WidthSearch::code(const LoadedCode& base, bool mayTry) noexcept {
  if (base_.kernel != base.kernel) begin(base);
  ++launches_;
  if (!mayTry || state_ != State::Trying) return best_;
  judge();
  return trial_.isOn() && &trial_.next() == tried_.kernel ? tried_ : best_;
}

std::optional<WidthSearch::Wanted> WidthSearch::wanted(const LoadedCode& base) noexcept {
  if (state_ != State::Waiting || base_.kernel != base.kernel || !best_ || best_.kernel->spent() < nextTime_)
    return std::nullopt;
  const std::uint32_t width = nextWidth();
  if (width == 0) {
    goOn();
    return std::nullopt;
  }
  state_ = State::Building;
  return Wanted{width, ++number_};
}

void WidthSearch::built(std::uint32_t number, LoadedCode code, double seconds) noexcept {
  if (state_ != State::Building || number != number_) return;
  const DeviceKernel& best = *best_.kernel;
  pause_ = std::max(kLeastTime, kTimesBuild * seconds);
  // Code may be narrower than was asked for.
  if (!code || widthOf(*code.kernel) == widthOf(best) || (widthOf(*code.kernel) < widthOf(best) && !mayNarrow(best)))
    return end(/*wins=*/false);
  // The general code may be on trial for launches of another local size.
  if (!trial_.begin(best, *code.kernel)) {
    if (++refusals_ == kMostRefusals) way_ = Way::None;
    return goOn();
  }
  tried_ = std::move(code);
  state_ = State::Trying;
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
    const TrialFigures figures = trial_.result().figures();
    CLOTHO_NEWS("kernel '%s': version '%s': width %u against %u: %s: %s", best_.kernel->info().name.c_str(),
                base_.kernel->version().withWidth(0).text().c_str(), widthOf(trial_.tried()), widthOf(*best_.kernel),
                figures.text().c_str(), wins ? "adopted" : "dropped");
    trial_.end();
    if (wins) {
      best_ = std::move(tried_);
      figures_ = figures;
    }
    tried_ = {}; // launches that run it keep it
  }
  if (wins) {
    hasWon_ = true;
    // Work-items alone say nothing of wide sub-groups, which have not been tried then.
    if (scalarFirst_ && way_ == Way::Scalar) way_ = Way::Up;
  } else {
    // A width that has won in one direction is not left in the other.
    way_ = hasWon_ ? Way::None : after(way_);
  }
  goOn();
}

WidthSearch::Way WidthSearch::after(Way way) const noexcept {
  if (scalarFirst_) return way == Way::Scalar ? Way::Up : way == Way::Up ? Way::Down : Way::None;
  return way == Way::Up ? Way::Scalar : way == Way::Scalar ? Way::Down : Way::None;
}

std::uint32_t WidthSearch::nextWidth() const noexcept {
  const DeviceKernel& best = *best_.kernel;
  // Work-items alone that have won stand beside the width that they won over.
  const std::uint32_t width = widthOf(best), tried = std::max(width, widthOf(*base_.kernel));
  const bool areLong = best.spent() - before_ > kLongLaunch * std::max(launches_, 1U);
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
    state_ = State::Done;
  else
    waitForNext();
}

void WidthSearch::waitForNext() noexcept {
  nextTime_ = best_.kernel->spent() + pause_;
  state_ = State::Waiting;
}

} // namespace clotho
