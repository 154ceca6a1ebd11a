// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several nodes in one process, by connections over the loopback interface, or by UCX.
#include "node/fabric/ordered_inbox.hpp"
#include "test_mesh.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace clotho::node {
namespace {

using Clock = std::chrono::steady_clock;

class MeshTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(one_.isOpen() && other_.isOpen()); }
  /// Makes the two nodes one cluster.
  void join() {
    for (const Mesh::Failure& failure : one_.mesh().join({other_.mesh().address()}))
      ADD_FAILURE() << failure.address << ": " << failure.why;
    ASSERT_TRUE(one_.hearsOf(idOfOther_));
    ASSERT_TRUE(other_.hearsOf(idOfOne_));
  }

  TestNode one_, other_;
  const NodeId idOfOne_ = one_.mesh().self(), idOfOther_ = other_.mesh().self();
};

TEST_F(MeshTest, MessagesGoBothWays) {
  join();
  one_.mesh().send(idOfOther_, "there");
  other_.mesh().send(idOfOne_, "and back", payloadOf(5, 1));
  ASSERT_TRUE(other_.receives(idOfOne_, 1));
  ASSERT_TRUE(one_.receives(idOfOther_, 1));
  EXPECT_EQ(other_.from(idOfOne_)[0], (TestNode::Received{"there", ""}));
  EXPECT_EQ(one_.from(idOfOther_)[0], (TestNode::Received{"and back", textOfPayload(5, 1)}));
}

TEST_F(MeshTest, MessagesOfAllSizesComeInOrder) {
  join();
  std::mt19937 random(1);
  std::vector<TestNode::Received> sent;
  const std::size_t sizes[] = {0, 1, 100, 3000, 4096, 9000, 70000, 262144, 3000000};
  for (unsigned i = 0; i < 300; ++i) {
    // Long texts, whose parts go apart from their payloads, are rarer.
    const std::size_t text = sizes[random() % (random() % 4 == 0 ? 8 : 4)], payload = sizes[random() % 9];
    std::string start = std::to_string(i) + ":";
    start.append(text, 'x');
    sent.push_back({start, textOfPayload(payload, i)});
    one_.mesh().send(idOfOther_, start, payload == 0 ? Payload() : payloadOf(payload, i));
    if (random() % 8 == 0) other_.mesh().send(idOfOne_, "meanwhile " + std::to_string(i), payloadOf(50000, i));
  }
  ASSERT_TRUE(other_.receives(idOfOne_, sent.size()));
  const std::vector<TestNode::Received> got = other_.from(idOfOne_);
  ASSERT_EQ(got.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i)
    ASSERT_EQ(got[i], sent[i]) << i;
}

TEST_F(MeshTest, ThreadsSendAtOnce) {
  join();
  constexpr std::size_t kThreads = 4, kEach = 500;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kEach; ++i)
        one_.mesh().send(idOfOther_, std::to_string(t) + " " + std::to_string(i));
    });
  for (std::thread& thread : threads)
    thread.join();
  ASSERT_TRUE(other_.receives(idOfOne_, kThreads * kEach));
  std::size_t next[kThreads] = {};
  for (const TestNode::Received& each : other_.from(idOfOne_)) {
    const std::size_t thread = each.text[0] - '0';
    EXPECT_EQ(each.text.substr(2), std::to_string(next[thread]++));
  }
}

TEST_F(MeshTest, MessagesBehindALargePayloadKeepTheirOrder) {
  join();
  constexpr std::size_t kThreads = 4, kEach = 200, kBytes = 16 << 20; // more than sockets take
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const auto urgency = t % 2 == 0 ? Urgency::Now : Urgency::Soon;
      one_.mesh().send(idOfOther_, std::to_string(t) + " 0", payloadOf(kBytes, static_cast<unsigned>(t)), urgency);
      for (std::size_t i = 1; i < kEach; ++i)
        one_.mesh().send(idOfOther_, std::to_string(t) + " " + std::to_string(i), {}, urgency);
    });
  for (std::thread& thread : threads)
    thread.join();
  ASSERT_TRUE(other_.receives(idOfOne_, kThreads * kEach));
  std::size_t next[kThreads] = {};
  for (const TestNode::Received& each : other_.from(idOfOne_)) {
    const std::size_t thread = each.text[0] - '0';
    EXPECT_EQ(each.text.substr(2), std::to_string(next[thread]));
    if (next[thread]++ == 0)
      EXPECT_TRUE(each.payload == textOfPayload(kBytes, static_cast<unsigned>(thread)));
    else
      EXPECT_TRUE(each.payload.empty());
  }
}

TEST_F(MeshTest, ThreadsMaySendWhileANodeIsLost) {
  join();
  constexpr std::size_t kThreads = 4;
  const auto owner = std::make_shared<std::string>(3000, 'p');
  std::atomic<bool> isOver{false};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; !isOver; ++i)
        one_.mesh().send(idOfOther_, std::to_string(t) + " " + std::to_string(i),
                         i % 8 == 0 ? Payload{std::as_bytes(std::span(*owner)), owner} : Payload(),
                         i % 4 == 0 ? Urgency::Soon : Urgency::Now);
    });
  EXPECT_TRUE(other_.receives(idOfOne_, 100));
  other_.end();
  EXPECT_TRUE(one_.loses(idOfOther_));
  isOver = true;
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(one_.calledAfterLoss(), 0u);
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (owner.use_count() > 1 && Clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(owner.use_count(), 1) << "payloads are kept although their node is lost";
  std::size_t next[kThreads] = {};
  for (const TestNode::Received& each : other_.from(idOfOne_)) {
    const std::size_t thread = each.text[0] - '0';
    EXPECT_EQ(each.text.substr(2), std::to_string(next[thread]++));
  }
}

