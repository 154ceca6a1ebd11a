// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sessions of one program at several nodes: order and bytes between them, of which the program's node sees nothing.
#include "relayed_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>
#include <variant>
#include <vector>

namespace clotho::node {
namespace {

using cluster::Place;
using cluster::Predecessor;
using cluster::ReceiveBytes;
using cluster::RunCopy;
using cluster::RunFill;
using cluster::RunNothing;
using cluster::SendBytes;
using cluster::TellEnd;
using test::RelayedProgram;
using test::SeveralNodes;
using test::TestNodes;
using Clock = std::chrono::steady_clock;

/// More bytes than go to a session that has not said that it is ready.
constexpr std::uint64_t kMany = EarlyBytes::kMostOfOne + 4;

/// A session with memory and a queue.
class Prepared : public RelayedProgram {
 public:
  Prepared(test::Gateway& nodes, std::uint32_t device) : RelayedProgram(nodes, device) {
    EXPECT_EQ(why(), "");
    send(cluster::MakeQueue{1, false});
    send(cluster::UseMemory{window(), kWindow});
  }
  void fill(std::uint64_t number, const char* pattern, std::vector<Predecessor> after = {}) {
    run(number, RunFill{.target = window(), .pattern = pattern, .rowBytes = kWindow}, std::move(after));
  }
  /// Asks for the end of a command to be told to another session.
  void tell(std::uint64_t number, const Prepared& to, std::uint64_t edge) { send(TellEnd{number, to.peer(), edge}); }
  void sendBytes(std::uint64_t number, const Prepared& to, std::uint64_t edge, std::uint64_t size,
                 std::vector<Predecessor> after = {}) {
    run(number, SendBytes{window(), size, to.peer(), edge}, std::move(after));
  }
  void receiveBytes(std::uint64_t number, const Prepared& from, std::uint64_t edge, std::uint64_t size,
                    std::vector<Predecessor> after = {}) {
    run(number, ReceiveBytes{window(), size, from.peer(), edge}, std::move(after));
  }
  /// The number of reports before the next end, and its status.
  std::pair<int, cl_int> reportsAndStatus() {
    for (int reports = 0;;) {
      const std::optional<cluster::ToHost> message = receive();
      if (!message) return {reports, 1};
      if (const auto* end = std::get_if<cluster::Ended>(&*message)) return {reports, static_cast<cl_int>(end->status)};
      if (std::holds_alternative<cluster::Reported>(*message)) ++reports;
    }
  }
  /// The last bytes of a piece at the beginning of its memory.
  std::string lastBytes(std::uint64_t number, std::uint64_t size, const Predecessor& after) {
    run(number,
        RunCopy{.source = {Place::Kind::Device, window() + size - 4}, .target = {Place::Kind::Slots, 0}, .rowBytes = 4},
        {after});
    for (auto end = ended(); end; end = ended())
      if (end->number == number) return {reinterpret_cast<const char*>(slots().data()), 4};
    return "";
  }
};

/// Two sessions: on two nodes, on one, or one of them at the program's own node.
struct Way {
  const char* name;
  std::size_t one, other; ///< nodes
};

class Peers : public testing::TestWithParam<Way> {
 protected:
  TestNodes nodes_{3, /*isGatewayWithDevice=*/true};
  Prepared one_{nodes_, nodes_.deviceOf(GetParam().one)}, other_{nodes_, nodes_.deviceOf(GetParam().other)};
};

INSTANTIATE_TEST_SUITE_P(All, Peers,
                         testing::Values(Way{"TwoNodes", 1, 2}, Way{"OneNode", 1, 1}, Way{"FromTheGateway", 0, 2},
                                         Way{"ToTheGateway", 2, 0}, Way{"AtTheGateway", 0, 0}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Peers, ACommandFollowsOneOfAnotherSession) {
  other_.fill(2, "b", {{1, true, one_.peer()}});
  EXPECT_TRUE(other_.isQuiet());
  one_.fill(2, "a");
  EXPECT_EQ(one_.status(), CL_COMPLETE);
  EXPECT_TRUE(other_.isQuiet());
  one_.tell(2, other_, 1); // it is over already
  EXPECT_EQ(other_.status(), CL_COMPLETE);
  // Before it is asked for.
  one_.fill(3, "a");
  one_.tell(3, other_, 2);
  EXPECT_EQ(one_.status(), CL_COMPLETE);
  EXPECT_TRUE(other_.isQuiet());
  other_.fill(3, "b", {{2, true, one_.peer()}});
  EXPECT_EQ(other_.status(), CL_COMPLETE);
}

// The oldest are forgotten, whichever session has told them.
TEST(PeerEnds, ManyThatAreNotAskedForLeaveTheLatest) {
  constexpr std::uint64_t kEnds = (std::uint64_t{1} << 16) - 10;
  TestNodes nodes(3);
  Prepared first(nodes, nodes.deviceOf(1)), second(nodes, nodes.deviceOf(1)), waiting(nodes, nodes.deviceOf(2));
  for (std::uint64_t edge = 1; edge <= kEnds; ++edge)
    second.tell(2, waiting, edge);
  second.run(3, RunNothing{});
  ASSERT_EQ(second.status(), CL_COMPLETE); // they are on their way
  first.tell(2, waiting, kEnds + 1);
  for (std::uint64_t edge = 1; edge <= 20; ++edge)
    second.tell(2, waiting, kEnds + 1 + edge);
  second.run(4, RunNothing{});
  ASSERT_EQ(second.status(), CL_COMPLETE);
  waiting.run(2, RunNothing{}, {{kEnds + 1, true, first.peer()}, {kEnds + 21, true, second.peer()}});
  EXPECT_EQ(waiting.status(), CL_COMPLETE);
}

TEST_P(Peers, FailuresAreTold) {
  other_.run(2, RunNothing{}, {{1, true, one_.peer()}});
  other_.run(3, RunNothing{}, {{2, false, one_.peer()}});
  one_.run(2, RunFill{.target = 0, .pattern = "a", .rowBytes = 1});
  EXPECT_LT(one_.status(), 0);
  one_.tell(2, other_, 1);
  EXPECT_EQ(other_.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  one_.tell(2, other_, 2);
  EXPECT_EQ(other_.status(), CL_COMPLETE);
  one_.tell(2, other_, 3);
  EXPECT_TRUE(other_.isQuiet());
  other_.run(4, RunNothing{}, {{3, true, one_.peer()}});
  EXPECT_EQ(other_.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_P(Peers, BytesGoFromMemoryToMemory) {
  constexpr std::uint64_t kBytes = (std::uint64_t{10} << 20) + 100; // three parts
  const NodeId from = SeveralNodes::idOf(GetParam().one), to = SeveralNodes::idOf(GetParam().other),
               gateway = SeveralNodes::idOf(0);
  const std::uint64_t before = nodes_.fabric().payloadBytes();
  std::uint64_t number = 2;
  for (const bool isSentFirst : {true, false}) {
    const std::uint64_t edge = number;
    one_.fill(number, isSentFirst ? "abcd" : "efgh");
    if (isSentFirst) one_.sendBytes(number + 1, other_, edge, kBytes, {{number, true}});
    other_.fill(number, "zzzz");
    if (isSentFirst) EXPECT_EQ(one_.status(), CL_COMPLETE);
    other_.receiveBytes(number + 1, one_, edge, kBytes, {{number, true}});
    if (!isSentFirst) {
      EXPECT_EQ(other_.status(), CL_COMPLETE); // the fill
      EXPECT_TRUE(other_.isQuiet());
      one_.sendBytes(number + 1, other_, edge, kBytes, {{number, true}});
    }
    EXPECT_EQ(other_.lastBytes(number + 2, kBytes, {number + 1, true}), isSentFirst ? "abcd" : "efgh");
    EXPECT_EQ(other_.lastBytes(number + 3, kBytes + 4, {number + 2, true}), "zzzz");
    number += 10;
  }
  if (from == to) return;
  EXPECT_GE(nodes_.fabric().payloadBytes(from, to), 2 * kBytes);
  const std::uint64_t all = nodes_.fabric().payloadBytes() - before;
  EXPECT_LT(all, 2 * kBytes + 100) << "bytes go another way";
  if (from != gateway && to != gateway) EXPECT_LT(nodes_.fabric().payloadBytes(from, gateway), 10'000u);
}

// A program whose command has ended may give the addresses to another object at once.
TEST_P(Peers, MemoryIsFreeWhenTheMoveHasEnded) {
  constexpr int kRounds = 200;
  const auto renew = [](Prepared& each) {
    each.send(cluster::FreeMemory{each.window()});
    each.send(cluster::UseMemory{each.window(), Prepared::kWindow});
  };
  std::uint64_t number = 2;
  for (int round = 0; round < kRounds && !HasFailure(); ++round, number += 2) {
    one_.sendBytes(number, other_, number, 100);
    other_.receiveBytes(number, one_, number, 100);
    ASSERT_EQ(other_.status(), CL_COMPLETE);
    renew(other_);
    ASSERT_EQ(one_.status(), CL_COMPLETE);
    renew(one_);
    for (Prepared* each : {&one_, &other_})
      each->run(number + 1, RunFill{.target = each->window(), .pattern = "a", .rowBytes = 100});
    for (Prepared* each : {&one_, &other_})
      EXPECT_EQ(each->status(), CL_COMPLETE) << "in round " << round;
  }
}

TEST_P(Peers, ACommandThatFailsSendsNothing) {
  one_.run(2, RunFill{.target = 0, .pattern = "a", .rowBytes = 1});
  one_.sendBytes(3, other_, 1, 100, {{2, true}});
  other_.receiveBytes(2, one_, 1, 100);
  other_.run(3, RunNothing{}, {{2, true}});
  EXPECT_LT(other_.status(), 0);
  EXPECT_EQ(other_.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  // The other way round.
  other_.run(4, RunFill{.target = 0, .pattern = "a", .rowBytes = 1});
  other_.receiveBytes(5, one_, 2, kMany, {{4, true}});
  EXPECT_LT(other_.status(), 0);
  EXPECT_LT(other_.status(), 0);
  EXPECT_LT(one_.status(), 0); // number 2
  EXPECT_LT(one_.status(), 0); // number 3
  one_.sendBytes(4, other_, 2, kMany);
  EXPECT_LT(one_.status(), 0);
}

TEST_P(Peers, WhatWaitsForALostSessionFails) {
  other_.run(2, RunNothing{}, {{1, true, one_.peer()}});
  other_.run(3, RunNothing{}, {{2, false, one_.peer()}});
  other_.receiveBytes(4, one_, 3, 100);
  other_.sendBytes(5, one_, 4, kMany);
  EXPECT_TRUE(other_.isQuiet());
  one_.hangUp();
  other_.send(cluster::ForgetPeer{one_.session()});
  std::vector<cl_int> statuses;
  for (int i = 0; i < 4; ++i)
    statuses.push_back(other_.status());
  std::ranges::sort(statuses);
  EXPECT_EQ(statuses, (std::vector<cl_int>{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES,
                                           CL_OUT_OF_RESOURCES, CL_COMPLETE}));
  other_.run(6, RunNothing{}, {{5, true, one_.peer()}});
  EXPECT_EQ(other_.status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  other_.receiveBytes(7, one_, 6, 100);
  EXPECT_LT(other_.status(), 0);
}

TEST_P(Peers, FewBytesDoNotWaitForTheReceiver) {
  constexpr std::uint64_t kBytes = EarlyBytes::kMostOfOne;
  one_.fill(2, "abcd");
  one_.sendBytes(3, other_, 1, kBytes, {{2, true}});
  EXPECT_EQ(one_.status(), CL_COMPLETE);
  EXPECT_EQ(one_.status(), CL_COMPLETE) << "they are on their way, or there";
  other_.fill(2, "zzzz");
  other_.receiveBytes(3, one_, 1, kBytes, {{2, true}});
  EXPECT_EQ(other_.lastBytes(4, kBytes, {3, true}), "abcd");
  EXPECT_EQ(other_.lastBytes(5, kBytes + 4, {4, true}), "zzzz");
  // A command that takes fewer than come.
  one_.sendBytes(4, other_, 2, 200);
  EXPECT_EQ(one_.status(), CL_COMPLETE);
  other_.receiveBytes(6, one_, 2, 100);
  EXPECT_EQ(other_.status(), CL_OUT_OF_RESOURCES);
}

TEST_P(Peers, ManySmallMovesAllArrive) {
  constexpr std::uint64_t kMoves = 3 * EarlyBytes::kMostOfPeer / EarlyBytes::kMostOfOne, kBytes = 50'000;
  one_.fill(2, "abcd");
  for (std::uint64_t i = 0; i < kMoves; ++i) // those behind wait for the receiver
    one_.sendBytes(10 + i, other_, 10 + i, kBytes, {{2, true}});
  other_.fill(2, "zzzz");
  for (std::uint64_t i = kMoves; i-- > 0;)
    other_.run(10 + i, ReceiveBytes{other_.window() + i * kBytes, kBytes, one_.peer(), 10 + i}, {{2, true}});
  for (std::uint64_t i = 0; i <= kMoves; ++i) {
    EXPECT_EQ(one_.status(), CL_COMPLETE);
    EXPECT_EQ(other_.status(), CL_COMPLETE);
  }
  EXPECT_EQ(other_.lastBytes(3, kMoves * kBytes, {2, true}), "abcd");
}

TEST_P(Peers, BytesOfRefusedMovesTakeNoRoom) {
  constexpr std::uint64_t kMoves = EarlyBytes::kMost / EarlyBytes::kMostOfOne + 10;
  std::uint64_t edge = 1;
  for (; edge <= kMoves; ++edge) {
    const ReceiveBytes refused{other_.window() - 1, EarlyBytes::kMostOfOne, one_.peer(), edge};
    if (edge % 2 == 0) other_.run(10 + edge, refused);
    one_.sendBytes(10 + edge, other_, edge, EarlyBytes::kMostOfOne);
    if (edge % 2 != 0) other_.run(10 + edge, refused);
    EXPECT_EQ(other_.status(), CL_INVALID_VALUE);
    EXPECT_LE(one_.status(), CL_COMPLETE);
  }
  one_.sendBytes(10 + edge, other_, edge, 100);
  other_.receiveBytes(10 + edge, one_, edge, 100);
  EXPECT_EQ(one_.status(), CL_COMPLETE);
  EXPECT_EQ(other_.status(), CL_COMPLETE);
}

// Each session counts the edges to it by itself, so those of a send and of a receive may have one number.
TEST_P(Peers, ASendAndAReceiveOfOneNumberBothFail) {
  other_.sendBytes(2, one_, 7, kMany);
  other_.receiveBytes(3, one_, 7, 100);
  EXPECT_TRUE(other_.isQuiet());
  one_.hangUp();
  other_.send(cluster::ForgetPeer{one_.session()});
  EXPECT_EQ(other_.status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(other_.status(), CL_OUT_OF_RESOURCES);
}

TEST_P(Peers, ARefusedCommandFailsTheOtherSide) {
  other_.receiveBytes(2, one_, 1, 100);
  EXPECT_TRUE(other_.isQuiet());
  one_.run(2, SendBytes{one_.window() - 1, 100, other_.peer(), 1}); // not its memory
  EXPECT_EQ(one_.status(), CL_INVALID_VALUE);
  EXPECT_EQ(other_.status(), CL_OUT_OF_RESOURCES);
  one_.sendBytes(3, other_, 2, kMany);
  EXPECT_TRUE(one_.isQuiet());
  other_.run(3, ReceiveBytes{other_.window() - 1, 100, one_.peer(), 2});
  EXPECT_EQ(other_.status(), CL_INVALID_VALUE);
  EXPECT_EQ(one_.status(), CL_OUT_OF_RESOURCES);
}

TEST_P(Peers, TheEndOfAProgramFreesWhatWaits) {
  other_.fill(2, "a", {{1, true, one_.peer()}});
  other_.receiveBytes(3, one_, 3, RelayedProgram::kWindow);
  one_.sendBytes(2, other_, 3, RelayedProgram::kWindow, {{7, true, other_.peer()}});
  one_.fill(3, "b", {{2, true}});
  EXPECT_TRUE(other_.isQuiet());
  one_.hangUp();
  other_.hangUp();
  EXPECT_TRUE(one_.isFreed());
  EXPECT_TRUE(other_.isFreed());
}

TEST_P(Peers, RefusesWhatWouldHarmIt) {
  const std::uint64_t at = one_.window(), most = ~std::uint64_t{0};
  const std::vector<cluster::Work> harmful = {
      SendBytes{at - 1, 16, other_.peer(), 1}, SendBytes{at, RelayedProgram::kWindow + 1, other_.peer(), 1},
      ReceiveBytes{at + 8, most, other_.peer(), 1}, ReceiveBytes{0, 16, other_.peer(), 1}};
  std::uint64_t number = 2;
  for (const cluster::Work& work : harmful) {
    one_.run(number++, work);
    EXPECT_EQ(one_.status(), CL_INVALID_VALUE);
  }
  one_.receiveBytes(20, other_, 5, 16);
  one_.receiveBytes(21, other_, 5, 16); // an edge that is in use
  EXPECT_EQ(one_.status(), CL_INVALID_VALUE);
  one_.send(cluster::RecordCommand{9, SendBytes{at, 16, other_.peer(), 6}});
  one_.run(22, cluster::RunSequence{9});
  EXPECT_EQ(one_.status(), CL_INVALID_VALUE);
  one_.send(TellEnd{22, {12345, 67890}, 1}); // a node that is none
  one_.send(TellEnd{22, {other_.peer().node, 67890}, 1});
  one_.run(23, RunNothing{});
  EXPECT_EQ(one_.status(), CL_COMPLETE);
}

// The program's node reaches both.
TEST(PeerLoss, WhatWaitsForANodeOutOfReachFails) {
  TestNodes nodes(3);
  Prepared one(nodes, nodes.deviceOf(1)), other(nodes, nodes.deviceOf(2));
  one.run(2, RunNothing{}, {{1, true, other.peer()}});
  one.receiveBytes(3, other, 2, 100);
  one.sendBytes(4, other, 3, kMany);
  EXPECT_TRUE(one.isQuiet());
  nodes.fabric().cut(SeveralNodes::idOf(1), SeveralNodes::idOf(2));
  for (int i = 0; i < 3; ++i)
    EXPECT_LT(one.status(), 0);
  // Waits that begin later, of which the first is reported; also at a session that has had none.
  for (const std::uint64_t number : {5, 6}) {
    one.receiveBytes(number, other, number, 100);
    const auto [reports, status] = one.reportsAndStatus();
    EXPECT_EQ(reports, number == 5 ? 1 : 0);
    EXPECT_LT(status, 0);
  }
  other.run(2, RunNothing{}, {{6, true, one.peer()}});
  other.sendBytes(3, one, 7, kMany);
  EXPECT_LT(other.status(), 0);
  EXPECT_LT(other.status(), 0);
  for (Prepared* each : {&one, &other}) {
    each->fill(10, "a");
    EXPECT_EQ(each->status(), CL_COMPLETE);
  }
}

// A program whose next command waits for this one, as each step of a joint device does.
TEST(PeerChain, AStepThatNeedsBytesCostsTwoDelays) {
  constexpr std::chrono::milliseconds kDelay{40};
  constexpr std::uint64_t kSteps = 6, kBytes = 16384;
  TestNodes nodes(2, /*isGatewayWithDevice=*/true);
  Prepared here(nodes, nodes.deviceOf(0)), there(nodes, nodes.deviceOf(1));
  nodes.fabric().setDelay(kDelay);
  here.fill(2, "abcd");
  ASSERT_EQ(here.status(), CL_COMPLETE);
  there.fill(2, "zzzz");
  ASSERT_EQ(there.status(), CL_COMPLETE);
  const auto begin = Clock::now();
  for (std::uint64_t number = 10; number < 10 + 3 * kSteps; number += 3) {
    here.sendBytes(number, there, number, kBytes);
    there.receiveBytes(number, here, number, kBytes);
    there.run(number + 1, RunNothing{}, {{number, true}});
    for (int end = 0; end < 2; ++end)
      ASSERT_EQ(there.status(), CL_COMPLETE);
    ASSERT_EQ(here.status(), CL_COMPLETE);
  }
  const auto time = Clock::now() - begin;
  EXPECT_GE(time, 2 * kSteps * kDelay);
  EXPECT_LT(time, 3 * kSteps * kDelay) << "a step waits for the receiver to be ready";
}

TEST(PeerChain, CostsOneDelayACrossing) {
  constexpr std::chrono::milliseconds kDelay{40};
  constexpr std::uint64_t kCrossings = 20, kBytes = 100'000;
  TestNodes nodes(3);
  Prepared one(nodes, nodes.deviceOf(1)), other(nodes, nodes.deviceOf(2));
  nodes.fabric().setDelay(kDelay);
  const auto begin = Clock::now();
  // Each side adds to what the other one has, as a program would that runs kernels on both in turn.
  one.fill(2, "abcd");
  std::uint64_t last[2] = {2, 0};
  Prepared* sides[2] = {&one, &other};
  for (std::uint64_t i = 0; i < kCrossings; ++i) {
    Prepared &from = *sides[i % 2], &to = *sides[(i + 1) % 2];
    const std::uint64_t number = 10 + 3 * i;
    from.sendBytes(number, to, number, kBytes, {{last[i % 2], true}});
    to.receiveBytes(number + 1, from, number, kBytes);
    to.run(number + 2, RunFill{.target = to.window() + 4 * i, .pattern = "x", .rowBytes = 4}, {{number + 1, true}});
    last[(i + 1) % 2] = number + 2;
  }
  Prepared& end = *sides[kCrossings % 2];
  EXPECT_EQ(end.lastBytes(1000, 4 * kCrossings, {last[kCrossings % 2], true}), "xxxx");
  const auto time = Clock::now() - begin;
  EXPECT_EQ(end.lastBytes(1001, kBytes, {1000, true}), "abcd");
  EXPECT_GE(time, (kCrossings + 2) * kDelay);
  EXPECT_LT(time, (kCrossings + 2) * kDelay * 5 / 2) << "less on a machine that is not busy";
}

} // namespace
} // namespace clotho::node
