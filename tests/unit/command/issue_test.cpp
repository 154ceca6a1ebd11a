// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands of devices that order them by themselves: these start when what they follow has been issued.
#include "issued.hpp"
#include "steps.hpp"

#include "command/replay.hpp"
#include "command/work_list.hpp"

#include <algorithm>
#include <array>

namespace clotho::test {

namespace {

constexpr cl_int kFailure = CL_OUT_OF_RESOURCES;
constexpr cl_int kOfWaitList = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
constexpr Range kAll{0, Steps::kSize};

/// A queue whose commands the device orders after those of all queues with the same `device`.
class Stream final : public DeviceQueue {
 public:
  explicit Stream(const void* device, std::uint64_t number = 1) : DeviceQueue(device), number_(number) {}
  void start(Node& node, WorkList& ready) noexcept override {
    started.push_back(&node);
    if (issuesAtOnce) issue(node, ready);
  }
  void issue(Node& node, WorkList& ready) noexcept { node.issued(number_ << 32 | ++issued_, ready); }

  std::vector<Node*> started;
  bool issuesAtOnce = true;

 private:
  const std::uint64_t number_;
  std::uint64_t issued_ = 0;
};

Ref<Issued> userEvent() { return make(nullptr, Nothing{}); }

std::vector<std::uint64_t> ticketsOf(const Node& node) {
  std::vector<std::uint64_t> tickets;
  node.forEachIssuedPredecessor([&](std::uint64_t ticket) { tickets.push_back(ticket); });
  return tickets;
}

using Tickets = std::vector<std::uint64_t>;
constexpr std::uint64_t kFirst = std::uint64_t{1} << 32 | 1, kSecond = kFirst + 1;

class IssueTest : public testing::Test {
 protected:
  bool isStarted(const Ref<Issued>& node) const {
    return std::find(queue.started.begin(), queue.started.end(), node.get()) != queue.started.end();
  }

  int device = 0, otherDevice = 0;
  Stream queue{&device};
  Stream second{&device, 2}, other{&otherDevice};
};

TEST_F(IssueTest, StartsACommandWhenItsPredecessorIsIssued) {
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}});
  EXPECT_TRUE(isStarted(after));
  EXPECT_FALSE(before->isDone());
  EXPECT_EQ(ticketsOf(*before), Tickets{});
  EXPECT_EQ(ticketsOf(*after), Tickets{kFirst});
  before->complete(CL_COMPLETE);
  after->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), CL_COMPLETE);
}

TEST_F(IssueTest, ReachesCommandsThatWereEnqueuedBefore) {
  queue.issuesAtOnce = false;
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}), third = run(second, {{after.get()}});
  EXPECT_FALSE(isStarted(after));
  WorkList ready;
  queue.issue(*before, ready);
  EXPECT_FALSE(isStarted(after)) << "the list runs it";
  ready.run();
  EXPECT_TRUE(isStarted(after));
  EXPECT_EQ(ticketsOf(*after), Tickets{kFirst});
  EXPECT_TRUE(second.started.empty());
  queue.issue(*after, ready);
  ready.run();
  EXPECT_EQ(second.started.size(), 1u);
  EXPECT_EQ(ticketsOf(*third), Tickets{kSecond});
  for (const Ref<Issued>& each : {before, after, third})
    each->complete(CL_COMPLETE);
}

TEST_F(IssueTest, ACommandThatEndsWithoutHavingBeenIssuedStartsOthersToo) {
  queue.issuesAtOnce = false;
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get(), false}});
  before->complete(kFailure);
  EXPECT_TRUE(isStarted(after));
  EXPECT_EQ(ticketsOf(*after), Tickets{});
  const Ref<Issued> late = run(queue, {{before.get(), false}, {after.get()}});
  EXPECT_FALSE(isStarted(late));
  after->complete(CL_COMPLETE);
  EXPECT_TRUE(isStarted(late));
  EXPECT_EQ(ticketsOf(*late), Tickets{});
  late->complete(CL_COMPLETE);
  EXPECT_EQ(late->status(), CL_COMPLETE);
}

TEST_F(IssueTest, WaitsForTheEndOfOtherDevicesCommands) {
  StepQueue near;
  const Ref<Issued> onOther = run(other), onNear = run(near);
  const Ref<Issued> after = run(queue, {{onOther.get()}, {onNear.get()}}), behind = run(near, {{after.get()}});
  onOther->complete(CL_COMPLETE);
  EXPECT_FALSE(isStarted(after));
  near.take(0).complete(CL_COMPLETE);
  EXPECT_TRUE(isStarted(after));
  EXPECT_TRUE(near.started().empty());
  after->complete(CL_COMPLETE);
  ASSERT_EQ(near.started().size(), 1u);
  near.take(0).complete(CL_COMPLETE);
  EXPECT_TRUE(behind->isDone());
}

