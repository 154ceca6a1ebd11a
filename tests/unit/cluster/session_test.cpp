// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "served_session.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace clotho::node {
namespace {

using cluster::Ended;
using cluster::Place;
using cluster::RunCommand;
using cluster::RunCopy;
using cluster::RunFill;
using test::ServedSession;

constexpr std::uint64_t kPage = 4096;

RunCommand command(std::uint64_t number, cluster::Work work, const std::vector<std::uint64_t>& after = {},
                   bool passesFailure = false) {
  RunCommand command{.number = number, .queue = 1, .work = std::move(work)};
  for (const std::uint64_t each : after)
    command.after.push_back({each, passesFailure});
  return command;
}

TEST(NodeSession, RunsCommandsInTheirOrder) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, false});
  session.send(cluster::UseMemory{at, 2 * kPage});
  session.send(cluster::WriteBytes{at, "abcd"});
  session.send(command(2, RunFill{.target = at, .pattern = "xy", .rowBytes = kPage}));
  session.send(command(
      3, RunCopy{.source = {Place::Kind::Device, at}, .target = {Place::Kind::Device, at + kPage}, .rowBytes = kPage},
      {2}));
  session.send(command(
      4, RunCopy{.source = {Place::Kind::Device, at + kPage}, .target = {Place::Kind::Slots, 0}, .rowBytes = kPage},
      {2, 3}));
  session.send(command(5, cluster::RunNothing{}, {4, 1234}));
  for (const std::uint64_t number : {2, 3, 4, 5}) {
    const Ended end = session.ended();
    EXPECT_EQ(end.number, number);
    EXPECT_EQ(end.status, static_cast<std::uint32_t>(CL_COMPLETE));
    EXPECT_LE(end.started, end.ended);
    EXPECT_NE(end.ended, 0u);
  }
  EXPECT_EQ(std::memcmp(session.slots().data(), "xyxyxy", 6), 0);
  EXPECT_EQ(session.slots()[kPage - 1], std::byte{'y'});
}

TEST(NodeSession, RunsASequenceAgainAndAgain) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, true});
  session.send(cluster::UseMemory{at, kPage});
  session.send(cluster::RecordCommand{7, RunFill{.target = at, .pattern = "a", .rowBytes = 8}});
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(cluster::RecordCommand{
      7, RunCopy{.source = {Place::Kind::Device, at}, .target = {Place::Kind::Slots, 64}, .rowBytes = 8}});
  session.send(command(2, cluster::RunSequence{7}));
  session.send(command(3, cluster::RunSequence{7}, {2}));
  session.send(cluster::ForgetSequence{7}); // runs that are under way keep it
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE));
  EXPECT_EQ(std::memcmp(session.slots().data() + 64, "aaaaaaaa", 8), 0);
  session.send(command(4, cluster::RunSequence{7}));
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_INVALID_VALUE));
}

// A program whose commands have ended may give the addresses to another object at once.
TEST(NodeSession, MemoryIsFreeWhenCommandsHaveEnded) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, true});
  for (std::uint64_t number = 2; number < 1000; number += 3) {
    session.send(cluster::UseMemory{at, kPage});
    session.send(cluster::RecordCommand{number, RunFill{.target = at, .pattern = "a", .rowBytes = 8}});
    session.send(command(number, RunFill{.target = at, .pattern = "b", .rowBytes = kPage}));
    session.send(command(number + 1,
                         RunCopy{.source = {Place::Kind::Device, at}, .target = {Place::Kind::Slots, 0}, .rowBytes = 8},
                         {number}));
    session.send(command(number + 2, cluster::RunSequence{number}, {number, number + 1}));
    session.send(cluster::ForgetSequence{number});
    for (int i = 0; i < 3; ++i)
      ASSERT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE)) << "after command " << number;
    session.send(cluster::FreeMemory{at});
  }
}

TEST(NodeSession, ASequenceThatLacksACommandDoesNotRun) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, true});
  session.send(cluster::UseMemory{at, kPage});
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(cluster::RecordCommand{7, RunFill{.target = at + kPage, .pattern = "a", .rowBytes = 8}});
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(command(2, cluster::RunSequence{7}));
  EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_INVALID_VALUE);
  session.send(cluster::ForgetSequence{7});
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(command(3, cluster::RunSequence{7}));
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE));
}

TEST(NodeSession, ASequenceThatHasRunIsNotExtended) {
  ServedSession session;
  session.send(cluster::MakeQueue{1, true});
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(command(2, cluster::RunSequence{7}));
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE));
  session.send(cluster::RecordCommand{7, cluster::RunNothing{}});
  session.send(command(3, cluster::RunSequence{7}));
  EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_INVALID_VALUE);
}

