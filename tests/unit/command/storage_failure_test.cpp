// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fails when bytes cannot be moved: the command that waits for them, and nothing else.
#include "steps.hpp"

namespace clotho::test {

namespace {

constexpr cl_int kFailure = CL_OUT_OF_RESOURCES;
constexpr Range kAll{0, Steps::kSize};

TEST(StorageFailure, OfATransferIsThatOfAllWhoWaitForIt) {
  Steps steps;
  steps.write(1, kAll, 1);
  const Ref<TestCommand> first = steps.run(kHostHome, Access::Read),
                         joined = steps.run(kHostHome, Access::Read, {0, 4});
  const Ref<TestCommand> valid = steps.run(1, Access::Read);
  steps.endMove(kFailure);
  EXPECT_EQ(first->status(), kFailure);
  EXPECT_EQ(joined->status(), kFailure);
  EXPECT_TRUE(valid->isRunning());
  steps.end(valid);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read).size(), 1u) << "the next one tries again";
  EXPECT_TRUE(steps.has(kHostHome, kAll, 1));
}

TEST(StorageFailure, OnTheWayByTheHostEndsTheWay) {
  for (int step : {0, 1}) {
    Steps steps;
    steps.write(1, kAll, 1);
    const Ref<TestCommand> writer = steps.run(2, Access::ReadWrite);
    if (step == 1) steps.endMove();
    steps.endMove(kFailure);
    EXPECT_EQ(writer->status(), kFailure);
    EXPECT_TRUE(steps.moves().empty());
    EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read).size(), step == 0 ? 1u : 0u);
    EXPECT_TRUE(steps.has(kHostHome, kAll, 1)) << "what the command would have written is as it was";
    EXPECT_TRUE(steps.runToEnd(1, Access::Read).empty()) << "and valid where it was";
  }
}

TEST(StorageFailure, LeavesWhatACommandWouldHaveWrittenAnew) {
  Steps steps;
  steps.write(1, kAll, 1);
  const Ref<TestCommand> copy =
      steps.make(kHostHome, {steps.operand(Access::Read, {0, 64}), steps.operand(Access::Discard, {64, 128})});
  copy->arm();
  steps.endMove(kFailure);
  EXPECT_EQ(copy->status(), kFailure);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read).size(), 1u);
  EXPECT_TRUE(steps.has(kHostHome, kAll, 1));
}

TEST(StorageFailure, OfACommandLeavesWhatItWasToWriteAnew) {
  Steps steps;
  steps.write(kHostHome, kAll, 1);
  const Ref<TestCommand> command =
      steps.make(1, {steps.operand(Access::ReadWrite, {64, 128}), steps.operand(Access::Discard, {0, 64})});
  command->arm();
  steps.endMove();
  std::memset(steps.bytes(1) + 64, 2, 64);
  steps.end(command, kFailure);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read).size(), 1u) << "what it has changed may be partial";
  EXPECT_TRUE(steps.has(kHostHome, {0, 64}, 1)) << "it may not have come to these";
  EXPECT_TRUE(steps.has(kHostHome, {64, 128}, 2));
  const Ref<TestCommand> first = steps.run(2, Access::Discard);
  steps.end(first, kFailure);
  steps.runToEnd(1, Access::Read);
  EXPECT_TRUE(steps.has(1, {0, 64}, 1) && steps.has(1, {64, 128}, 2));
}

TEST(StorageFailure, OfOneTransferWaitsForTheOthers) {
  Steps steps;
  steps.write(1, {0, 64}, 1);
  steps.write(2, {64, 128}, 2);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read);
  ASSERT_EQ(steps.moves().size(), 2u);
  steps.endMove(kFailure);
  EXPECT_TRUE(reader->isWaiting()) << "memory may be freed once it is done, and is still being written";
  steps.endMove();
  EXPECT_EQ(reader->status(), kFailure);
}

TEST(StorageFailure, OfWhatACommandDoesNotUseIsNotItsOwn) {
  Steps steps;
  steps.write(1, kAll, 1);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read);
  const Ref<TestCommand> writer = steps.run(kHostHome, Access::Discard, {0, 64});
  steps.endMove(kFailure);
  EXPECT_EQ(reader->status(), kFailure);
  EXPECT_TRUE(writer->isRunning());
  steps.end(writer);
}

