// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a GPU have enqueued: order, events and what is complete when, without a GPU.
#include "device/cuda/enqueued_graph.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <initializer_list>
#include <vector>

namespace clotho::cuda {
namespace {

/// Plays the kernels: hands out events and makes records as builtins/device_queue.cl does.
class EnqueuedGraphTest : public testing::Test {
 protected:
  /// The handle of a new event with references of the kernel and the device.
  std::uint64_t makeEvent(std::uint32_t kind, std::uint32_t references = 2) {
    DeviceEvent event{};
    std::uint32_t slot = static_cast<std::uint32_t>(pool_.top) - 1;
    if (static_cast<std::uint32_t>(pool_.top) == 0) {
      slot = pool_.fresh++;
      table_.emplace_back();
    } else {
      pool_.top = table_[slot].nextFree;
    }
    event.generation = table_[slot].generation;
    event.kind = kind;
    event.references = references;
    table_[slot] = event;
    return std::uint64_t{event.generation} << 32 | (slot + 1);
  }
  std::uint64_t user() { return makeEvent(kEventOfUser); }
  std::uint64_t command() { return makeEvent(kEventOfCommand); }
  static std::uint32_t slot(std::uint64_t handle) { return static_cast<std::uint32_t>(handle) - 1; }
  DeviceEvent& at(std::uint64_t handle) { return table_[slot(handle)]; }
  bool isFree(std::uint64_t handle) { return at(handle).references == 0; }

  /// Enqueues a kernel; its block tells kernels apart.
  bool enqueue(std::uint32_t block, std::initializer_list<std::uint64_t> waits = {}, std::uint64_t event = 0,
               EnqueuedGraph::Account* parent = nullptr) {
    EnqueuedKernel record{};
    record.block = block;
    record.state = kRecordCommitted;
    record.event = event;
    record.dimensions = block == kMarkerBlock ? ~0U : 1; // which kernels do not write for markers
    for (std::size_t i = 0; i < 3; ++i)
      record.globalSize[i] = record.localSize[i] = 1;
    record.waitCount = static_cast<std::uint32_t>(waits.size());
    auto* held = reinterpret_cast<std::uint64_t*>(record.room);
    for (const std::uint64_t handle : waits) {
      *held++ = handle;
      if (handle != 0) ++at(handle).references;
    }
    return graph_.add(record, 0x1000, /*isTimed=*/true, parent ? *parent : graph_.root());
  }
  /// Runs what is ready, oldest first; their blocks.
  std::vector<std::uint32_t> runReady() {
    std::deque<EnqueuedGraph::Child*> all;
    std::vector<std::uint32_t> blocks;
    while (EnqueuedGraph::Child* child = graph_.takeReady())
      all.push_back(child);
    for (EnqueuedGraph::Child* child : all) {
      blocks.push_back(child->block);
      child->started = 10;
      child->ended = 30;
      graph_.ended(*child, CL_COMPLETE);
    }
    return blocks;
  }
  std::uint64_t reclaim(bool all = false) { return graph_.reclaim(table_, pool_, all); }

