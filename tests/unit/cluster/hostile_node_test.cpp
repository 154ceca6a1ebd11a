// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes that have the token and send damaged messages: sessions end, or the node is dropped, and this process lives.
#include "sample_messages.hpp"
#include "scripted_fabric.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace clotho::node {
namespace {

using test::frame;
using test::oneDevice;
using test::Scripted;
using test::ScriptedFabric;
using Kind = Frame::Kind;

/// Damaged messages of one test; check-deep asks for more.
int messageCount() {
  const char* count = std::getenv("CLOTHO_FUZZ_MESSAGES");
  return count ? std::atoi(count) : 3000;
}

/// Sends a message that may be damaged with bytes that may be too many. Whether the node is still there.
bool sendDamaged(ScriptedFabric& fabric, NodeId node, const std::string& message, std::size_t payload,
                 std::mt19937& random) {
  constexpr std::array<std::size_t, 5> kSizes{0, 0, 1, 16, 128};
  const std::size_t size = random() % 2 == 0 ? payload : kSizes[random() % kSizes.size()];
  return fabric.deliver(node, cluster::test::damaged(message, random), std::string(size, 'p'));
}

/// What another session could say to that of the sample messages.
std::vector<PeerMessage> peerMessages() {
  using Said = PeerMessage::Kind;
  return {{.kind = Said::Ended, .from = 99, .edge = 4},
          {.kind = Said::Ended, .from = 98, .edge = 5},
          {.kind = Said::Ready, .from = 99, .edge = 8},
          {.kind = Said::SendFailed, .from = 99, .edge = 3, .status = 9},
          {.kind = Said::ReceiveFailed, .from = 99, .edge = 8},
          {.kind = Said::Bytes, .from = 99, .edge = 3}};
}

// A copy of the sample messages reads 128 bytes of slots.
constexpr std::size_t kCopyBytes = 128;

TEST(HostileNode, DamagedMessagesToSessionsHereCostNoMoreThanTheNode) {
  Scripted here;
  std::mt19937 random(7);
  std::atomic<std::uint64_t> opened{0};
  here.fabric.setHeard([&](NodeId, const Frame& frame, const std::string& payload) {
    if (frame.kind != Kind::Answer) return;
    const auto answer = cluster::decode<cluster::SessionOpened>(payload);
    if (answer && answer->why.empty()) opened.store(answer->session);
  });
  constexpr std::uint64_t kSession = 77;
  std::vector<std::uint64_t> windows;
  int nodes = 0;
  for (int left = messageCount(); left > 0; ++nodes) {
    const auto node = static_cast<NodeId>(100 + nodes);
    const std::uint64_t window = test::ownAddresses(test::RelayedProgram::kWindow);
    opened.store(0);
    here.fabric.join(node);
    ASSERT_TRUE(here.fabric.deliver(node, frame(Kind::Devices, 0), oneDevice()));
    const Inquiry open = OpenRemote{kSession, 1, {0, window, test::RelayedProgram::kWindow}};
    ASSERT_TRUE(here.fabric.deliver(node, frame(Kind::Ask, 1), cluster::test::encoded(open)));
    for (int i = 0; i < 10000 && opened.load() != kSession; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(opened.load(), kSession);
    windows.push_back(window);
    std::vector<std::string> good;
    for (const cluster::ToNode& sample : cluster::test::messagesToNode(window))
      good.push_back(frame(Kind::ToSession, kSession, cluster::test::encoded(sample)));
    std::vector<std::size_t> payloads(good.size());
    payloads[4] = kCopyBytes;
    for (const PeerMessage& sample : peerMessages()) {
      ByteWriter body;
      body.u64(1); // the sender is the program's node
      FieldWriter{body}(sample);
      good.push_back(frame(Kind::ToPeer, kSession, body.bytes()));
      payloads.push_back(sample.kind == PeerMessage::Kind::Bytes ? 16 : 0);
    }
    for (bool isThere = true; isThere && left > 0; --left) {
      const std::size_t which = random() % good.size();
      if (random() % 4 == 0) {
        const Kind other = static_cast<Kind>(random() % (static_cast<unsigned>(Frame::kLast) + 1));
        isThere = sendDamaged(here.fabric, node, frame(other, random() % 80), 16, random);
      } else if (random() % 2 == 0) {
        isThere = here.fabric.deliver(node, good[which], std::string(payloads[which], 'p'));
      } else {
        isThere = sendDamaged(here.fabric, node, good[which], payloads[which], random);
      }
    }
    here.fabric.lose(node);
  }
  EXPECT_GT(nodes, messageCount() / 1000);
  for (const std::uint64_t window : windows) {
    for (int i = 0; i < 10000 && !test::isFree(window, test::RelayedProgram::kWindow); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(test::isFree(window, test::RelayedProgram::kWindow)) << "a lost node's session keeps its memory";
  }
}

TEST(HostileNode, DamagedMessagesToProgramsHereEndTheirSessions) {
  std::mt19937 random(8);
  int sessions = 0;
  for (int left = messageCount() / 2; left > 0; ++sessions) {
    Scripted here;
    const NodeId node = 5;
    std::thread answering;
    here.fabric.setHeard([&](NodeId, const Frame& frame, const std::string& payload) {
      if (frame.kind != Kind::Ask) return;
      const auto inquiry = cluster::decode<Inquiry>(payload);
      const auto* open = inquiry ? std::get_if<OpenRemote>(&*inquiry) : nullptr;
      ASSERT_TRUE(open);
      const std::string answer =
          cluster::test::encoded(cluster::SessionOpened{.session = open->session, .window = open->open.window});
      answering = std::thread([&here, answer, number = frame.number] {
        here.fabric.deliver(node, test::frame(Kind::Answer, number), answer);
      });
    });
    here.fabric.join(node);
    ASSERT_TRUE(here.fabric.deliver(node, frame(Kind::Devices, 0), oneDevice()));
    test::Gateway gateway(here.server, here.token);
    gateway.waitForNodes(1);
    test::RelayedProgram program(gateway, 1);
    answering.join();
    ASSERT_EQ(program.why(), "");
    for (std::uint64_t number = 2; number < 10; ++number)
      program.run(number, cluster::RunCopy{.source = {cluster::Place::Kind::Device, program.window()},
                                           .target = {cluster::Place::Kind::Slots, number * 64},
                                           .rowBytes = 16});
    std::vector<std::string> good;
    for (const cluster::ToHost& sample : cluster::test::messagesToHost())
      good.push_back(frame(Kind::ToProgram, program.session(), cluster::test::encoded(sample)));
    for (std::uint64_t number = 2; number < 10; ++number)
      good.push_back(frame(Kind::ToProgram, program.session(),
                           cluster::test::encoded(cluster::ToHost(cluster::Ended{.number = number}))));
    for (bool isThere = true; isThere && left > 0; --left)
      isThere = sendDamaged(here.fabric, node, good[random() % good.size()], 16, random);
    here.fabric.lose(node);
    while (program.receive()) { // each message that comes through can be read
    }
  }
  EXPECT_GT(sessions, messageCount() / 1000);
}

} // namespace
} // namespace clotho::node
