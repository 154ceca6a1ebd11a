// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions of a node to another one that answers late or not at all, and answers that take long. The other node is the
// test.
#include "node/relay/other_nodes.hpp"

#include "scripted_fabric.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace clotho::node {
namespace {

using std::chrono::milliseconds;
using test::frame;
using test::ScriptedFabric;
using Clock = std::chrono::steady_clock;
using Kind = Frame::Kind;

constexpr NodeId kNode = 5;
constexpr Questions::Patience kPatience{
    .answer = milliseconds(300), .working = milliseconds(300), .longest = milliseconds(2000)};

/// What the node under test has sent.
class Heard {
 public:
  struct Message {
    NodeId to;
    Kind kind;
    std::uint64_t number;
    std::string body, payload;
  };

  explicit Heard(ScriptedFabric& fabric) {
    fabric.setHeard([this](NodeId to, const Frame& sent, std::string payload) {
      const std::lock_guard lock(mutex_);
      all_.push_back({to, sent.kind, sent.number, std::string(sent.body), std::move(payload)});
      changed_.notify_all();
    });
  }
  /// The next message of this kind that has not been asked for; of kind Devices if none comes.
  Message next(Kind kind) {
    Message found{0, Kind::Devices, 0, "", ""};
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] {
      for (auto at = all_.begin(); at != all_.end(); ++at) {
        if (at->kind != kind) continue;
        found = *at;
        all_.erase(at);
        return true;
      }
      return false;
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Message> all_;
};

/// A node without devices whose only other node is the test.
class QuestionsTest : public testing::Test {
 protected:
  void SetUp() override {
    fabric_.use(others_);
    others_.use(fabric_);
    fabric_.join(kNode);
    ASSERT_TRUE(fabric_.deliver(kNode, frame(Kind::Devices, 0), test::oneDevice()));
  }
  // Threads use these to the end of the process, so they hear nothing more.
  void TearDown() override {
    fabric_.lose(kNode);
    fabric_.setHeard({});
  }

  /// Asks on a thread of its own.
  std::thread ask(const Inquiry& inquiry) {
    return std::thread([this, inquiry] {
      const auto begin = Clock::now();
      reply_ = others_.ask(kNode, inquiry);
      time_ = Clock::now() - begin;
    });
  }
  bool says(Kind kind, std::uint64_t number, const std::string& payload = "", const std::string& body = "") {
    return fabric_.deliver(kNode, frame(kind, number, body), payload);
  }

