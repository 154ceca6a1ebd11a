// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validity of bytes in memory domains, and the transfers that move them.
#include "steps.hpp"

namespace clotho::test {

namespace {

using Moves = std::vector<Move>;

Move moved(int from, int to, Range range = {0, Steps::kSize}) {
  return {nullptr, static_cast<HomeId>(from), static_cast<HomeId>(to), range};
}

TEST(Storage, OneHomeIsNotTracked) {
  Steps steps(0);
  EXPECT_FALSE(steps.storage().isTracked());
  EXPECT_TRUE(Steps(1).storage().isTracked());
}

TEST(Storage, WhatWasNeverWrittenIsAsGoodAnywhere) {
  Steps steps;
  for (HomeId home : {0, 1, 2})
    EXPECT_EQ(steps.runToEnd(home, Access::Read), Moves{});
}

TEST(Storage, HostPointerHasTheBytes) {
  alignas(128) std::byte host[Steps::kSize];
  std::memset(host, 7, sizeof host);
  Steps steps(2, host);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{});
  EXPECT_EQ(steps.runToEnd(1, Access::Read), Moves{moved(0, 1)});
  EXPECT_TRUE(steps.has(1, {0, Steps::kSize}, 7));
}

TEST(Storage, BytesComeOnceFromWhereTheyWereWritten) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 5);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(1, 0)});
  EXPECT_TRUE(steps.has(kHostHome, {0, Steps::kSize}, 5));
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{}) << "valid by now";
  EXPECT_EQ(steps.runToEnd(1, Access::Read), Moves{}) << "and still valid there";
  steps.write(kHostHome, {0, Steps::kSize}, 6);
  EXPECT_EQ(steps.runToEnd(1, Access::ReadWrite), Moves{moved(0, 1)});
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(1, 0)}) << "it may have been written there";
}

TEST(Storage, NothingIsFetchedForWhatIsWrittenAnew) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 5);
  EXPECT_EQ(steps.runToEnd(2, Access::Discard), Moves{});
  EXPECT_EQ(steps.runToEnd(1, Access::Read), (Moves{moved(2, 0), moved(0, 1)}));
}

TEST(Storage, DevicesExchangeByWayOfTheHost) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 9);
  const Ref<TestCommand> reader = steps.run(2, Access::Read);
  EXPECT_EQ(steps.moves(), Moves{moved(1, 0)}) << "the second after the first";
  steps.endMove();
  EXPECT_EQ(steps.moves(), Moves{moved(0, 2)});
  EXPECT_TRUE(reader->isWaiting());
  steps.endMove();
  EXPECT_TRUE(reader->isRunning());
  EXPECT_TRUE(steps.has(2, {0, Steps::kSize}, 9));
  steps.end(reader);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{}) << "they came by there";
}

TEST(Storage, DevicesThatSeeEachOtherExchangeAtOnce) {
  Steps steps;
  steps.memory(2).seesOthers = true;
  steps.write(1, {0, Steps::kSize}, 9);
  EXPECT_EQ(steps.runToEnd(2, Access::ReadWrite), Moves{moved(1, 2)});
  EXPECT_TRUE(steps.has(2, {0, Steps::kSize}, 9));
  EXPECT_EQ(steps.runToEnd(1, Access::Read), (Moves{moved(2, 0), moved(0, 1)})) << "the other does not see this one";
}

// Nothing orders the two, so the reader may see anything; those behind both may not.
TEST(Storage, BytesMoveWhenTheirWriterIsOver) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 5);
  const Ref<TestCommand> writer = steps.run(1, Access::ReadWrite), reader = steps.run(kHostHome, Access::Read);
  EXPECT_EQ(steps.moves(), Moves{});
  EXPECT_TRUE(reader->isWaiting());
  std::memset(steps.bytes(1), 6, Steps::kSize);
  steps.end(writer);
  EXPECT_EQ(steps.moves(), Moves{moved(1, 0)});
  steps.endMove();
  steps.end(reader);
  EXPECT_TRUE(steps.has(kHostHome, {0, Steps::kSize}, 6));
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{});
}