TEST_F(IssueTest, AnEndThatIsToldTooEarlyWaits) {
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}), last = run(second, {{after.get()}});
  const Ref<Issued> host = run(queue, {{after.get()}}, HostCall{});
  last->complete(CL_COMPLETE);
  after->complete(CL_COMPLETE);
  EXPECT_FALSE(after->isDone() || last->isDone() || host->isOnHost);
  const Ref<Issued> late = run(queue, {{last.get()}});
  EXPECT_TRUE(isStarted(late));
  before->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), CL_COMPLETE);
  EXPECT_EQ(last->status(), CL_COMPLETE);
  EXPECT_TRUE(host->isOnHost);
  host->complete(CL_COMPLETE);
  late->complete(CL_COMPLETE);
  EXPECT_TRUE(late->isDone());
}

TEST_F(IssueTest, AFailureReachesWhatHasBeenIssued) {
  for (const bool isToldEarly : {false, true}) {
    const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}), third = run(second, {{after.get()}});
    const Ref<Issued> inOrder = run(queue, {{before.get(), false}});
    EXPECT_FALSE(after->isToFail());
    if (isToldEarly) third->complete(CL_COMPLETE);
    if (isToldEarly) after->complete(CL_COMPLETE);
    before->complete(kFailure);
    if (!isToldEarly) {
      EXPECT_TRUE(after->isToFail()) << "a device that has not begun it need not run it";
      after->complete(CL_COMPLETE);
      third->complete(CL_COMPLETE);
    }
    inOrder->complete(CL_COMPLETE);
    EXPECT_EQ(before->status(), kFailure);
    EXPECT_EQ(after->status(), kOfWaitList);
    EXPECT_EQ(third->status(), kOfWaitList);
    EXPECT_EQ(inOrder->status(), CL_COMPLETE) << "the order of a queue passes no failure";
  }
}

TEST_F(IssueTest, AnOwnFailureStays) {
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}});
  after->complete(CL_OUT_OF_HOST_MEMORY);
  before->complete(kFailure);
  EXPECT_EQ(after->status(), CL_OUT_OF_HOST_MEMORY);
}

TEST_F(IssueTest, AnEarlyFailureReachesSuccessorsBeforeTheEnd) {
  const Ref<Issued> before = run(queue), failed = run(queue, {{before.get()}}), event = userEvent();
  const Ref<Issued> issued = run(queue, {{failed.get()}}), waiting = run(queue, {{failed.get()}, {event.get()}});
  const Ref<Issued> inOrder = run(queue, {{failed.get(), false}});
  failed->complete(kFailure);
  EXPECT_FALSE(failed->isDone());
  EXPECT_TRUE(issued->isToFail());
  EXPECT_FALSE(inOrder->isToFail());
  const Ref<Issued> late = run(queue, {{failed.get()}});
  event->complete(CL_COMPLETE);
  EXPECT_FALSE(isStarted(waiting) || isStarted(late)) << "the device may have forgotten the failure";
  issued->complete(CL_COMPLETE);
  inOrder->complete(CL_COMPLETE);
  before->complete(CL_COMPLETE);
  EXPECT_EQ(failed->status(), kFailure);
  for (const Ref<Issued>& each : {issued, waiting, late})
    EXPECT_EQ(each->status(), kOfWaitList);
  EXPECT_EQ(inOrder->status(), CL_COMPLETE);
}

TEST_F(IssueTest, ACommandThatFailsBeforeItStartsEndsInOrder) {
  const Ref<Issued> before = run(queue), event = userEvent();
  const Ref<Issued> after = run(queue, {{before.get(), false}, {event.get()}});
  const Ref<Issued> inOrder = run(queue, {{after.get(), false}}), host = run(queue, {{after.get()}}, HostCall{});
  EXPECT_FALSE(isStarted(after) || isStarted(inOrder));
  event->complete(kFailure);
  EXPECT_FALSE(isStarted(after));
  EXPECT_FALSE(after->isDone()) << "what it shares with the command before it is in use";
  EXPECT_FALSE(isStarted(inOrder));
  before->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), kOfWaitList);
  EXPECT_EQ(host->status(), kOfWaitList);
  ASSERT_TRUE(isStarted(inOrder));
  inOrder->complete(CL_COMPLETE);
}

