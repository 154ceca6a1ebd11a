// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/fork_gate.hpp"

#include "base/mutex.hpp"

#include <chrono>

namespace clotho {

namespace {

constinit std::atomic<std::uint32_t> inside{0};
constinit std::atomic<std::uint32_t> isShut{0};

void leave() noexcept {
  inside.fetch_sub(1, std::memory_order_seq_cst);
  if (isShut.load(std::memory_order_seq_cst)) Parking::wake(inside, 1);
}

} // namespace

ForkGate::ForkGate() noexcept {
  for (;;) {
    inside.fetch_add(1, std::memory_order_seq_cst);
    if (!isShut.load(std::memory_order_seq_cst)) return;
    leave();
    while (isShut.load(std::memory_order_acquire))
      Parking::wait(isShut, 1);
  }
}

ForkGate::~ForkGate() { leave(); }

void ForkGate::shut() noexcept {
  constexpr std::chrono::seconds kPatience{1};
  constexpr std::int64_t kLookAgainNs = 10'000'000;
  isShut.store(1, std::memory_order_seq_cst);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::uint32_t some = inside.load(std::memory_order_seq_cst)) {
    if (std::chrono::steady_clock::now() > end) return;
    Parking::wait(inside, some, kLookAgainNs);
  }
}

void ForkGate::open() noexcept {
  isShut.store(0, std::memory_order_release);
  Parking::wakeAll(isShut);
}

void ForkGate::openInChild() noexcept {
  inside.store(0, std::memory_order_relaxed);
  isShut.store(0, std::memory_order_relaxed);
}

} // namespace clotho
