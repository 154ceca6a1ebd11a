// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with devices of other nodes, all of them in this process.
#include "relayed_program.hpp"

#include "node/relay/clock_offset.hpp"
#include "sample_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace clotho::node {
namespace {

using cluster::Place;
using cluster::RunCopy;
using cluster::RunFill;
using test::RelayedProgram;
using test::TestNodes;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kPage = RelayedProgram::kPage;

RunCopy intoMemory(std::uint64_t slot, std::uint64_t address, std::uint64_t size) {
  return {.source = {Place::Kind::Slots, slot}, .target = {Place::Kind::Device, address}, .rowBytes = size};
}

RunCopy intoSlots(std::uint64_t address, std::uint64_t slot, std::uint64_t size) {
  return {.source = {Place::Kind::Device, address}, .target = {Place::Kind::Slots, slot}, .rowBytes = size};
}

/// A program that has memory and a queue there.
class Prepared : public RelayedProgram {
 public:
  Prepared(test::Gateway& nodes, std::uint32_t device) : RelayedProgram(nodes, device) {
    EXPECT_EQ(why(), "");
    send(cluster::MakeQueue{1, true});
    send(cluster::UseMemory{window(), kWindow});
  }
  /// Whether commands run as they should.
  bool works() {
    std::memcpy(slots().data(), "some bytes", 10);
    std::memset(slots().data() + kPage, 0, 10);
    run(number_ + 1, intoMemory(0, window(), 10));
    run(number_ + 2, intoSlots(window(), kPage, 10), {{number_ + 1, true}});
    number_ += 2;
    const cl_int first = status(), second = status();
    return first == CL_COMPLETE && second == CL_COMPLETE && std::memcmp(slots().data() + kPage, "some bytes", 10) == 0;
  }

 private:
  std::uint64_t number_ = 1000;
};

TEST(Relay, TheDevicesOfAllNodesAreListed) {
  TestNodes nodes(4);
  const cluster::DeviceList list = nodes.devices();
  ASSERT_EQ(list.devices.size(), 3u);
  std::vector<std::string> hosts;
  std::set<std::uint32_t> numbers;
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    hosts.push_back(list.devices[i].host);
    numbers.insert(list.devices[i].number);
    EXPECT_EQ(list.devices[i].properties.name, test::ServedSession::device().properties().name);
  }
  EXPECT_EQ(hosts, (std::vector<std::string>{"host1", "host2", "host3"}));
  EXPECT_EQ(numbers.size(), 3u);
}

TEST(Relay, BytesGoThereAndBack) {
  TestNodes nodes(2);
  Prepared program(nodes, 0);
  constexpr std::size_t kBytes = 3 * kPage;
  std::mt19937 random(1);
  for (std::byte& each : program.slots().subspan(0, kBytes))
    each = static_cast<std::byte>(random());
  const std::string expected(reinterpret_cast<const char*>(program.slots().data()), kBytes);
  const std::uint64_t at = program.window();
  program.run(2, intoMemory(0, at, kBytes));
  // Two slices of two rows each, with gaps in the memory.
  RunCopy rows = intoMemory(0, at + 8 * kPage, 100);
  rows.rows = rows.slices = 2;
  rows.sourceRowPitch = 100;
  rows.sourceSlicePitch = 200;
  rows.targetRowPitch = 128;
  rows.targetSlicePitch = kPage;
  program.run(3, rows, {{2, true}});
  program.run(4, intoSlots(at, 2 * kBytes, kBytes), {{2, true}, {3, true}});
  program.run(5, intoSlots(at + 9 * kPage, 4 * kBytes, 228), {{4, true}});
  for (const std::uint64_t number : {2, 3, 4, 5}) {
    const auto end = program.ended();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->number, number);
    EXPECT_EQ(end->status, static_cast<std::uint32_t>(CL_COMPLETE));
  }
  EXPECT_EQ(std::memcmp(program.slots().data() + 2 * kBytes, expected.data(), kBytes), 0);
  EXPECT_EQ(std::memcmp(program.slots().data() + 4 * kBytes, expected.data() + 200, 100), 0);
  EXPECT_EQ(std::memcmp(program.slots().data() + 4 * kBytes + 128, expected.data() + 300, 100), 0);
}