  ScriptedFabric& fabric_ = test::kept<ScriptedFabric>();
  /// Answers of the node under test: builds wait until `mayBuild_`.
  std::atomic<bool>& mayBuild_ = test::kept<std::atomic<bool>>(false);
  OtherNodes& others_ = test::kept<OtherNodes>(
      "own", cluster::DeviceList{},
      [&mayBuild = mayBuild_](NodeId, Inquiry&& inquiry) -> std::string {
        while (std::holds_alternative<cluster::BuildProgram>(inquiry) && !mayBuild)
          std::this_thread::sleep_for(milliseconds(5));
        return "an answer";
      },
      [](std::uint64_t) { return Ref<Session>(); }, kPatience);
  Heard& heard_ = test::kept<Heard>(fabric_);
  Questions::Reply reply_;
  Clock::duration time_{};
};

TEST_F(QuestionsTest, AnAnswerThatDoesNotComeIsGivenUp) {
  std::thread asking = ask(cluster::AskStatus{});
  const auto late = heard_.next(Kind::Ask);
  asking.join();
  EXPECT_FALSE(reply_.bytes);
  EXPECT_EQ(reply_.why, "the device's node does not answer");
  EXPECT_GE(time_, kPatience.answer);
  EXPECT_LT(time_, kPatience.longest);
  // The node is as good as any if it answers later.
  EXPECT_TRUE(says(Kind::Answer, late.number, "late"));
  asking = ask(cluster::AskStatus{});
  EXPECT_TRUE(says(Kind::Answer, heard_.next(Kind::Ask).number, "in time"));
  asking.join();
  EXPECT_EQ(reply_.bytes, "in time");
  EXPECT_FALSE(says(Kind::Answer, late.number, "once more")) << "an answer that is not awaited";
}

TEST_F(QuestionsTest, ASessionThatOpensTooLateIsLeft) {
  constexpr std::uint64_t kSession = 33;
  std::thread asking = ask(OpenRemote{.session = kSession});
  const auto late = heard_.next(Kind::Ask);
  asking.join();
  EXPECT_FALSE(reply_.bytes);
  EXPECT_TRUE(says(Kind::Answer, late.number, "open"));
  EXPECT_EQ(heard_.next(Kind::LeaveSession).number, kSession);
}

TEST_F(QuestionsTest, ABuildMayTakeAsLongAsTheNodeSaysThatItGoesOn) {
  std::thread asking = ask(cluster::BuildProgram{});
  const auto question = heard_.next(Kind::Ask);
  for (const auto end = Clock::now() + kPatience.longest + kPatience.working; Clock::now() < end;
       std::this_thread::sleep_for(kPatience.working / 10))
    ASSERT_TRUE(says(Kind::Working, question.number));
  EXPECT_TRUE(says(Kind::Answer, question.number, "code"));
  asking.join();
  EXPECT_EQ(reply_.bytes, "code");
  EXPECT_TRUE(says(Kind::Working, question.number)) << "a sign that comes behind the answer";
}

TEST_F(QuestionsTest, ABuildWithoutASignIsGivenUp) {
  std::thread asking = ask(cluster::BuildProgram{});
  const auto question = heard_.next(Kind::Ask);
  ASSERT_TRUE(says(Kind::Working, question.number));
  asking.join();
  EXPECT_EQ(reply_.why, "the device's node does not answer");
  EXPECT_LT(time_, kPatience.longest);
}

TEST_F(QuestionsTest, WhileBytesMoveTheAnswerMayBeBehindThem) {
  PeerMessage part{.kind = PeerMessage::Kind::Bytes, .from = 9, .edge = 9};
  const std::string bytes(Traffic::kLarge, 'p');
  for (const bool isAnswered : {true, false}) {
    std::thread asking = ask(cluster::AskStatus{});
    const auto question = heard_.next(Kind::Ask);
    for (const auto end = Clock::now() + (isAnswered ? 3 * kPatience.answer : 2 * kPatience.longest);
         Clock::now() < end; std::this_thread::sleep_for(kPatience.answer / 10)) {
      ++part.edge;
      ByteWriter body;
      body.u64(1);
      FieldWriter{body}(part);
      ASSERT_TRUE(says(Kind::ToPeer, 1, bytes, body.bytes()));
    }
    if (isAnswered) EXPECT_TRUE(says(Kind::Answer, question.number, "after all"));
    asking.join();
    EXPECT_EQ(reply_.bytes.has_value(), isAnswered);
    if (!isAnswered) EXPECT_LT(time_, kPatience.longest + kPatience.answer);
  }
}

TEST_F(QuestionsTest, BuildsHoldUpNothingElse) {
  const std::string build = cluster::test::encoded(Inquiry(cluster::BuildProgram{})),
                    status = cluster::test::encoded(Inquiry(cluster::AskStatus{}));
  constexpr std::uint64_t kBuilds = 200;
  for (std::uint64_t number = 1; number <= kBuilds; ++number)
    ASSERT_TRUE(says(Kind::Ask, number, build));
  ASSERT_TRUE(says(Kind::Ask, kBuilds + 1, status));
  EXPECT_EQ(heard_.next(Kind::Answer).number, kBuilds + 1);
  // The node that asks hears of all of them meanwhile, also of those that wait for a thread.
  std::set<std::uint64_t> going;
  for (std::uint64_t i = 0; i < kBuilds; ++i)
    going.insert(heard_.next(Kind::Working).number);
  EXPECT_EQ(going.size(), kBuilds);
  mayBuild_ = true;
  for (std::uint64_t i = 0; i < kBuilds; ++i)
    EXPECT_EQ(heard_.next(Kind::Answer).payload, "an answer");
}

TEST_F(QuestionsTest, MoreQuestionsThanSenseAreRefused) {
  constexpr NodeId kOther = 6;
  fabric_.join(kOther);
  const std::string build = cluster::test::encoded(Inquiry(cluster::BuildProgram{})),
                    status = cluster::test::encoded(Inquiry(cluster::AskStatus{}));
  constexpr std::uint64_t kMost = Inquiries::kMostOpen;
  for (std::uint64_t number = 1; number <= kMost; ++number)
    ASSERT_TRUE(says(Kind::Ask, number, build));
  for (const std::string& question : {build, status}) {
    ASSERT_TRUE(says(Kind::Ask, kMost + 1, question));
    const auto refusal = heard_.next(Kind::Answer);
    EXPECT_EQ(refusal.number, kMost + 1);
    EXPECT_EQ(refusal.payload, "");
    EXPECT_NE(refusal.body.find("too many questions"), std::string::npos) << refusal.body;
  }
  // Another node's are answered, builds, too, as soon as they can be.
  ASSERT_TRUE(fabric_.deliver(kOther, frame(Kind::Ask, 1), status));
  EXPECT_EQ(heard_.next(Kind::Answer).to, kOther);
  ASSERT_TRUE(fabric_.deliver(kOther, frame(Kind::Ask, 2), build));
  mayBuild_ = true;
  for (std::uint64_t i = 0; i < kMost + 1; ++i)
    EXPECT_EQ(heard_.next(Kind::Answer).payload, "an answer");
  ASSERT_TRUE(says(Kind::Ask, kMost + 2, status));
  EXPECT_EQ(heard_.next(Kind::Answer).payload, "an answer");
  fabric_.lose(kOther);
}

TEST_F(QuestionsTest, MoreBytesThanSenseAreReadAway) {
  EXPECT_EQ(fabric_.placeFor(kNode, frame(Kind::Ask, 1), Inquiries::kMostQuestion + 1), nullptr);
  constexpr std::uint64_t kFit = Inquiries::kMostBytes / Inquiries::kMostQuestion;
  for (std::uint64_t number = 1; number <= kFit; ++number) {
    std::byte* const place = fabric_.placeFor(kNode, frame(Kind::Ask, number), Inquiries::kMostQuestion);
    EXPECT_TRUE(place && place != unwanted());
    EXPECT_EQ(fabric_.placeFor(kNode, frame(Kind::Ask, number), 1), nullptr) << "a number that is in use";
  }
  const std::string status = cluster::test::encoded(Inquiry(cluster::AskStatus{}));
  EXPECT_EQ(fabric_.placeFor(kNode, frame(Kind::Ask, 100), status.size()), unwanted());
  ASSERT_TRUE(says(Kind::Ask, 100, status));
  EXPECT_NE(heard_.next(Kind::Answer).body, "");
  fabric_.lose(kNode);
  fabric_.join(kNode);
  ASSERT_TRUE(says(Kind::Ask, 1, status));
  EXPECT_EQ(heard_.next(Kind::Answer).payload, "an answer") << "bytes of a lost node count";
}

TEST_F(QuestionsTest, ARefusalSaysWhy) {
  std::thread asking = ask(cluster::AskStatus{});
  ASSERT_TRUE(says(Kind::Answer, heard_.next(Kind::Ask).number, "", "it is \x1b[31mtired"));
  asking.join();
  EXPECT_FALSE(reply_.bytes);
  EXPECT_EQ(reply_.why, "the device's node refuses: it is ?[31mtired");
}

TEST_F(QuestionsTest, WithoutMemoryAQuestionIsRefusedAndAnAnswerLost) {
  const std::string status = cluster::test::encoded(Inquiry(cluster::AskStatus{}));
  int failures = 0;
  for (int allocations = 0; allocations < 6; ++allocations) {
    ASSERT_TRUE(fabric_.deliver(kNode, frame(Kind::Ask, 1), status, allocations)) << allocations;
    const auto answer = heard_.next(Kind::Answer);
    EXPECT_NE(answer.payload.empty(), answer.body.empty());
    failures += answer.payload.empty() ? 1 : 0;
  }
#if !defined(CLOTHO_SANITIZED)
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, 6);
  const std::string large(100, 'a');
  std::thread asking = ask(cluster::AskStatus{});
  ASSERT_TRUE(fabric_.deliver(kNode, frame(Kind::Answer, heard_.next(Kind::Ask).number), large, 0));
  asking.join();
  EXPECT_FALSE(reply_.bytes);
#endif
}

} // namespace
} // namespace clotho::node