TEST(Storage, WhatNeverRanHasWrittenNothing) {
  Steps steps;
  steps.write(1, {0, 64}, 5);
  steps.write(kHostHome, {64, 128}, 6);
  const Ref<TestCommand> command = steps.run(2, Access::Discard);
  EXPECT_TRUE(command->isRunning());
  command->giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST); // by a predecessor, before the device began it
  steps.end(command);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(1, 0, {0, 64})});
  EXPECT_TRUE(steps.has(kHostHome, {0, 64}, 5) && steps.has(kHostHome, {64, 128}, 6));
}

TEST(Storage, WhatNeverRanInAChainHasWrittenNothing) {
  for (const std::size_t length : {2, 3, 4, 40})
    for (const bool isBackwards : {false, true}) {
      Steps steps;
      steps.write(kHostHome, {0, 64}, 5);
      steps.write(2, {64, 128}, 6);
      std::vector<Ref<TestCommand>> chain;
      for (std::size_t i = 0; i < length; ++i) // the second half of the bytes has other writers, too
        chain.push_back(steps.run(1, Access::Discard, {i % 2 * 16, Steps::kSize}));
      if (isBackwards) std::ranges::reverse(chain);
      for (const Ref<TestCommand>& command : chain) {
        command->giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        steps.end(command);
      }
      EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(2, 0, {64, 128})}) << length << isBackwards;
      EXPECT_TRUE(steps.has(kHostHome, {0, 64}, 5) && steps.has(kHostHome, {64, 128}, 6));
    }
}

TEST(Storage, WhatRanInAChainStaysIfTheOthersNeverRan) {
  constexpr std::size_t kLength = 6;
  for (std::size_t ran = 0; ran < kLength; ++ran) {
    Steps steps(3);
    steps.write(kHostHome, {0, Steps::kSize}, 5);
    std::vector<Ref<TestCommand>> chain;
    for (std::size_t i = 0; i < kLength; ++i)
      chain.push_back(steps.run(i == ran ? 2 : 1, Access::Discard));
    for (std::size_t i = 0; i < kLength; ++i) {
      if (i == ran)
        std::memset(steps.bytes(2), 7, Steps::kSize);
      else
        chain[i]->giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      steps.end(chain[i]);
    }
    EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(2, 0)}) << ran;
    EXPECT_TRUE(steps.has(kHostHome, {0, Steps::kSize}, 7));
  }
}

TEST(Storage, WhatWasNeverWrittenOverwritesNothing) {
  Steps steps;
  steps.write(kHostHome, {0, Steps::kSize}, 5);
  const Ref<TestCommand> command = steps.run(1, Access::Discard), reader = steps.run(kHostHome, Access::Read);
  EXPECT_TRUE(reader->isWaiting());
  command->giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  steps.end(command);
  EXPECT_EQ(steps.moves(), Moves{});
  EXPECT_LT(reader->status(), 0);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{});
  EXPECT_TRUE(steps.has(kHostHome, {0, Steps::kSize}, 5));
}

TEST(Storage, WhatNeverRanTakesNothingFromLaterWriters) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 5);
  const Ref<TestCommand> first = steps.run(2, Access::Discard), second = steps.run(kHostHome, Access::Discard);
  first->giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  steps.end(first);
  steps.end(second);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{});
}

TEST(Storage, IntervalsAreCut) {
  Steps steps;
  steps.write(kHostHome, {0, Steps::kSize}, 1);
  steps.write(1, {10, 20}, 2);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read, {0, 30}), Moves{moved(1, 0, {10, 20})});
  EXPECT_EQ(steps.runToEnd(1, Access::Read, {5, 25}), (Moves{moved(0, 1, {5, 10}), moved(0, 1, {20, 25})}));
  EXPECT_EQ(steps.runToEnd(1, Access::Read, {4, 26}), (Moves{moved(0, 1, {4, 5}), moved(0, 1, {25, 26})}));
  EXPECT_TRUE(steps.has(1, {4, 10}, 1) && steps.has(1, {10, 20}, 2) && steps.has(1, {20, 26}, 1));
}