TEST_F(MeshTest, ANodeThatSleepsIsWoken) {
  join();
  other_.echo();
  for (std::size_t i = 1; i <= 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // longer than it polls
    const auto begin = Clock::now();
    one_.mesh().send(idOfOther_, "wake up");
    ASSERT_TRUE(one_.receives(idOfOther_, i));
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(100)) << "it waits for the next beat";
  }
}

TEST_F(MeshTest, APayloadIsReleasedOnceItIsSent) {
  join();
  const auto owner = std::make_shared<std::string>(1 << 20, 'p');
  const std::weak_ptr<std::string> watch = owner;
  one_.mesh().send(idOfOther_, "large", {std::as_bytes(std::span(*owner)), owner});
  ASSERT_TRUE(other_.receives(idOfOne_, 1));
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (watch.use_count() > 1 && Clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(watch.use_count(), 1);
}

TEST_F(MeshTest, ARefusedPayloadLosesTheNode) {
  join();
  other_.refusePayloads();
  one_.mesh().send(idOfOther_, "small", payloadOf(10, 1));
  EXPECT_TRUE(other_.loses(idOfOne_));
  EXPECT_TRUE(one_.loses(idOfOther_));
}

TEST_F(MeshTest, ATextThatIsTooLongLosesTheNode) {
  join();
  one_.mesh().send(idOfOther_, std::string(OrderedInbox::kMostText + 1, 'x'));
  EXPECT_TRUE(other_.loses(idOfOne_));
}

TEST_F(MeshTest, DroppingANodeLosesItAtBothEnds) {
  join();
  one_.mesh().drop(idOfOther_);
  EXPECT_TRUE(one_.loses(idOfOther_));
  EXPECT_TRUE(other_.loses(idOfOne_));
  one_.mesh().drop(idOfOther_);
  one_.mesh().drop(12345);
}

TEST_F(MeshTest, ANodeThatEndsIsLostAtOnce) {
  join();
  const auto begin = Clock::now();
  other_.end();
  ASSERT_TRUE(one_.loses(idOfOther_));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  // Messages to it are forgotten, with what they own.
  const auto owner = std::make_shared<std::string>(1 << 20, 'p');
  one_.mesh().send(idOfOther_, "late", {std::as_bytes(std::span(*owner)), owner});
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (owner.use_count() > 1 && Clock::now() < end)
    std::this_thread::yield();
  EXPECT_EQ(owner.use_count(), 1);
}

TEST_F(MeshTest, ANodeThatEndsAmidLargeMessagesIsLost) {
  join();
  for (unsigned i = 0; i < 20; ++i) {
    one_.mesh().send(idOfOther_, "to " + std::to_string(i), payloadOf(4 << 20, i));
    other_.mesh().send(idOfOne_, "from " + std::to_string(i), payloadOf(4 << 20, i));
  }
  ASSERT_TRUE(one_.receives(idOfOther_, 1));
  other_.end();
  ASSERT_TRUE(one_.loses(idOfOther_));
  EXPECT_EQ(one_.calledAfterLoss(), 0u);
  // The mesh goes on with others.
  TestNode third;
  ASSERT_TRUE(one_.mesh().join({third.mesh().address()}).empty());
  one_.mesh().send(third.mesh().self(), "hello", payloadOf(1 << 20, 1));
  EXPECT_TRUE(third.receives(one_.mesh().self(), 1));
}

TEST_F(MeshTest, JoiningTwiceIsJoiningOnce) {
  join();
  EXPECT_TRUE(one_.mesh().join({other_.mesh().address()}).empty());
  EXPECT_TRUE(other_.mesh().join({one_.mesh().address()}).empty());
  one_.mesh().send(idOfOther_, "still here");
  EXPECT_TRUE(other_.receives(idOfOne_, 1));
}

TEST_F(MeshTest, FailuresToJoinAreSaid) {
  const std::string gone = other_.mesh().address();
  other_.end();
  const auto failures = one_.mesh().join({gone, "fox:1", one_.mesh().address()});
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[0].address, gone);
  EXPECT_EQ(failures[0].why, "Connection refused");
  EXPECT_EQ(failures[1].why, "this is no address");
  EXPECT_EQ(failures[2].why, "it is this node");
}

TEST_F(MeshTest, NodesThatOneHasJoinedMeetEachOther) {
  TestNode third, caller;
  ASSERT_TRUE(caller.mesh().join({one_.mesh().address(), other_.mesh().address(), third.mesh().address()}).empty());
  ASSERT_TRUE(caller.mesh().meetEachOther());
  TestNode* const nodes[] = {&one_, &other_, &third};
  for (TestNode* from : nodes)
    for (TestNode* to : nodes)
      if (from != to) {
        ASSERT_TRUE(from->hearsOf(to->mesh().self()));
        from->mesh().send(to->mesh().self(), "hello");
        EXPECT_TRUE(to->receives(from->mesh().self(), 1));
      }
  // A second program finds the same nodes, which know each other.
  caller.end();
  TestNode next;
  ASSERT_TRUE(next.mesh().join({third.mesh().address(), one_.mesh().address()}).empty());
  EXPECT_TRUE(next.mesh().meetEachOther());
}

} // namespace
} // namespace clotho::node