TEST_F(IssueTest, HostCommandsWaitForTheEnd) {
  const Ref<Issued> before = run(queue);
  std::vector<Ref<Issued>> host;
  host.push_back(run(queue, {{before.get()}}, HostCall{}));
  host.push_back(run(queue, {{before.get()}}, Map{}));
  host.push_back(run(queue, {{before.get()}}, Unmap{}));
  host.push_back(run(queue, {{before.get()}}, Migrate{}));
  const Ref<Issued> read = run(queue, {{before.get()}}, Copy{});
  for (const Ref<Issued>& each : host)
    EXPECT_FALSE(each->isDone() || each->isOnHost);
  EXPECT_FALSE(isStarted(read));
  before->complete(CL_COMPLETE);
  EXPECT_TRUE(host[0]->isOnHost);
  host[0]->complete(CL_COMPLETE);
  for (const Ref<Issued>& each : host)
    EXPECT_EQ(each->status(), CL_COMPLETE);
  ASSERT_TRUE(isStarted(read));
  read->complete(CL_COMPLETE);
}

TEST_F(IssueTest, MarkersTakeTheirPlaceBehindWhatIsNotComplete) {
  const Ref<Issued> before = run(queue), marker = run(queue, {{before.get()}}, Nothing{});
  EXPECT_TRUE(isStarted(marker));
  const Ref<Issued> after = run(second, {{marker.get()}});
  EXPECT_EQ(ticketsOf(*after), Tickets{kSecond});
  for (const Ref<Issued>& each : {before, marker})
    each->complete(CL_COMPLETE);
  EXPECT_EQ(marker->status(), CL_COMPLETE);
  const Ref<Issued> later = run(queue, {{marker.get()}}, Nothing{});
  EXPECT_EQ(later->status(), CL_COMPLETE) << "behind what is complete they need no device";
  after->complete(CL_COMPLETE);
}

/// A command that uses all bytes of the storage.
Fill use(Steps& steps, Access access) {
  Fill fill{};
  fill.to = steps.operand(access, kAll);
  return fill;
}
/// A command that needs all bytes of the storage, and counts as one that writes them.
Fill change(Steps& steps) { return use(steps, Access::ReadWrite); }

TEST_F(IssueTest, TransfersKeepThePlacesOfPredecessors) {
  Steps steps;
  steps.write(2, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), event = userEvent();
  const Ref<Issued> after = run(queue, {{before.get()}, {event.get()}}, change(steps));
  EXPECT_TRUE(steps.moves().empty());
  event->complete(CL_COMPLETE);
  ASSERT_EQ(steps.moves().size(), 1u);
  EXPECT_FALSE(isStarted(after));
  steps.endMove();
  ASSERT_EQ(steps.moves().size(), 1u) << "by way of the host";
  steps.endMove();
  EXPECT_TRUE(isStarted(after));
  EXPECT_EQ(ticketsOf(*after), Tickets{kFirst});
  EXPECT_TRUE(steps.has(1, kAll, 7));
  after->complete(CL_COMPLETE);
  EXPECT_FALSE(after->isDone());
  before->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), CL_COMPLETE);
}

TEST_F(IssueTest, AFailingTransferPassesItsOwnCode) {
  for (const bool hasPredecessor : {false, true}) {
    queue.started.clear(); // nodes that are gone, whose addresses may come again
    Steps steps;
    steps.write(kHostHome, kAll, 7);
    steps.storage().allocateOn(1);
    const Ref<Issued> before = run(queue);
    const Ref<Issued> after =
        run(queue, hasPredecessor ? std::vector<After>{{before.get()}} : std::vector<After>{}, change(steps));
    steps.endMove(kFailure);
    EXPECT_FALSE(isStarted(after));
    EXPECT_EQ(after->isDone(), !hasPredecessor);
    before->complete(CL_COMPLETE);
    EXPECT_EQ(after->status(), kFailure);
    EXPECT_TRUE(steps.runToEnd(kHostHome, Access::Read).empty()) << "it has changed nothing";
  }
}

TEST_F(IssueTest, AFailureWhileTransfersRunIsOfTheWaitList) {
  Steps steps;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}, change(steps));
  before->complete(kFailure);
  EXPECT_FALSE(after->isDone()) << "the transfer is at work with its memory";
  steps.endMove();
  EXPECT_FALSE(isStarted(after));
  EXPECT_EQ(after->status(), kOfWaitList);
  EXPECT_TRUE(steps.runToEnd(kHostHome, Access::Read).empty()) << "it has changed nothing";
}