TEST(Storage, DisjointPartsAreWrittenOnTwoDevicesAtOnce) {
  Steps steps;
  steps.write(kHostHome, {0, Steps::kSize}, 1);
  const Ref<TestCommand> low = steps.run(1, Access::ReadWrite, {0, 64});
  const Ref<TestCommand> high = steps.run(2, Access::ReadWrite, {64, 128});
  EXPECT_EQ(steps.moves(), (Moves{moved(0, 1, {0, 64}), moved(0, 2, {64, 128})}));
  steps.endMove();
  steps.endMove();
  ASSERT_TRUE(low->isRunning() && high->isRunning());
  std::memset(steps.bytes(1), 2, 64);
  std::memset(steps.bytes(2) + 64, 3, 64);
  steps.end(high);
  steps.end(low);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), (Moves{moved(1, 0, {0, 64}), moved(2, 0, {64, 128})}));
  EXPECT_TRUE(steps.has(kHostHome, {0, 64}, 2) && steps.has(kHostHome, {64, 128}, 3));
}

TEST(Storage, IntervalsAreMerged) {
  Steps steps;
  for (std::uint64_t i = 0; i < Steps::kSize; i += 8)
    steps.write(1, {i, i + 8}, 1);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(1, 0)});
}

TEST(Storage, IntervalsAreMergedWhileOtherBytesAreOnTheirWay) {
  Steps steps;
  steps.write(1, {0, 8}, 1);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read, {0, 8});
  for (std::uint64_t i = 16; i < Steps::kSize; i += 8)
    steps.write(1, {i, i + 8}, 2);
  const Ref<TestCommand> another = steps.run(kHostHome, Access::Read, {16, Steps::kSize});
  EXPECT_EQ(steps.moves(), (Moves{moved(1, 0, {0, 8}), moved(1, 0, {16, Steps::kSize})}));
  steps.endMove();
  steps.endMove();
  steps.end(reader);
  steps.end(another);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{});
}

TEST(Storage, WhatIsUnderWayIsJoined) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 4);
  const Ref<TestCommand> far = steps.run(2, Access::Read);
  const Ref<TestCommand> farToo = steps.run(2, Access::Read, {16, 32});
  const Ref<TestCommand> host = steps.run(kHostHome, Access::Read, {100, 101});
  EXPECT_EQ(steps.moves(), Moves{moved(1, 0)});
  steps.endMove();
  EXPECT_TRUE(host->isRunning()) << "its bytes are there";
  EXPECT_EQ(steps.moves(), Moves{moved(0, 2)});
  EXPECT_TRUE(far->isWaiting() && farToo->isWaiting());
  steps.endMove();
  EXPECT_TRUE(far->isRunning() && farToo->isRunning());
  for (const Ref<TestCommand>& command : {far, farToo, host})
    steps.end(command);
}

TEST(Storage, TheWayByTheHostIsJoined) {
  Steps steps(3);
  steps.write(1, {0, Steps::kSize}, 4);
  const Ref<TestCommand> second = steps.run(2, Access::Read), third = steps.run(3, Access::Read);
  EXPECT_EQ(steps.endMove(), moved(1, 0));
  EXPECT_EQ(steps.moves(), (Moves{moved(0, 2), moved(0, 3)}));
  steps.endMove(steps.moves().at(1));
  EXPECT_TRUE(third->isRunning() && second->isWaiting());
  steps.endMove();
  steps.end(second);
  steps.end(third);
}