TEST(Relay, AChainCostsOneRoundTrip) {
  constexpr std::chrono::milliseconds kDelay{100};
  constexpr std::uint64_t kCommands = 200;
  TestNodes nodes(2);
  Prepared program(nodes, 0);
  ASSERT_TRUE(program.works());
  nodes.fabric().setDelay(kDelay);
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < kCommands; ++i)
    program.run(2 + i, RunFill{.target = program.window(), .pattern = "ab", .rowBytes = kPage}, {{1 + i, true}});
  for (std::uint64_t i = 0; i < kCommands; ++i)
    ASSERT_EQ(program.status(), CL_COMPLETE);
  const auto time = Clock::now() - begin;
  EXPECT_GE(time, 2 * kDelay);
  EXPECT_LT(time, 8 * kDelay) << "less on a machine that is not busy";
}

TEST(Relay, ALostNodeEndsItsSessionsAlone) {
  TestNodes nodes(3);
  Prepared one(nodes, nodes.deviceOf(1)), other(nodes, nodes.deviceOf(2));
  ASSERT_TRUE(one.works());
  ASSERT_TRUE(other.works());
  const std::uint32_t number = nodes.deviceOf(2);
  nodes.fabric().setDelay(std::chrono::milliseconds(100)); // what is sent now does not come before the loss
  other.run(2, cluster::RunNothing{});
  nodes.fabric().lose(test::SeveralNodes::idOf(2));
  nodes.fabric().setDelay(std::chrono::milliseconds(0));
  EXPECT_FALSE(other.ended());
  EXPECT_TRUE(other.isFreed()) << "the node has lost the program, too";
  EXPECT_TRUE(one.works());
  EXPECT_EQ(nodes.devices().devices.size(), 1u);
  const RelayedProgram late(nodes, number);
  EXPECT_NE(late.why(), "");
}

/// A hundred commands, one behind the other.
void fillOften(Prepared& program) {
  for (std::uint64_t number = 2; number < 102; ++number)
    program.run(number, RunFill{.target = program.window(), .pattern = "a", .rowBytes = RelayedProgram::kWindow},
                {{number - 1, true}});
}

TEST(Relay, TheEndOfAProgramFreesItsMemoryThere) {
  TestNodes nodes(2);
  auto program = std::make_unique<Prepared>(nodes, 0);
  ASSERT_TRUE(program->works());
  fillOften(*program);
  program->hangUp();
  EXPECT_TRUE(program->isFreed());
  Prepared next(nodes, 0);
  EXPECT_TRUE(next.works());
}

TEST(Relay, TheEndOfAProgramFreesItsMemoryHere) {
  const cluster::Token token = *cluster::Token::make();
  test::Gateway gateway(test::kept<Server>(token, std::vector{Ref<Device>(test::ServedSession::device())}), token);
  Prepared program(gateway, 0);
  ASSERT_TRUE(program.works());
  EXPECT_FALSE(test::isFree(program.window(), RelayedProgram::kWindow));
  fillOften(program);
  program.hangUp();
  EXPECT_TRUE(program.isFreed());
  Prepared next(gateway, 0);
  EXPECT_TRUE(next.works());
}

TEST(Relay, AProgramWithoutSenseEndsItsSessionAlone) {
  TestNodes nodes(2);
  Prepared good(nodes, 0);
  const std::uint64_t all = good.slots().size();
  const std::vector<std::function<void(Prepared&)>> faults = {
      [](Prepared& program) { program.sendRaw("nonsense"); },
      [&](Prepared& program) { program.run(2, intoMemory(all - 4, program.window(), 8)); },
      [&](Prepared& program) { program.run(2, intoSlots(program.window(), ~std::uint64_t{0}, 8)); },
      [](Prepared& program) { // a slot that is in use
        program.run(2, intoMemory(0, program.window(), 8));
        program.run(2, intoMemory(0, program.window(), 8));
      },
      [&](Prepared& program) { // more than the slots have
        program.run(2, cluster::RunNothing{});
        for (std::uint64_t i = 3; i < 20000; ++i)
          program.run(i, intoSlots(program.window(), 0, RelayedProgram::kWindow));
      }};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    Prepared bad(nodes, 0);
    nodes.fabric().setDelay(std::chrono::milliseconds(20));
    faults[i](bad);
    bool isOver = false;
    for (int ends = 0; !isOver && ends < 20000; ++ends)
      isOver = !bad.ended();
    EXPECT_TRUE(isOver) << i;
    nodes.fabric().setDelay(std::chrono::milliseconds(0));
    EXPECT_TRUE(bad.isFreed()) << i;
  }
  EXPECT_TRUE(good.works());
}