// Those behind it by the order of a queue alone have started by then, and are not to find what was never written.
TEST_F(IssueTest, BytesThatACommandMayNotWriteAnewComeBeforeIt) {
  Steps steps;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}, use(steps, Access::Discard));
  ASSERT_EQ(steps.moves().size(), 1u);
  EXPECT_FALSE(isStarted(after));
  steps.endMove();
  EXPECT_TRUE(isStarted(after));
  const Ref<Issued> reader = run(queue, {{after.get(), false}}, use(steps, Access::Read));
  EXPECT_TRUE(isStarted(reader));
  before->complete(kFailure);
  after->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), kOfWaitList);
  EXPECT_TRUE(steps.has(1, kAll, 7));
  reader->complete(CL_COMPLETE);
  EXPECT_EQ(reader->status(), CL_COMPLETE);
  EXPECT_TRUE(steps.runToEnd(kHostHome, Access::Read).empty());
}

// Its own wait list may have succeeded.
TEST_F(IssueTest, AReaderElsewhereGetsTheBytesOfBefore) {
  Steps steps;
  steps.memory(2).seesOthers = true;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}, use(steps, Access::Discard));
  steps.endMove();
  const Ref<TestCommand> reader = steps.run(2, Access::Read);
  EXPECT_TRUE(reader->isWaiting());
  before->complete(kFailure);
  after->complete(CL_COMPLETE);
  ASSERT_EQ(steps.moves().size(), 1u);
  EXPECT_EQ(steps.endMove().from, 1);
  ASSERT_TRUE(reader->isRunning());
  EXPECT_TRUE(steps.has(2, kAll, 7));
  steps.end(reader);
  EXPECT_TRUE(steps.runToEnd(kHostHome, Access::Read).empty());
}

TEST_F(IssueTest, BytesThatACommandWillWriteAnewDoNotCome) {
  Steps steps;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get(), false}}, use(steps, Access::Discard));
  EXPECT_TRUE(steps.moves().empty()) << "the order of a queue passes no failure";
  EXPECT_TRUE(isStarted(after));
  before->complete(CL_COMPLETE);
  after->complete(CL_COMPLETE);
}

TEST_F(IssueTest, BytesThatDoNotComeFailNoCommandThatWritesThemAnew) {
  Steps steps;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const Ref<Issued> before = run(queue), after = run(queue, {{before.get()}}, use(steps, Access::Discard));
  steps.endMove(kFailure);
  EXPECT_TRUE(isStarted(after));
  before->complete(CL_COMPLETE);
  after->complete(CL_COMPLETE);
  EXPECT_EQ(after->status(), CL_COMPLETE);
}

/// A kernel that enqueues no others.
class PlainKernel final : public DeviceKernel {
 public:
  PlainKernel() : DeviceKernel(built()) {}
  std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>&) const noexcept override { return 0; }
  std::size_t largestGroup(std::uint64_t, std::size_t most) const noexcept override { return most; }
  void chooseLocalSize(NDRange&, const DeviceProperties&) const noexcept override {}

 private:
  static const BuiltKernel& built() {
    static const BuiltKernel kernel{};
    return kernel;
  }
};

// A launch may fail, and ends the sequence.
TEST_F(IssueTest, BytesThatASequenceMayNotReachComeBeforeIt) {
  Steps steps;
  steps.write(kHostHome, kAll, 7);
  steps.storage().allocateOn(1);
  const auto fill = Ref<RecordedCommand>::adopt(new RecordedCommand(use(steps, Access::Discard)));
  const PlainKernel kernel;
  Launch plain{};
  plain.kernel = &kernel;
  const auto launch = Ref<RecordedCommand>::adopt(new RecordedCommand(std::move(plain)));
  const std::vector<Ref<RecordedCommand>> fills{fill, fill}, both{launch, fill};
  const Ref<Issued> first = run(queue, {}, Sequence{.owner = {}, .commands = fills});
  EXPECT_TRUE(steps.moves().empty());
  first->complete(CL_COMPLETE);
  steps.write(kHostHome, kAll, 7);
  const Ref<Issued> second = run(queue, {}, Sequence{.owner = {}, .commands = both});
  ASSERT_EQ(steps.moves().size(), 1u);
  steps.endMove();
  EXPECT_TRUE(isStarted(second));
  second->complete(kFailure);
  EXPECT_TRUE(steps.has(1, kAll, 7));
}

