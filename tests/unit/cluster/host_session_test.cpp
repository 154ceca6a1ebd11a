// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's side of a session, whose node is this test.
#include "device/cluster/cluster_queue.hpp"

#include "cluster/frames.hpp"
#include "cluster/messages.hpp"
#include "command/storage.hpp"
#include "device/cluster/sequence_copy.hpp"
#include "sample_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace clotho::cluster {
namespace {

/// A command that is not of any context.
class LooseCommand final : public Node {
 public:
  LooseCommand(DeviceQueue& queue, Command&& command)
      : Node(&queue, work_, state_, /*isTimed=*/false), work_(std::move(command)) {}
  void report(std::string message, LogLevel) noexcept override { reported += message; }
  void print(std::string_view text) noexcept override { printed += text; }
  cl_int wait() {
    sleepUntilDone();
    return status();
  }
  std::string reported, printed;

 private:
  Command work_;
  DeviceState state_;
};

/// A session whose other end is played by the test.
class HostSession : public testing::Test {
 protected:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 28;

  void SetUp() override {
    LinkEnds ends = makeLink();
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    ends.own.socket = std::move(sockets.first);
    node_ = std::make_unique<Link>(Side::Node, std::move(ends.own));
    Link::Parts parts{SharedArea::map(ends.area), makeEvent(), std::move(sockets.second), UniqueFd()};
    // Never destroyed: its thread uses it. Kept where a leak checker finds it.
    kept().push_back(session_ = new Session(NodeClient("nowhere", *Token::make()), {std::move(parts), 1, 0}));
    session_->start();
    beats_ = std::thread([this] {
      while (!isOver_.load()) {
        node_->area().nodeBeat().fetch_add(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    window_ = std::make_unique<Window>(kWindow);
    copies_ = std::make_unique<HostCopies>(*session_);
    queue_ = std::make_unique<ClusterQueue>(QueueServices{*session_, *window_, *copies_}, QueueTraits{});
    const auto made = take<MakeQueue>();
    ASSERT_TRUE(made);
    number_ = made->queue;
  }
  void TearDown() override {
    queue_ = nullptr;
    node_->close();
    while (!session_->isLost())
      std::this_thread::yield();
    isOver_.store(true);
    beats_.join();
  }
  static std::vector<Session*>& kept() {
    static auto* const all = new std::vector<Session*>;
    return *all;
  }

  std::optional<ToNode> receive() {
    std::string message;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         std::chrono::steady_clock::now() < end; std::this_thread::yield())
      if (node_->receive(message) == RingReader::Found::Message) return decode<ToNode>(message);
    return std::nullopt;
  }
  template <class Message> std::optional<Message> take() {
    const std::optional<ToNode> message = receive();
    const auto* found = message ? std::get_if<Message>(&*message) : nullptr;
    if (!found) return std::nullopt;
    return *found;
  }
  void answer(const ToHost& message) {
    ByteWriter out;
    FieldWriter{out}(message);
    answerRaw(out.bytes());
  }
  void answerRaw(const std::string& bytes) {
    node_->send([&](ByteWriter& out) {
      out.raw(bytes);
      return true;
    });
  }
  /// A command that the device orders after others of its queue.
  Ref<LooseCommand> makeOrdered(Command&& command, std::size_t predecessors = 0) {
    constexpr HomeId kDevices = 1;
    auto node = Ref<LooseCommand>::adopt(new LooseCommand(*queue_, std::move(command)));
    node->setHome(kDevices);
    node->reserveDependencies(predecessors);
    node->holdItself();
    return node;
  }
  Ref<LooseCommand> start(Command&& command) {
    auto node = Ref<LooseCommand>::adopt(new LooseCommand(*queue_, std::move(command)));
    node->holdItself();
    node->arm();
    return node;
  }
  std::byte* inWindow(std::uint64_t offset) const { return reinterpret_cast<std::byte*>(window_->base() + offset); }

  Session* session_ = nullptr;
  std::unique_ptr<Link> node_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<HostCopies> copies_;
  std::unique_ptr<ClusterQueue> queue_;
  std::uint32_t number_ = 0;
  std::atomic<bool> isOver_{false};
  std::thread beats_;
};

Fill someFill(std::byte* target) {
  Fill fill{};
  fill.target = target;
  fill.rowBytes = 16;
  fill.patternSize = 4;
  fill.rows = fill.slices = 1;
  return fill;
}

TEST_F(HostSession, ACommandGoesAndItsEndComesBack) {
  const Ref<LooseCommand> fill = start(someFill(inWindow(64)));
  const auto run = take<RunCommand>();
  ASSERT_TRUE(run);
  EXPECT_EQ(run->queue, number_);
  EXPECT_EQ(std::get<RunFill>(run->work).target, window_->base() + 64);
  EXPECT_FALSE(fill->isDone());
  answer(Reported{run->number, Reported::Level::Error, "a reason"});
  answer(Printed{run->number, "a text"});
  answer(Ended{.number = run->number, .status = static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES)});
  EXPECT_EQ(fill->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(fill->reported, "a reason");
  EXPECT_EQ(fill->printed, "a text");
}

TEST_F(HostSession, AnswersToWhatWasNotAskedDoNoHarm) {
  answer(Ended{.number = 12345});
  answer(Printed{777, "text"});
  answer(Reported{777, Reported::Level::Warn, "text"});
  answer(LocalSizeChosen{.question = 3, .local = {0, 0, 0}});
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  const auto run = take<RunCommand>();
  ASSERT_TRUE(run);
  EXPECT_FALSE(fill->isDone());
  answer(Ended{.number = run->number});
  EXPECT_EQ(fill->wait(), CL_COMPLETE);
  EXPECT_FALSE(session_->isLost());
}

TEST_F(HostSession, AnAnswerToACommandLosesTheNode) {
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  const auto run = take<RunCommand>();
  ASSERT_TRUE(run);
  answer(LocalSizeChosen{.question = run->number}); // a command is no question
  EXPECT_EQ(fill->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(session_->isLost());
}

TEST_F(HostSession, AnEndOfAQuestionIsNoAnswer) {
  std::thread node([&] {
    const auto question = take<ChooseLocalSize>();
    ASSERT_TRUE(question);
    answer(Ended{.number = question->question});
  });
  std::array<std::uint64_t, 3> local{};
  EXPECT_FALSE(session_->askLocalSize({.program = 1}, local));
  node.join();
}

TEST_F(HostSession, AQuestionThatIsNotAnsweredIsGivenUp) {
  constexpr std::chrono::milliseconds kPatience{100};
  std::array<std::uint64_t, 3> local{};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(session_->askLocalSize({.program = 1}, local, kPatience));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kPatience);
  const auto late = take<ChooseLocalSize>();
  ASSERT_TRUE(late);
  answer(LocalSizeChosen{.question = late->question, .local = {2, 1, 1}});
  std::thread node([&] {
    if (const auto next = take<ChooseLocalSize>())
      answer(LocalSizeChosen{.question = next->question, .local = {4, 1, 1}});
  });
  EXPECT_TRUE(session_->askLocalSize({.program = 1}, local));
  EXPECT_EQ(local[0], 4u);
  node.join();
}

TEST_F(HostSession, MorePredecessorsThanAMessageTakes) {
  constexpr std::size_t kCount = 40000;
  std::vector<Ref<LooseCommand>> before;
  std::vector<std::uint64_t> numbers;
  const Ref<LooseCommand> ended = start(someFill(inWindow(0)));
  const auto endedRun = take<RunCommand>();
  ASSERT_TRUE(endedRun);
  answer(Ended{.number = endedRun->number});
  ASSERT_EQ(ended->wait(), CL_COMPLETE);
  for (std::size_t i = 0; i < kCount; ++i) {
    before.push_back(makeOrdered(someFill(inWindow(0))));
    before.back()->arm();
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    numbers.push_back(run->number);
  }
  const Ref<LooseCommand> last = makeOrdered(someFill(inWindow(0)), before.size());
  for (const Ref<LooseCommand>& each : before)
    last->dependOn(*each, /*passesFailure=*/true);
  last->arm();
  std::vector<std::uint64_t> followed, markers;
  for (bool isLast = false; !isLast;) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    isLast = std::holds_alternative<RunFill>(run->work);
    EXPECT_EQ(run->endsHandled, 0u) << "the node may forget the failure of a marker that the last one is to follow";
    if (!isLast) markers.push_back(run->number);
    for (const Predecessor& each : run->after) {
      EXPECT_TRUE(each.passesFailure);
      followed.push_back(each.number);
    }
    if (isLast) numbers.push_back(run->number);
  }
  const std::uint64_t own = numbers.back();
  numbers.pop_back();
  EXPECT_FALSE(markers.empty());
  std::vector<std::uint64_t> expected = numbers;
  expected.insert(expected.end(), markers.begin(), markers.end()); // one command follows each marker
  std::ranges::sort(expected);
  std::ranges::sort(followed);
  EXPECT_TRUE(followed == expected);
  for (const std::uint64_t number : numbers)
    answer(Ended{.number = number});
  for (const std::uint64_t number : markers)
    answer(Ended{.number = number});
  answer(Ended{.number = own});
  while (node_->flush())
    std::this_thread::yield();
  EXPECT_EQ(last->wait(), CL_COMPLETE);
}

TEST_F(HostSession, AFailureThatComesBeforeTheEndOfWhatTheCommandFollows) {
  const Ref<LooseCommand> before = makeOrdered(someFill(inWindow(0)));
  before->arm();
  const auto beforeRun = take<RunCommand>();
  const Ref<LooseCommand> failed = makeOrdered(someFill(inWindow(0)), 1);
  failed->dependOn(*before, /*passesFailure=*/true);
  failed->arm();
  const auto failedRun = take<RunCommand>();
  ASSERT_TRUE(beforeRun && failedRun);
  answer(Ended{.number = failedRun->number, .status = static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES)});
  // The node is told of the end by this, and forgets the failure.
  for (bool isTold = false; !isTold;) {
    const Ref<LooseCommand> other = start(someFill(inWindow(0)));
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    isTold = run->endsHandled >= 1;
    answer(Ended{.number = run->number});
    ASSERT_EQ(other->wait(), CL_COMPLETE);
  }
  EXPECT_FALSE(failed->isDone());
  const Ref<LooseCommand> after = makeOrdered(someFill(inWindow(64)), 1);
  after->dependOn(*failed, /*passesFailure=*/true);
  after->arm();
  EXPECT_TRUE(session_->tell(FreeMemory{7}));
  ASSERT_TRUE(take<FreeMemory>()) << "what follows the failure has been sent";
  answer(Ended{.number = beforeRun->number});
  EXPECT_EQ(failed->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(after->wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

/// A memory object whose end the node is told.
class ToldMemory final : public MemoryView {
 public:
  ToldMemory(Session& session, Ref<Storage> storage, std::uint64_t address)
      : MemoryView(std::move(storage), 0, 16, /*isReadOnly=*/false), session_(session), address_(address) {}

 private:
  ~ToldMemory() override { static_cast<void>(session_.tell(FreeMemory{address_})); }

  Session& session_;
  const std::uint64_t address_;
};

TEST_F(HostSession, ASequenceIsKnownUntilItsRunIsSent) {
  using Commands = std::vector<Ref<RecordedCommand>>;
  HostMemory none(0);
  const auto homes = Ref<Homes>::adopt(new Homes(none, {}));
  Fill fill = someFill(inWindow(0));
  fill.to.memory = Ref<ToldMemory>::adopt(new ToldMemory(
      *session_, Ref<Storage>::adopt(new Storage(*homes, 16, Storage::SharedBytes{inWindow(0)})), window_->base()));
  Commands one{Ref<RecordedCommand>::adopt(new RecordedCommand(std::move(fill)))};
  const Commands other{Ref<RecordedCommand>::adopt(new RecordedCommand(someFill(inWindow(4096))))};
  PreparedSequence place;
  const auto sequenceOf = [&](const Commands& commands) {
    Sequence sequence{};
    sequence.commands = commands;
    sequence.prepared = &place;
    return sequence;
  };
  std::shared_ptr<const SequenceName> first = SequenceCopy::nameOf(*session_, sequenceOf(one), kHostHome);
  const auto recorded = take<RecordCommand>();
  ASSERT_TRUE(first && recorded);
  EXPECT_EQ(recorded->sequence, first->number());
  EXPECT_EQ(SequenceCopy::nameOf(*session_, sequenceOf(one), kHostHome), first);
  // Another thread runs another sequence at the same place, before the first one's run is sent.
  const auto second = SequenceCopy::nameOf(*session_, sequenceOf(other), kHostHome);
  ASSERT_TRUE(second);
  EXPECT_NE(second->number(), first->number());
  const std::uint64_t forgotten = first->number();
  one.clear();     // the run has ended, and the program has released the object
  first = nullptr; // its run has been sent
  const auto next = take<RecordCommand>();
  ASSERT_TRUE(next) << "the first sequence is forgotten too early";
  EXPECT_EQ(next->sequence, second->number());
  const auto forget = take<ForgetSequence>();
  ASSERT_TRUE(forget);
  EXPECT_EQ(forget->sequence, forgotten);
  EXPECT_TRUE(take<FreeMemory>()) << "the node keeps memory until it has forgotten the sequence";
}

TEST_F(HostSession, DamagedMessagesEndWhatIsUnderWay) {
  std::mt19937 random(4);
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  std::vector<std::byte> bytes(3 * SharedArea::kSlotBytes);
  const Ref<LooseCommand> read = start(Copy{.source = inWindow(0), .target = bytes.data(), .rowBytes = bytes.size()});
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 4; ++i) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    numbers.push_back(run->number);
  }
  // First such as can be decoded, most of which do not end the session; then any.
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount && !session_->isLost(); ++i) {
    const bool isAny = i >= kCount / 2;
    const std::uint64_t number = numbers[random() % numbers.size()];
    const ToHost messages[] = {Printed{number, "text"}, Reported{number, Reported::Level::Warn, "what went wrong"},
                               Ended{.number = number}, LocalSizeChosen{.question = number + 1000}};
    const std::string damaged = test::damaged(test::encoded(messages[random() % std::size(messages)]), random);
    if (!damaged.empty() && (isAny || decode<ToHost>(damaged))) answerRaw(damaged);
  }
  node_->close();
  EXPECT_LE(fill->wait(), CL_COMPLETE);
  EXPECT_LE(read->wait(), CL_COMPLETE);
}

TEST_F(HostSession, AChildOfAForkLeavesTheRingAlone) {
  LinkEnds ends = makeLink();
  FdPair sockets = makeSocketPair(SOCK_STREAM);
  Link node(Side::Node, {std::move(ends.own.area), makeEvent(), std::move(sockets.first), {}});
  Session child(NodeClient("nowhere", *Token::make()),
                {{SharedArea::map(ends.area), makeEvent(), std::move(sockets.second), {}}, 1, 0});
  child.leaveInChild();
  child.help([](const void*) { return false; }, nullptr);
  EXPECT_FALSE(node.area().writerToHost().takeSleeper()) << "the parent's thread may be awake";
}

TEST_F(HostSession, AnImpossibleStatusIsAnEnd) {
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  const auto run = take<RunCommand>();
  ASSERT_TRUE(run);
  answer(Ended{.number = run->number, .status = 3}); // CL_QUEUED
  EXPECT_EQ(fill->wait(), CL_COMPLETE);
}

TEST_F(HostSession, AMessageThatMakesNoSenseLosesTheNode) {
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  ASSERT_TRUE(take<RunCommand>());
  answerRaw("nonsense");
  EXPECT_EQ(fill->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(session_->isLost());
  EXPECT_EQ(start(someFill(inWindow(0)))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(session_->tell(FreeMemory{0}));
}

TEST_F(HostSession, ANodeThatHangsUpIsLost) {
  const Ref<LooseCommand> fill = start(someFill(inWindow(0)));
  node_->close();
  EXPECT_EQ(fill->wait(), CL_OUT_OF_RESOURCES);
}

TEST_F(HostSession, ALargeWriteComesInParts) {
  constexpr std::size_t kBytes = 5 * SharedArea::kSlotBytes + 100;
  std::vector<std::byte> source(kBytes), target(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i)
    source[i] = static_cast<std::byte>(i * 31 >> 4);
  const Ref<LooseCommand> write = start(Copy{.source = source.data(), .target = inWindow(4096), .rowBytes = kBytes});
  for (std::size_t received = 0; received < kBytes;) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    const auto& copy = std::get<RunCopy>(run->work);
    ASSERT_EQ(copy.source.kind, Place::Kind::Slots);
    ASSERT_EQ(copy.target.kind, Place::Kind::Device);
    std::memcpy(target.data() + (copy.target.address - window_->base() - 4096),
                node_->area().slots().data() + copy.source.address, copy.rowBytes);
    received += copy.rowBytes;
    answer(Ended{.number = run->number});
  }
  EXPECT_EQ(write->wait(), CL_COMPLETE);
  EXPECT_TRUE(target == source);
}

TEST_F(HostSession, RowsAreReadWithTheirGaps) {
  constexpr std::size_t kRow = 1000, kRows = 900, kPitch = 1024;
  std::vector<std::byte> target(kPitch * kRows, std::byte{0xee});
  const Ref<LooseCommand> read = start(Copy{.source = inWindow(0),
                                            .target = target.data(),
                                            .rowBytes = kRow,
                                            .rows = kRows,
                                            .sourceRowPitch = 2048,
                                            .targetRowPitch = kPitch});
  for (std::size_t rows = 0; rows < kRows;) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    const auto& copy = std::get<RunCopy>(run->work);
    ASSERT_EQ(copy.rowBytes, kRow);
    EXPECT_EQ(copy.sourceRowPitch, 2048u);
    EXPECT_EQ(copy.targetRowPitch, kRow);
    EXPECT_EQ(copy.source.address, window_->base() + rows * 2048);
    for (std::size_t i = 0; i < copy.rows; ++i)
      std::memset(node_->area().slots().data() + copy.target.address + i * kRow, static_cast<int>((rows + i) % 200),
                  kRow);
    rows += copy.rows;
    answer(Ended{.number = run->number});
  }
  EXPECT_EQ(read->wait(), CL_COMPLETE);
  for (std::size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(target[row * kPitch + kRow - 1], static_cast<std::byte>(row % 200)) << row;
    ASSERT_EQ(target[row * kPitch + kRow], std::byte{0xee}) << row;
  }
}

TEST_F(HostSession, MoreCopiesThanSlotsAllEnd) {
  constexpr std::size_t kParts = 3, kBytes = kParts * SharedArea::kSlotBytes;
  constexpr int kThreads = 4, kOfThread = 50, kCopies = kThreads * kOfThread; // most wait for the slots of others
  const std::vector<std::byte> source(kBytes);
  std::vector<Ref<LooseCommand>> writes(kCopies);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = thread * kOfThread; i < (thread + 1) * kOfThread; ++i)
        writes[static_cast<std::size_t>(i)] = start(Copy{
            .source = source.data(), .target = inWindow(static_cast<std::uint64_t>(i) * kBytes), .rowBytes = kBytes});
    });
  // The node copies the parts as they come; the first part of one copy fails.
  constexpr std::size_t kFails = 7;
  std::vector<std::uint64_t> arrived(kCopies);
  std::size_t sum = 0, expected = kCopies * kBytes;
  bool hasFailed = false;
  while (sum < expected) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    const auto& copy = std::get<RunCopy>(run->work);
    const std::uint64_t index = (copy.target.address - window_->base()) / kBytes;
    arrived.at(index) += copy.rowBytes;
    if (index != kFails) sum += copy.rowBytes;
    const bool fails = index == kFails && !hasFailed;
    if (fails) expected -= kBytes;
    hasFailed |= fails;
    answer(Ended{.number = run->number, .status = static_cast<std::uint32_t>(fails ? CL_INVALID_VALUE : CL_COMPLETE)});
  }
  for (std::thread& thread : threads)
    thread.join();
  for (std::size_t i = 0; i < kCopies; ++i) {
    if (i == kFails) continue;
    EXPECT_EQ(writes[i]->wait(), CL_COMPLETE) << i;
    EXPECT_EQ(arrived[i], kBytes) << i;
  }
  // Its other parts end with the first answer that still comes, or have come already.
  while (!writes[kFails]->isDone()) {
    std::string message;
    if (node_->receive(message) != RingReader::Found::Message) continue;
    const auto late = decode<ToNode>(message);
    const auto* run = late ? std::get_if<RunCommand>(&*late) : nullptr;
    ASSERT_TRUE(run);
    answer(Ended{.number = run->number});
  }
  EXPECT_EQ(writes[kFails]->wait(), CL_INVALID_VALUE);
}

} // namespace
} // namespace clotho::cluster