TEST(Relay, RefusesWhatWouldHarmIt) {
  TestNodes nodes(2);
  Prepared program(nodes, 0);
  const std::uint64_t at = program.window();
  RunCopy gaps = intoMemory(0, at, 16);
  gaps.rows = 2;
  gaps.sourceRowPitch = 32;
  gaps.targetRowPitch = 16;
  const std::vector<cluster::Work> harmful = {
      gaps,
      intoMemory(0, at + RelayedProgram::kWindow - 8, 16),
      intoSlots(at - 1, 0, 16),
      RunCopy{.source = {Place::Kind::Slots, 0}, .target = {Place::Kind::Slots, 64}, .rowBytes = 8},
      RunFill{.target = at, .pattern = "abc", .rowBytes = 6},
      cluster::RunLaunch{.program = 1},
      cluster::RunSequence{1}};
  std::uint64_t number = 2;
  for (const cluster::Work& work : harmful) {
    program.run(number, work);
    const auto end = program.ended();
    ASSERT_TRUE(end) << number;
    EXPECT_EQ(end->number, number++);
    EXPECT_EQ(static_cast<cl_int>(end->status), CL_INVALID_VALUE) << number;
  }
  // Recorded copies have no slots there: none come with their runs.
  program.send(cluster::RecordCommand{9, intoSlots(at, 0, 8)});
  program.run(100, cluster::RunSequence{9});
  EXPECT_EQ(program.status(), CL_INVALID_VALUE);
  EXPECT_TRUE(program.works());
}

TEST(Relay, BuildsAreAskedThere) {
  TestNodes nodes(2);
  Prepared program(nodes, 0);
  cluster::BuildProgram build{.session = program.session(), .program = 1, .key = {1, 2}};
  auto built = nodes.ask<cluster::ProgramBuilt>(build);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->state, cluster::ProgramBuilt::State::NoModule);
  build.hasModule = true;
  build.module = std::string(std::size_t{3} << 20, 'x');
  built = nodes.ask<cluster::ProgramBuilt>(build);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->state, cluster::ProgramBuilt::State::Failed);
  EXPECT_NE(built->log.find("not the one that was announced"), std::string::npos);
  build.session += 1000;
  EXPECT_FALSE(nodes.ask<cluster::ProgramBuilt>(build));
}