TEST(NodeSession, FailuresAreKnownUntilTheProgramHasHeardOfThem) {
  ServedSession session;
  session.send(cluster::MakeQueue{1, false});
  constexpr std::uint64_t kFirst = 2, kCount = 3000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    session.send(command(kFirst + i, RunFill{.target = 0, .pattern = "a", .rowBytes = 8}));
    EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_INVALID_VALUE);
  }
  session.send(command(5000, cluster::RunNothing{}, {kFirst}, /*passesFailure=*/true));
  EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  RunCommand late = command(5001, cluster::RunNothing{}, {kFirst}, /*passesFailure=*/true);
  late.endsHandled = 1;
  session.send(late);
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE));
  late = command(5002, cluster::RunNothing{}, {kFirst + 1}, /*passesFailure=*/true);
  session.send(late);
  EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST(NodeSession, RefusesWhatWouldHarmIt) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, false});
  session.send(cluster::UseMemory{at, kPage});
  const Place inside{Place::Kind::Device, at}, slots{Place::Kind::Slots, 0};
  const std::uint64_t most = ~std::uint64_t{0}, all = session.slots().size();
  const std::vector<cluster::Work> harmful = {
      RunCopy{.source = inside, .target = slots, .rowBytes = kPage + 1},
      RunCopy{.source = {Place::Kind::Device, at + 1}, .target = slots, .rowBytes = kPage},
      RunCopy{.source = inside, .target = {Place::Kind::Slots, all - 1}, .rowBytes = 2},
      RunCopy{.source = inside, .target = {Place::Kind::Slots, most}, .rowBytes = 2},
      RunCopy{.source = inside, .target = slots, .rowBytes = 16, .rows = 2, .sourceRowPitch = kPage},
      RunCopy{.source = inside, .target = slots, .rowBytes = 16, .rows = most, .sourceRowPitch = most},
      RunCopy{.source = inside, .target = slots, .rowBytes = 16, .slices = 2, .sourceSlicePitch = most},
      RunCopy{.source = inside, .target = slots, .rowBytes = 1, .rows = std::uint64_t{1} << 52},
      RunCopy{.source = inside, .target = slots, .rowBytes = 16, .rows = 2, .sourceRowPitch = 15, .targetRowPitch = 16},
      RunCopy{.source = inside, .target = slots, .rowBytes = 16, .slices = 2, .sourceSlicePitch = 16},
      RunCopy{.source = {Place::Kind::Device, 16}, .target = slots, .rowBytes = 16},
      RunCopy{.source = inside, .target = slots, .rowBytes = 0},
      RunFill{.target = at, .pattern = "abc", .rowBytes = 6},
      RunFill{.target = at, .pattern = "", .rowBytes = 6},
      RunFill{.target = at, .pattern = std::string(256, 'x'), .rowBytes = 256},
      RunFill{.target = at, .pattern = "abcd", .rowBytes = 6},
      RunFill{.target = at + kPage, .pattern = "a", .rowBytes = 1},
      cluster::RunLaunch{.program = 1},
      cluster::RunSequence{1}};
  std::uint64_t number = 2;
  for (const cluster::Work& work : harmful) {
    session.send(command(number, work));
    const Ended end = session.ended();
    EXPECT_EQ(end.number, number++);
    EXPECT_EQ(static_cast<cl_int>(end.status), CL_INVALID_VALUE) << work.index() << ' ' << number;
  }
  session.send(RunCommand{.number = 100, .queue = 2}); // there is no such queue
  EXPECT_EQ(static_cast<cl_int>(session.ended().status), CL_INVALID_VALUE);
  session.send(cluster::WriteBytes{at + kPage - 1, "ab"}); // in vain
  session.send(cluster::UseMemory{at, kPage});
  session.send(cluster::FreeMemory{at + 5});
  session.send(command(101, cluster::RunNothing{}));
  EXPECT_EQ(session.ended().number, 101u);
}

TEST(NodeSession, WhatFailsEndsWhatWaitsForItByItsList) {
  ServedSession session;
  const std::uint64_t at = session.window();
  session.send(cluster::MakeQueue{1, false});
  session.send(cluster::UseMemory{at, kPage});
  const RunFill fill{.target = at, .pattern = "a", .rowBytes = 8};
  session.send(command(2, RunFill{.target = at, .pattern = "abc", .rowBytes = 6}));
  session.send(command(3, fill, {2}, /*passesFailure=*/true));
  session.send(command(4, fill, {3}, /*passesFailure=*/true));
  session.send(command(5, cluster::RunNothing{}, {2, 3, 4})); // an order of a queue
  for (const cl_int status : {CL_INVALID_VALUE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
                              CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_COMPLETE})
    EXPECT_EQ(static_cast<cl_int>(session.ended().status), status);
  session.send(
      command(6, RunCopy{.source = {Place::Kind::Device, at}, .target = {Place::Kind::Slots, 0}, .rowBytes = 8}));
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_COMPLETE));
  EXPECT_EQ(session.slots()[0], std::byte{0}) << "a fill ran";
}

/// A device that has resources for no queue.
class FullDevice final : public Device {
 public:
  const DeviceProperties& properties() const noexcept override { return its_.properties(); }
  const Claims& claims() const noexcept override { return its_.claims(); }
  const Target& target() const noexcept override { return its_.target(); }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override {
    return its_.load(std::move(built), log);
  }
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits&) override {
    throw Error{CL_OUT_OF_RESOURCES, "the device has no more queues"};
  }
  void checkCode(const BuildResult& built) const override { its_.checkCode(built); }
  std::uint64_t now() const noexcept override { return its_.now(); }
  void afterFork() override {}
  void startThreads() override {}
  UnitList units() const override { return its_.units(); }

 private:
  Device& its_ = ServedSession::device();
};

TEST(NodeSession, AQueueThatCannotBeMadeFailsItsCommands) {
  FullDevice* const device = new FullDevice;
  const auto kept = Ref<Device>::adopt(device);
  ServedSession session(*device);
  session.send(cluster::MakeQueue{1, true});
  session.send(command(2, cluster::RunNothing{}));
  EXPECT_EQ(session.ended().status, static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES));
  EXPECT_FALSE(session.isOver());
}

TEST(NodeSession, EndsWithAMessageThatMakesNoSense) {
  ServedSession session;
  session.sendRaw("nonsense");
  EXPECT_TRUE(session.isOverSoon());
}

TEST(NodeSession, EndsWithItsProgram) {
  ServedSession session;
  session.hangUp();
  EXPECT_TRUE(session.isOverSoon());
}

} // namespace
} // namespace clotho::node
