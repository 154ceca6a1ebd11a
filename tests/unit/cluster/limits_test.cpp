// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node that has the token can have of another one, and what becomes of transfers that this has no memory for.
#include "node/relay/guest_share.hpp"
#include "node/relay/roster.hpp"
#include "sample_messages.hpp"
#include "scripted_fabric.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

namespace clotho::node {
namespace {

using cluster::Place;
using test::frame;
using test::RelayedProgram;
using Kind = Frame::Kind;

constexpr NodeId kNode = 5, kOther = 6;
constexpr std::uint64_t kPage = RelayedProgram::kPage;

/// A node whose others are the test, which has a program with sessions here.
class LimitsTest : public testing::Test {
 protected:
  void SetUp() override {
    here_.fabric.setHeard([this](NodeId to, const Frame& sent, const std::string& payload) {
      const MutexLock lock(mutex_);
      if (sent.kind == Kind::Answer)
        answers_[{to, sent.number}] =
            cluster::decode<cluster::SessionOpened>(payload).value_or(cluster::SessionOpened{.why = "no answer"});
      const auto message = sent.kind == Kind::ToProgram ? cluster::decode<cluster::ToHost>(sent.body) : std::nullopt;
      if (const auto* end = message ? std::get_if<cluster::Ended>(&*message) : nullptr)
        ends_[end->number] = static_cast<cl_int>(end->status);
      changed_.notifyAll();
    });
    for (const NodeId node : {kNode, kOther}) {
      here_.fabric.join(node);
      ASSERT_TRUE(here_.fabric.deliver(node, frame(Kind::Devices, 0), test::oneDevice()));
    }
  }
  void TearDown() override {
    here_.fabric.lose(kNode);
    here_.fabric.lose(kOther);
    here_.fabric.setHeard({});
  }

  /// Why a session of this number does not open; empty if it does.
  std::string open(NodeId node, std::uint64_t session, std::uint64_t size = kPage) {
    window_ = test::ownAddresses(size);
    return answerTo(node, {session, 1, {0, window_, size}}).why;
  }
  cluster::SessionOpened answerTo(NodeId node, const OpenRemote& open) {
    const std::uint64_t question = ++lastQuestion_;
    if (!here_.fabric.deliver(node, frame(Kind::Ask, question), cluster::test::encoded(Inquiry(open))))
      return {.why = "dropped"};
    MutexLock lock(mutex_);
    const bool isAnswered = changed_.waitFor(mutex_, std::chrono::seconds(20), [&]() NO_THREAD_SAFETY_ANALYSIS {
      return answers_.contains({node, question});
    });
    return isAnswered ? answers_[{node, question}] : cluster::SessionOpened{.why = "silence"};
  }
  bool tell(std::uint64_t session, const cluster::ToNode& message, const std::string& payload = "",
            int allocations = -1) {
    return here_.fabric.deliver(kNode, frame(Kind::ToSession, session, cluster::test::encoded(message)), payload,
                                allocations);
  }
  /// The status of a command's end; a positive number if it does not end.
  cl_int endOf(std::uint64_t number) {
    MutexLock lock(mutex_);
    const bool isOver = changed_.waitFor(mutex_, std::chrono::seconds(20),
                                         [&]() NO_THREAD_SAFETY_ANALYSIS { return ends_.contains(number); });
    return isOver ? ends_[number] : 1;
  }
  static cluster::RunCommand write(std::uint64_t number, std::uint64_t address, std::uint64_t size,
                                   std::vector<cluster::Predecessor> after = {}) {
    return {.number = number,
            .queue = 1,
            .after = std::move(after),
            .work = cluster::RunCopy{
                .source = {Place::Kind::Slots, 0}, .target = {Place::Kind::Device, address}, .rowBytes = size}};
  }