TEST(StorageFailure, OfAnOlderVersionIsNotThatOfANewOne) {
  Steps steps;
  steps.write(1, kAll, 1);
  const Ref<TestCommand> old = steps.run(kHostHome, Access::Read);
  steps.write(1, kAll, 2);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read), far = steps.run(2, Access::Read);
  steps.endMove(kFailure);
  EXPECT_EQ(old->status(), kFailure);
  EXPECT_TRUE(reader->isWaiting() && far->isWaiting());
  steps.endMove();
  steps.endMove();
  ASSERT_TRUE(reader->isRunning() && far->isRunning());
  EXPECT_TRUE(steps.has(kHostHome, kAll, 2) && steps.has(2, kAll, 2));
  steps.end(reader);
  steps.end(far);
}

TEST(StorageFailure, AHostWithoutMemoryHasNoWayBy) {
  Steps steps(2, nullptr, /*hostLimit=*/Steps::kSize - 1);
  EXPECT_THROW(steps.storage().allocateOn(kHostHome), Error);
  steps.write(1, kAll, 1);
  const Ref<TestCommand> writer = steps.run(2, Access::ReadWrite);
  EXPECT_EQ(writer->status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_TRUE(steps.runToEnd(1, Access::Read).empty());
  EXPECT_TRUE(steps.has(1, kAll, 1));
}

TEST(StorageFailure, OfOneOperandWaitsForWhatTheOthersHaveBegun) {
  Steps steps, withoutHost(2, nullptr, /*hostLimit=*/Steps::kSize - 1);
  steps.write(kHostHome, kAll, 1);
  withoutHost.write(2, kAll, 2);
  withoutHost.storage().allocateOn(1);
  const Ref<TestCommand> command =
      steps.make(1, {steps.operand(Access::Read, kAll), withoutHost.operand(Access::Read, kAll)});
  command->arm();
  ASSERT_EQ(steps.moves().size(), 1u);
  EXPECT_TRUE(command->isWaiting()) << "memory may be freed once it is done, and is still being read";
  steps.endMove();
  EXPECT_EQ(command->status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_TRUE(withoutHost.moves().empty());
  EXPECT_TRUE(steps.has(1, kAll, 1)) << "what has come has come";
}

TEST(StorageFailure, OfADependencyMovesNothing) {
  Steps steps;
  steps.write(1, kAll, 1);
  const Ref<TestCommand> before = steps.run(1, Access::Read);
  const Ref<TestCommand> after = steps.make(kHostHome, {steps.operand(Access::Discard, kAll)});
  after->reserveDependencies(1);
  after->dependOn(*before, true);
  after->arm();
  steps.end(before, kFailure);
  EXPECT_EQ(after->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read).size(), 1u) << "valid where it was, and there alone";
}

/// Bytes that come in as many pieces as a command has room for, and more.
void scatter(Steps& steps) {
  for (std::uint64_t i = 0; i < 8; ++i)
    steps.write(static_cast<HomeId>(1 + i % 2), {i * 16, i * 16 + 16}, static_cast<int>(i));
}
bool isScattered(Steps& steps, HomeId home) {
  bool isRight = true;
  for (std::uint64_t i = 0; i < 8; ++i)
    isRight = isRight && steps.has(home, {i * 16, i * 16 + 16}, static_cast<int>(i));
  return isRight;
}

TEST(StorageFailure, ForWantOfMemoryWhereverItComes) {
#if defined(CLOTHO_SANITIZED)
  GTEST_SKIP() << "sanitizers have an operator new of their own";
#endif
  int failures = 0;
  bool isEnough = false;
  for (int room = 0; !isEnough; ++room) {
    ASSERT_LT(room, 200);
    Steps steps(3);
    scatter(steps);
    const Ref<TestCommand> joined = steps.run(3, Access::Read, {0, 16});
    const Ref<TestCommand> writer = steps.make(3, {steps.operand(Access::ReadWrite, kAll)});
    allocationsUntilFailure = room;
    writer->arm();
    isEnough = allocationsUntilFailure > 0;
    allocationsUntilFailure = -1;
    // Others may join what it has begun and then fail with it, but only with it.
    const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read);
    while (!steps.moves().empty())
      steps.endMove();
    ASSERT_FALSE(writer->isWaiting() || reader->isWaiting() || joined->isWaiting()) << room;
    EXPECT_TRUE(joined->isRunning()) << room;
    if (writer->isRunning()) {
      steps.end(writer);
    } else {
      EXPECT_EQ(writer->status(), CL_OUT_OF_HOST_MEMORY);
      ++failures;
    }
    for (const Ref<TestCommand>& command : {joined, reader})
      if (command->isRunning()) steps.end(command);
    for (HomeId home : {0, 1, 2, 3}) {
      steps.runToEnd(home, Access::Read);
      EXPECT_TRUE(isScattered(steps, home)) << "room for " << room << ", home " << int{home};
    }
  }
  EXPECT_GT(failures, 8);
}

} // namespace

} // namespace clotho::test