TEST_F(IssueTest, ForWantOfMemoryForTransfersACommandEndsInOrder) {
#if defined(CLOTHO_SANITIZED)
  GTEST_SKIP() << "sanitizers have an operator new of their own";
#endif
  int failures = 0;
  bool isEnough = false;
  for (int room = 0; !isEnough; ++room) {
    ASSERT_LT(room, 100);
    Steps steps;
    steps.write(kHostHome, kAll, 7);
    steps.storage().allocateOn(1);
    queue.started.clear();
    queue.started.reserve(8);
    const Ref<Issued> before = run(queue), event = userEvent();
    const Ref<Issued> after = run(queue, {{before.get()}, {event.get()}}, change(steps));
    allocationsUntilFailure = room;
    event->complete(CL_COMPLETE);
    isEnough = allocationsUntilFailure > 0;
    allocationsUntilFailure = -1;
    while (!steps.moves().empty())
      steps.endMove();
    EXPECT_FALSE(after->isDone());
    before->complete(CL_COMPLETE);
    if (isStarted(after)) {
      after->complete(CL_COMPLETE);
    } else {
      EXPECT_EQ(after->status(), CL_OUT_OF_HOST_MEMORY);
      ++failures;
    }
    EXPECT_TRUE(after->isDone());
  }
  EXPECT_GT(failures, 2);
}

TEST_F(IssueTest, ChainsMayBeLong) {
  constexpr std::size_t kLength = 100'000;
  for (const bool isBackwards : {false, true}) {
    for (const cl_int status : {CL_COMPLETE, kFailure}) {
      const Ref<Issued> first = userEvent();
      queue.started.clear();
      std::vector<Ref<Issued>> chain;
      for (std::size_t i = 0; i < kLength; ++i)
        chain.push_back(
            run(queue, {{i == 0 ? first.get() : chain.back().get()}}, i % 3 == 2 ? Command(Nothing{}) : Fill{}));
      first->complete(CL_COMPLETE);
      ASSERT_EQ(queue.started.size(), kLength);
      for (std::size_t i = 1; i < kLength; ++i)
        chain[isBackwards ? kLength - i : i]->complete(CL_COMPLETE);
      EXPECT_FALSE(chain[1]->isDone());
      chain[0]->complete(status);
      for (std::size_t i = 1; i < kLength; ++i)
        ASSERT_EQ(chain[i]->status(), status == CL_COMPLETE ? CL_COMPLETE : kOfWaitList) << i;
    }
  }
}

TEST_F(IssueTest, ReplayedStepsAreAsNew) {
  // Two lanes: 0 -> 2 -> 3 with 1 -> 2; command 2 is a barrier.
  const auto plan = std::make_shared<const SequencePlan>(
      std::vector<RecordedPlace>{{0, {}}, {1, {}}, {0, {0, 1}}, {1, {2}}, {0, {2}}});
  std::vector<Ref<RecordedCommand>> commands(plan->commandCount());
  for (std::uint32_t i = 0; i < commands.size(); ++i) {
    Command command = i == 2 ? Command(Nothing{}) : Command(Fill{});
    commands[plan->positionOf(i)] = Ref<RecordedCommand>::adopt(new RecordedCommand(std::move(command)));
  }
  const auto recording = Ref<Recording>::adopt(new Recording(plan, std::move(commands)));
  const auto pool = Ref<ReplayPool>::adopt(new ReplayPool(plan));
  for (const cl_int status : {CL_COMPLETE, kFailure, CL_COMPLETE}) {
    queue.started.clear();
    second.started.clear();
    Ref<Replay> replay = pool->take();
    Replay& steps = *replay;
    steps.prepare(recording, {{&queue, 1, {}}, {&second, 1, {}}}, /*isTracked=*/true);
    const Ref<Issued> before = run(queue);
    Ref<Issued> whole = make(&queue, Sequence{std::move(replay), {}, 0, &steps}, {{before.get()}});
    whole->arm();
    EXPECT_EQ(queue.started.size(), 1u) << "the whole is no step";
    before->complete(CL_COMPLETE);
    ASSERT_EQ(queue.started.size(), 4u);
    ASSERT_EQ(second.started.size(), 2u);
    EXPECT_EQ(ticketsOf(*queue.started[2]).size(), 2u);
    for (std::size_t i = 3; i > 0; --i)
      queue.started[i]->complete(i == 1 ? status : CL_COMPLETE);
    EXPECT_FALSE(whole->isDone());
    for (std::size_t i = 2; i > 0; --i)
      second.started[i - 1]->complete(CL_COMPLETE);
    EXPECT_EQ(whole->status(), status);
  }
}

} // namespace

} // namespace clotho::test