  test::Scripted& here_ = test::kept<test::Scripted>();
  std::uint64_t window_ = 0, lastQuestion_ = 0;
  Mutex mutex_;
  CondVar changed_;
  std::map<std::pair<NodeId, std::uint64_t>, cluster::SessionOpened> answers_ GUARDED_BY(mutex_);
  std::map<std::uint64_t, cl_int> ends_ GUARDED_BY(mutex_);
};

TEST_F(LimitsTest, MoreSessionsThanSenseAreRefused) {
  constexpr std::uint64_t kMost = GuestShare::kMostSessions;
  for (std::uint64_t session = 1; session <= kMost; ++session)
    ASSERT_EQ(open(kNode, session), "");
  EXPECT_EQ(open(kNode, kMost + 1), "the device's node has no room for more sessions of this one");
  EXPECT_EQ(open(kOther, 1), "") << "another node has its own";
  ASSERT_TRUE(here_.fabric.deliver(kNode, frame(Kind::LeaveSession, 1)));
  std::string why = "not tried";
  for (int i = 0; i < 1000 && !why.empty(); ++i, std::this_thread::sleep_for(std::chrono::milliseconds(5)))
    why = open(kNode, kMost + 2);
  EXPECT_EQ(why, "") << "a session that is over still counts";
}

TEST_F(LimitsTest, OtherAddressesAreAskedForOnlyIfThatMayHelp) {
  ASSERT_EQ(open(kNode, 1), "");
  const cluster::SessionOpened taken = answerTo(kNode, {2, 1, {0, window_, kPage}}),
                               unknown = answerTo(kNode, {3, 1, {9, test::ownAddresses(kPage), kPage}}),
                               used = answerTo(kNode, {1, 1, {0, test::ownAddresses(kPage), kPage}});
  EXPECT_NE(taken.why, "");
  EXPECT_TRUE(taken.wantsOtherAddresses);
  EXPECT_EQ(unknown.why, "there is no such device");
  EXPECT_FALSE(unknown.wantsOtherAddresses);
  EXPECT_EQ(used.why, "the session is there already");
  EXPECT_FALSE(used.wantsOtherAddresses);
}

TEST(GuestShare, AddressesAreLimited) {
  const auto share = std::make_shared<GuestShare>();
  constexpr std::uint64_t kMost = GuestShare::kMostAddresses;
  {
    const GuestPart most(share, kMost), more(share, 1), tooMuch(share, kMost + 1), nonsense(share, ~std::uint64_t{0});
    EXPECT_TRUE(most.isWithin());
    EXPECT_FALSE(more.isWithin() || tooMuch.isWithin() || nonsense.isWithin());
  }
  const GuestPart half(share, kMost / 2), otherHalf(share, kMost / 2);
  EXPECT_TRUE(half.isWithin() && otherHalf.isWithin());
}

TEST(GuestShare, BytesOfAllSessionsAreLimited) {
  const GuestShare share, other;
  std::vector<SlotBuffer> buffers;
  for (std::size_t size = 0; size < SlotBuffers::kMostOfNode; size += SlotBuffers::kMost) {
    buffers.push_back(SlotBuffers(share.bytes).make(SlotBuffers::kMost));
    ASSERT_EQ(buffers.back().size, SlotBuffers::kMost);
  }
  EXPECT_EQ(SlotBuffers(share.bytes).make(1).size, 0u);
  EXPECT_EQ(SlotBuffers(other.bytes).make(1).size, 1u);
  buffers.clear();
  EXPECT_EQ(SlotBuffers(share.bytes).make(1).size, 1u);
}

TEST(Roster, ANodeWithMoreDevicesThanSenseMakesNone) {
  Roster roster("own", 0);
  roster.joined(kNode, "host");
  cluster::DeviceList list;
  list.devices.resize(Roster::kMostDevices + 1);
  EXPECT_FALSE(roster.listed(kNode, list));
  list.devices.pop_back();
  EXPECT_TRUE(roster.listed(kNode, list));
}

// The commands wait for one of another session, so that their bytes stay here.
TEST_F(LimitsTest, ATransferThatTheNodeHasNoRoomForFailsAlone) {
  constexpr std::uint64_t kSize = std::uint64_t{8} << 20, kFit = SlotBuffers::kMost / kSize;
  ASSERT_EQ(open(kNode, 1, kSize), "");
  ASSERT_TRUE(tell(1, cluster::MakeQueue{1, false}));
  ASSERT_TRUE(tell(1, cluster::UseMemory{window_, kSize}));
  const std::string bytes(kSize, 'p');
  for (std::uint64_t number = 2; number < 2 + kFit; ++number)
    ASSERT_TRUE(tell(1, write(number, window_, kSize, {{number, true, {kNode, 99}}}), bytes));
  ASSERT_TRUE(tell(1, write(50, window_, kSize), bytes)) << "the node is dropped";
  EXPECT_EQ(endOf(50), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(
      tell(1, {cluster::RunCommand{
                  .number = 60, .queue = 1, .after = {{2, true, {kNode, 99}}}, .work = cluster::RunNothing{}}}));
  EXPECT_EQ(endOf(60), CL_INVALID_VALUE) << "another command's edge, which would never end";
  // What it follows already points to a command whose second edge is refused.
  const cluster::Predecessor twice{70, false, {kNode, 99}};
  EXPECT_TRUE(
      tell(1, {cluster::RunCommand{.number = 61, .queue = 1, .after = {twice, twice}, .work = cluster::RunNothing{}}}));
  ASSERT_TRUE(tell(1, cluster::ForgetPeer{99}));
  EXPECT_EQ(endOf(61), CL_INVALID_VALUE);
  for (std::uint64_t number = 2; number < 2 + kFit; ++number)
    EXPECT_EQ(endOf(number), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  ASSERT_TRUE(tell(1, write(51, window_, kSize), bytes));
  EXPECT_EQ(endOf(51), CL_COMPLETE) << "the session does not go on";
}

TEST_F(LimitsTest, ATransferWithoutMemoryFailsAlone) {
  ASSERT_EQ(open(kNode, 1, kPage), "");
  ASSERT_TRUE(tell(1, cluster::MakeQueue{1, false}));
  ASSERT_TRUE(tell(1, cluster::UseMemory{window_, kPage}));
  std::set<cl_int> statuses;
  constexpr int kEnough = 30;
  for (int allocations = 0; allocations < kEnough; ++allocations) {
    const auto number = static_cast<std::uint64_t>(100 + allocations);
    ASSERT_TRUE(tell(1, write(number, window_, kPage), std::string(kPage, 'p'), allocations)) << allocations;
    statuses.insert(endOf(number));
  }
#if !defined(CLOTHO_SANITIZED)
  EXPECT_EQ(statuses, (std::set<cl_int>{CL_COMPLETE, CL_OUT_OF_RESOURCES}));
#endif
  // From another session of the program.
  constexpr std::uint64_t kPeer = 99;
  statuses.clear();
  for (int allocations = 0; allocations < kEnough; ++allocations) {
    const auto edge = static_cast<std::uint64_t>(allocations + 1), number = 200 + edge;
    ASSERT_TRUE(tell(1, cluster::RunCommand{.number = number,
                                            .queue = 1,
                                            .work = cluster::ReceiveBytes{window_, kPage, {kNode, kPeer}, edge}}));
    ByteWriter body;
    body.u64(1); // the sender is the program's node
    FieldWriter{body}(PeerMessage{.kind = PeerMessage::Kind::Bytes, .from = kPeer, .edge = edge});
    ASSERT_TRUE(
        here_.fabric.deliver(kNode, frame(Kind::ToPeer, 1, body.bytes()), std::string(kPage, 'p'), allocations));
    statuses.insert(endOf(number));
  }
#if !defined(CLOTHO_SANITIZED)
  EXPECT_EQ(statuses, (std::set<cl_int>{CL_COMPLETE, CL_OUT_OF_RESOURCES}));
#endif
}

/// A network that takes nothing until it is told to.
class FullFabric final : public Fabric {
 public:
  void send(NodeId, std::string_view message, Payload payload, Urgency) noexcept override {
    bytes_ += message.size();
    waiting_.push_back(std::move(payload));
    const std::optional<Frame> sent = Frame::parse(message);
    const auto decoded = sent ? cluster::decode<cluster::ToHost>(sent->body) : std::nullopt;
    reports_ += decoded && std::holds_alternative<cluster::Reported>(*decoded) ? 1 : 0;
  }
  void drop(NodeId) noexcept override {}
  void takeAll() { waiting_.clear(); }
  std::size_t bytes() const { return bytes_; }
  int reports() const { return reports_; }

 private:
  std::vector<Payload> waiting_;
  std::size_t bytes_ = 0;
  int reports_ = 0;
};

TEST(FabricLink, OutputIsLostThatASlowNetworkDoesNotTake) {
  FullFabric fabric;
  const std::string text(std::size_t{1} << 20, 'p');
  const std::uint64_t window = test::ownAddresses(kPage);
  auto link = std::make_unique<FabricLink>(fabric, kNode, 1,
                                           std::make_shared<const GuestPart>(std::make_shared<GuestShare>(), kPage));
  const auto session = Ref<Session>::adopt(
      new Session(test::ServedSession::device(), std::move(link), std::make_unique<Memory>(window, kPage)));
  for (std::size_t printed = 0; printed < 3 * FabricLink::kMostWaiting; printed += text.size())
    session->print(1, text);
  EXPECT_GE(fabric.bytes(), FabricLink::kMostWaiting);
  EXPECT_LT(fabric.bytes(), FabricLink::kMostWaiting + 2 * text.size());
  EXPECT_EQ(fabric.reports(), 1) << "the program is told once";
  fabric.takeAll();
  const std::size_t before = fabric.bytes();
  session->print(1, text);
  EXPECT_GE(fabric.bytes(), before + text.size());
  session->end();
}

} // namespace
} // namespace clotho::node