TEST(Relay, WhatASlowNetworkDoesNotTakeWaitsInTheProgram) {
  constexpr std::size_t kText = cluster::kMostText, kAll = std::size_t{128} << 20;
  TestNodes nodes(3);
  Prepared slow(nodes, nodes.deviceOf(1)), fast(nodes, nodes.deviceOf(2));
  ASSERT_TRUE(slow.works());
  nodes.fabric().hold(test::SeveralNodes::idOf(1), true);
  const std::uint64_t before = nodes.fabric().textBytes();
  for (std::size_t sent = 0; sent < kAll; sent += kText)
    slow.send(cluster::WriteBytes{slow.window(), std::string(kText, static_cast<char>('a' + sent / kText % 26))});
  slow.run(2, intoSlots(slow.window(), 0, kText));
  const auto stopsAt = [&] {
    std::uint64_t last = 0, now = nodes.fabric().textBytes();
    for (const auto end = Clock::now() + std::chrono::seconds(20); now != last && Clock::now() < end;) {
      last = now;
      for (int i = 0; i < 50; ++i) // a program's own thread has what waits moved on
        slow.flush(), std::this_thread::sleep_for(std::chrono::milliseconds(2));
      now = nodes.fabric().textBytes();
    }
    return now - before;
  };
  const std::uint64_t taken = stopsAt();
  EXPECT_GE(taken, Relay::kMostWaiting);
  EXPECT_LT(taken, Relay::kMostWaiting + 2 * kText) << "the node queues what the network does not take";
  const std::uint64_t beat = slow.beat();
  EXPECT_TRUE(fast.works()) << "another session waits";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_NE(slow.beat(), beat) << "the program takes its node for one that stands still";
  nodes.fabric().hold(test::SeveralNodes::idOf(1), false);
  std::thread flushing([&] {
    for (const auto end = Clock::now() + std::chrono::seconds(20); slow.flush() && Clock::now() < end;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_EQ(slow.status(), CL_COMPLETE);
  flushing.join();
  EXPECT_EQ(static_cast<char>(slow.slots()[kText - 1]), 'a' + (kAll / kText - 1) % 26);
}

TEST(Relay, AProgramThatEndsAmidASlowNetworkIsForgotten) {
  TestNodes nodes(2);
  Prepared program(nodes, 0);
  ASSERT_TRUE(program.works());
  nodes.fabric().hold(test::SeveralNodes::idOf(1), true);
  for (std::size_t sent = 0; sent < 2 * Relay::kMostWaiting; sent += cluster::kMostText)
    program.send(cluster::WriteBytes{program.window(), std::string(cluster::kMostText, 'a')});
  program.hangUp();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  nodes.fabric().hold(test::SeveralNodes::idOf(1), false);
  EXPECT_TRUE(program.isFreed());
  Prepared next(nodes, 0);
  EXPECT_TRUE(next.works());
}

TEST(Relay, TimesAreThoseOfTheProgramsClock) {
  TestNodes nodes(2);
  nodes.fabric().setDelay(std::chrono::milliseconds(5));
  Prepared program(nodes, 0);
  const auto before = hostTime();
  program.run(2, cluster::RunNothing{});
  const auto end = program.ended();
  ASSERT_TRUE(end);
  // One machine has one clock, so that nothing is to be corrected.
  EXPECT_GE(end->started, before);
  EXPECT_LE(end->started, end->ended);
  EXPECT_LE(end->ended, hostTime());
}

TEST(ClockOffset, TheShortestRoundTripSaysItBest) {
  ClockOffset clock;
  EXPECT_EQ(clock.toOwn(12345), 12345u);
  constexpr std::uint64_t kAhead = 5'000'000'000, kBegin = 1'000'000'000;
  std::mt19937 random(5);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t asked = kBegin + static_cast<std::uint64_t>(i) * 1'000'000, there = 20'000 + random() % 500'000,
                        back = 20'000 + random() % 500'000;
    clock.measured(asked, asked + there + kAhead, asked + there + back);
  }
  clock.measured(kBegin, kBegin + 10'000 + kAhead, kBegin + 20'000);
  EXPECT_NEAR(static_cast<double>(clock.offset()), static_cast<double>(kAhead), 10'000);
  EXPECT_NEAR(static_cast<double>(clock.toOwn(kBegin + kAhead)), static_cast<double>(kBegin), 10'000);
}

TEST(ClockOffset, AClockThatMayBeTheSameIs) {
  ClockOffset clock;
  clock.measured(1000, 1900, 2000); // an answer that was quick to come back
  EXPECT_EQ(clock.offset(), 0);
  ClockOffset behind;
  behind.measured(10'000, 4'000, 10'100);
  EXPECT_EQ(behind.offset(), -6'050);
  EXPECT_EQ(behind.toOwn(4'000), 10'050u);
  behind.measured(10'000, 0, 9'000); // from no time at all
  EXPECT_EQ(behind.offset(), -6'050);
}

TEST(ClockOffset, FollowsClocksThatDriftApart) {
  ClockOffset clock;
  clock.measured(0, 1'000'000, 10);
  for (std::uint64_t i = 1; i <= 16; ++i)
    clock.measured(i * 1000, i * 1000 + 2'000'100, i * 1000 + 200);
  EXPECT_EQ(clock.offset(), 2'000'000);
}

} // namespace
} // namespace clotho::node
