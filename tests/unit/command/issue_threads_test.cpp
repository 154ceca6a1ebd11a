// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several threads enqueue to a device that orders commands by itself, while others end them.
#include "issued.hpp"

#include "command/work_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

constexpr cl_int kFailure = CL_OUT_OF_RESOURCES;

/// Ends what was started on threads of its own, in any order.
class UnorderedDevice final : public DeviceQueue {
 public:
  /// `failures`: one command in so many fails; 0: none.
  UnorderedDevice(const void* device, std::uint64_t failures) : DeviceQueue(device), failures_(failures) {}
  void start(Node& node, WorkList& ready) noexcept override {
    const std::uint64_t ticket = std::uint64_t{1} << 32 | ++issued_;
    node.issued(ticket, ready);
    if (Node* earlier = slots_[ticket % slots_.size()].exchange(&node)) complete(*earlier);
  }
  void end() {
    for (auto& slot : slots_)
      if (Node* node = slot.exchange(nullptr)) complete(*node);
  }

 private:
  void complete(Node& node) {
    const bool fails = failures_ != 0 && ++ended_ % failures_ == 0;
    node.complete(fails ? kFailure : CL_COMPLETE);
  }

  const std::uint64_t failures_;
  std::array<std::atomic<Node*>, 13> slots_{};
  std::atomic<std::uint64_t> issued_{0}, ended_{0};
};

class IssueThreadsTest : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Failures, IssueThreadsTest, testing::Values(0, 50));

TEST_P(IssueThreadsTest, MayEnqueueAndEndAtOnce) {
  constexpr int kThreads = 4, kEach = 20'000;
  int device = 0;
  UnorderedDevice shared{&device, GetParam()};

  std::atomic<bool> isOver{false};
  std::thread ending([&] {
    while (!isOver)
      shared.end();
  });
  std::array<std::atomic<Node*>, 7> published{};
  std::array<std::vector<Ref<Issued>>, kThreads> made;
  std::array<std::vector<std::vector<After>>, kThreads> followed;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<Ref<Issued>>& own = made[static_cast<std::size_t>(t)];
      own.reserve(kEach);
      for (int i = 0; i < kEach; ++i) {
        std::vector<After> after;
        if (i > 0) after.push_back({own.back().get(), false});
        for (auto& slot : published)
          if (Node* theirs = random() % 3 == 0 ? slot.load() : nullptr) // so few that not all fail after the first
            after.push_back({theirs, random() % 4 == 0});
        Command command = i % 5 == 4 ? Command(Nothing{}) : i % 11 == 10 ? Command(Map{}) : Command(Fill{});
        own.push_back(run(shared, after, std::move(command)));
        followed[static_cast<std::size_t>(t)].push_back(std::move(after));
        published[random() % published.size()].store(own.back().get());
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  const auto areDone = [&] {
    for (const auto& own : made)
      for (const Ref<Issued>& each : own)
        if (!each->isDone()) return false;
    return true;
  };
  while (!areDone())
    std::this_thread::yield();
  isOver = true;
  ending.join();
  for (std::size_t t = 0; t < made.size(); ++t)
    for (std::size_t i = 0; i < made[t].size(); ++i) {
      const bool mustFail = std::ranges::any_of(
          followed[t][i], [](const After& each) { return each.passesFailure && each.node->status() < 0; });
      const cl_int status = made[t][i]->status();
      if (mustFail)
        ASSERT_LT(status, 0) << i;
      else
        ASSERT_TRUE(status == CL_COMPLETE || (GetParam() != 0 && status == kFailure)) << i;
    }
}

} // namespace

} // namespace clotho::test