  using Blocks = std::vector<std::uint32_t>;
  EnqueuedGraph graph_;
  std::vector<DeviceEvent> table_;
  SlotPool pool_{};
};

TEST_F(EnqueuedGraphTest, TheLaunchIsOverWithTheLastOfItsDescendants) {
  enqueue(1);
  graph_.endRoot(CL_COMPLETE);
  EnqueuedGraph::Child* child = graph_.takeReady();
  ASSERT_NE(child, nullptr);
  enqueue(2, {}, 0, child->account);
  graph_.ended(*child, CL_COMPLETE);
  EXPECT_FALSE(graph_.isOver());
  EXPECT_EQ(runReady(), Blocks{2});
  EXPECT_TRUE(graph_.isOver());
  EXPECT_EQ(graph_.status(), CL_COMPLETE);
}

TEST_F(EnqueuedGraphTest, ChildrenWaitForTheirLists) {
  const std::uint64_t a = command(), b = command();
  enqueue(3, {a, b});
  enqueue(1, {}, a);
  enqueue(2, {a}, b);
  graph_.endRoot(CL_COMPLETE);
  EXPECT_EQ(runReady(), Blocks{1});
  EXPECT_EQ(runReady(), Blocks{2});
  EXPECT_EQ(runReady(), Blocks{3});
  EXPECT_TRUE(graph_.isOver());
}

TEST_F(EnqueuedGraphTest, AnEventIsCompleteWithWhatItsKernelHasEnqueued) {
  const std::uint64_t event = command();
  enqueue(1, {}, event);
  enqueue(9, {event});
  EnqueuedGraph::Child* child = graph_.takeReady();
  enqueue(2, {}, 0, child->account);
  graph_.ended(*child, CL_COMPLETE);
  EXPECT_EQ(runReady(), Blocks{2});
  EXPECT_EQ(runReady(), Blocks{9});
}

TEST_F(EnqueuedGraphTest, UserEventsHoldBackAndFail) {
  const std::uint64_t good = user(), bad = user(), event = command();
  enqueue(1, {good});
  enqueue(2, {bad}, event);
  enqueue(3, {event});
  EXPECT_EQ(runReady(), Blocks{});
  graph_.set(slot(good), CL_COMPLETE);
  graph_.set(slot(bad), -1234);
  graph_.endRoot(CL_COMPLETE);
  EXPECT_EQ(runReady(), Blocks{1});
  EXPECT_TRUE(graph_.isOver());
  EXPECT_EQ(graph_.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(EnqueuedGraphTest, LongChainsOfMarkersEnd) {
  std::uint64_t first = user(), last = first;
  for (int i = 0; i < 12000; ++i) {
    const std::uint64_t next = command();
    ASSERT_TRUE(enqueue(kMarkerBlock, {last}, next));
    last = next;
  }
  enqueue(1, {last});
  graph_.endRoot(CL_COMPLETE);
  graph_.set(slot(first), CL_COMPLETE);
  EXPECT_EQ(runReady(), Blocks{1});
  EXPECT_TRUE(graph_.isOver());
}

TEST_F(EnqueuedGraphTest, WhatCanNeverRunFails) {
  const std::uint64_t never = user();
  enqueue(1, {never});
  graph_.endRoot(CL_COMPLETE);
  EXPECT_EQ(graph_.takeReady(), nullptr);
  graph_.giveUp();
  EXPECT_TRUE(graph_.isOver());
  EXPECT_LT(graph_.status(), 0);
}

TEST_F(EnqueuedGraphTest, TimesGoToTheEventAndToThoseThatAsk) {
  const std::uint64_t event = command(), early = makeEvent(kEventCapture, 1), late = makeEvent(kEventCapture, 1);
  enqueue(1, {}, event);
  at(event).references += 2; // by both captures
  graph_.capture(slot(early), event, 0xa0);
  EXPECT_EQ(runReady(), Blocks{1});
  graph_.capture(slot(late), event, 0xb0);
  const std::vector<EnqueuedGraph::Times> times = graph_.takeTimes();
  ASSERT_EQ(times.size(), 3U);
  EXPECT_EQ(times[0].slot, slot(event));
  EXPECT_EQ(times[0].address, 0U);
  EXPECT_EQ(times[1].address, 0xa0U);
  EXPECT_EQ(times[2].address, 0xb0U);
  EXPECT_EQ(times[2].values[0], 20U);
  EXPECT_GE(times[2].values[1], 20U);
  EXPECT_EQ(reclaim(), 1U); // the kernel still has the event
  EXPECT_TRUE(isFree(early) && isFree(late) && !isFree(event));
  --at(event).references;
  EXPECT_EQ(reclaim(), 0U);
}

TEST_F(EnqueuedGraphTest, EventsAreFreeWhenNeitherSideHasThem) {
  const std::uint64_t forgotten = user(), waited = user(), held = command();
  --at(forgotten).references;
  enqueue(1, {waited}, held);
  --at(waited).references;
  EXPECT_EQ(reclaim(), 2U);
  EXPECT_TRUE(isFree(forgotten));
  EXPECT_EQ(user(), (1ULL << 32) + forgotten) << "the slot is used again, by another handle";
  graph_.set(slot(waited), CL_COMPLETE);
  EXPECT_EQ(runReady(), Blocks{1});
  EXPECT_EQ(reclaim(), 2U);
  EXPECT_TRUE(isFree(waited) && !isFree(held));
  graph_.endRoot(CL_COMPLETE);
  EXPECT_EQ(reclaim(/*all=*/true), 0U);
  EXPECT_EQ(pool_.fresh, 0U);
}

TEST_F(EnqueuedGraphTest, TimesAreNotWrittenToEventsThatAreFree) {
  const std::uint64_t event = command();
  enqueue(1, {}, event);
  EnqueuedGraph::Child* child = graph_.takeReady();
  enqueue(2, {}, 0, child->account);
  child->started = 10;
  child->ended = 30;
  graph_.ended(*child, CL_COMPLETE);
  --at(event).references;
  EXPECT_EQ(reclaim(), 0U);
  EXPECT_TRUE(isFree(event));
  EXPECT_TRUE(graph_.takeTimes().empty()) << "the slot may be another event's before they are written";
}

// Each kernel enqueues the next with an event that it forgets: events, and what counts in them, do not pile up.
TEST_F(EnqueuedGraphTest, ChainsOfForgottenEventsEnd) {
  std::uint64_t event = command();
  enqueue(1, {}, event);
  --at(event).references;
  graph_.endRoot(CL_COMPLETE);
  std::size_t most = 0;
  for (int i = 0; i < 10000; ++i) {
    EnqueuedGraph::Child* child = graph_.takeReady();
    ASSERT_NE(child, nullptr);
    event = command();
    ASSERT_TRUE(enqueue(1, {}, event, child->account));
    --at(event).references;
    graph_.ended(*child, CL_COMPLETE);
    if (i % 7 == 0) reclaim();
    most = std::max(most, table_.size());
    EXPECT_FALSE(graph_.isOver());
  }
  EXPECT_LE(most, 16U);
  EXPECT_EQ(runReady(), Blocks{1});
  EXPECT_TRUE(graph_.isOver());
}

TEST_F(EnqueuedGraphTest, RecordsThatAreNoneAreRefused) {
  EnqueuedKernel record{};
  record.dimensions = 1;
  record.literalBytes = kQueueRecordRoom + 1;
  EXPECT_FALSE(graph_.add(record, 0, false, graph_.root()));
  record.literalBytes = 0;
  record.event = kMostOnDeviceEvents + 1;
  EXPECT_FALSE(graph_.add(record, 0, false, graph_.root()));
}

} // namespace
} // namespace clotho::cuda