TEST(Storage, ALateTransferDoesNotOverwriteWhatACommandWrites) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 1);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read, {0, 64});
  const Ref<TestCommand> writer = steps.run(kHostHome, Access::Discard, {32, 96});
  const Ref<TestCommand> beside = steps.run(kHostHome, Access::Discard, {96, 128});
  EXPECT_TRUE(writer->isWaiting());
  EXPECT_TRUE(beside->isRunning()) << "none of its bytes are on their way";
  steps.endMove();
  ASSERT_TRUE(writer->isRunning());
  std::memset(steps.bytes(kHostHome) + 32, 2, 64);
  for (const Ref<TestCommand>& command : {reader, writer, beside})
    steps.end(command);
  EXPECT_EQ(steps.moves(), Moves{});
  EXPECT_TRUE(steps.has(kHostHome, {0, 32}, 1) && steps.has(kHostHome, {32, 96}, 2));
}

TEST(Storage, ATransferOfBytesThatWereWrittenMeanwhileMakesNothingValid) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 1);
  const Ref<TestCommand> reader = steps.run(kHostHome, Access::Read);
  steps.write(1, {0, 64}, 2);
  steps.endMove();
  steps.end(reader);
  EXPECT_EQ(steps.runToEnd(kHostHome, Access::Read), Moves{moved(1, 0, {0, 64})});
}

// Kernels may only read what they might write, on several devices at once.
TEST(Storage, TransfersOfDifferentVersionsKeepTheirOrder) {
  Steps steps;
  steps.write(kHostHome, {0, Steps::kSize}, 1);
  const Ref<TestCommand> reader = steps.run(2, Access::Read);
  ASSERT_EQ(steps.moves(), Moves{moved(0, 2)});
  // Valid on device 1 alone from here on, with the same bytes; then the host fetches what is being read there.
  const Ref<TestCommand> first = steps.run(1, Access::ReadWrite);
  steps.endMove(steps.moves().at(0));
  ASSERT_TRUE(first->isRunning());
  const Ref<TestCommand> host = steps.run(kHostHome, Access::Read);
  steps.end(first);
  EXPECT_EQ(steps.moves(), Moves{moved(0, 2)}) << "the host's bytes are still being read";
  steps.endMove();
  EXPECT_EQ(steps.moves(), Moves{moved(1, 0)});
  steps.endMove();
  for (const Ref<TestCommand>& command : {reader, host})
    steps.end(command);
}

TEST(Storage, ACommandUsesTheSameBytesTwice) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 1);
  const Ref<TestCommand> command =
      steps.make(kHostHome, {steps.operand(Access::ReadWrite, {0, 64}), steps.operand(Access::Read, {32, 128}),
                             steps.operand(Access::ReadWrite, {0, 64}), steps.operand(Access::Discard, {120, 128})});
  command->arm();
  EXPECT_EQ(steps.moves(), (Moves{moved(1, 0, {0, 64}), moved(1, 0, {64, 128})}));
  steps.endMove();
  EXPECT_TRUE(command->isWaiting());
  steps.endMove();
  ASSERT_TRUE(command->isRunning());
  EXPECT_TRUE(steps.has(kHostHome, {0, Steps::kSize}, 1));
  steps.end(command);
  EXPECT_EQ(steps.runToEnd(1, Access::Read), (Moves{moved(0, 1, {0, 64}), moved(0, 1, {120, 128})}));
}

TEST(Storage, LivesUntilItsTransfersEnd) {
  Steps steps;
  steps.write(1, {0, Steps::kSize}, 1);
  steps.run(kHostHome, Access::Read);
  steps.release();
  EXPECT_EQ(steps.allocations(), 2u);
  const Ref<TestCommand> command(static_cast<TestCommand&>(*[&] {
    steps.endMove();
    return steps.commands().started().at(0);
  }()));
  EXPECT_EQ(steps.allocations(), 2u) << "the command uses it";
  steps.end(command);
  EXPECT_EQ(steps.allocations(), 0u);
}

} // namespace

} // namespace clotho::test
