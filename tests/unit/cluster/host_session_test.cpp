// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's side of a session, whose node is this test.
#include "device/cluster/cluster_queue.hpp"

#include "cluster/frames.hpp"
#include "cluster/messages.hpp"
#include "command/storage.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
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
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;

  void SetUp() override {
    LinkEnds ends = makeLink();
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    ends.own.socket = std::move(sockets.first);
    node_ = std::make_unique<Link>(Side::Node, std::move(ends.own));
    Link::Parts parts{SharedArea::map(ends.area), makeEvent(),
                      std::move(sockets.second), UniqueFd()};
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
  answer(LocalSizeChosen{.question = run->number}); // a command is no question
  EXPECT_FALSE(session_->isLost());
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
  constexpr std::size_t kBytes = 3 * SharedArea::kSlotBytes;
  constexpr int kCopies = 100; // most wait for the slots of others
  const std::vector<std::byte> source(kBytes);
  std::vector<Ref<LooseCommand>> writes;
  for (int i = 0; i < kCopies; ++i)
    writes.push_back(start(Copy{.source = source.data(), .target = inWindow(0), .rowBytes = kBytes}));
  for (int i = 0; i < 3 * kCopies; ++i) {
    const auto run = take<RunCommand>();
    ASSERT_TRUE(run);
    const bool fails = i == 7;
    answer(Ended{.number = run->number, .status = static_cast<std::uint32_t>(fails ? CL_INVALID_VALUE : CL_COMPLETE)});
    if (fails) break; // its copy ends early, so how many parts come is not known any more
  }
  node_->close();
  int failed = 0;
  for (const Ref<LooseCommand>& write : writes)
    failed += write->wait() < 0 ? 1 : 0;
  EXPECT_GT(failed, kCopies / 2);
}

} // namespace
} // namespace clotho::cluster
