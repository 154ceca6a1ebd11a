// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node does with those that are no nodes of its cluster.
#include "node/fabric/addresses.hpp"
#include "node/fabric/connection.hpp"
#include "node/fabric/peer.hpp"
#include "test_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <variant>

namespace clotho::node {
namespace {

using Clock = std::chrono::steady_clock;
using Verdict = Greeting::Verdict;

sockaddr_in loopbackAt(std::uint16_t port) { return socketAddress(*resolve("127.0.0.1"), port); }

/// A connection to a port of this machine that blocks.
UniqueFd connectTo(std::uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopbackAt(port);
  EXPECT_EQ(connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

void say(const UniqueFd& fd, std::string_view bytes) { send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }

/// Whether the other side hangs up in that time.
bool hangsUp(const UniqueFd& fd, std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  for (char bytes[4096]; Clock::now() < end;) {
    pollfd each{fd.get(), POLLIN, 0};
    poll(&each, 1, 100);
    if (each.revents != 0 && recv(fd.get(), bytes, sizeof bytes, MSG_DONTWAIT) <= 0) return true;
  }
  return false;
}

std::string noise(std::mt19937& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes)
    byte = static_cast<char>(random());
  return bytes;
}

class MeshStrangersTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(node_.isOpen());
    const std::string& address = node_.mesh().address();
    port_ = parseHostPort(address)->port;
  }
  /// A real node can still join, and talk.
  void expectUsable() {
    TestNode other;
    for (const Mesh::Failure& failure : other.mesh().join({node_.mesh().address()}))
      ADD_FAILURE() << failure.why;
    other.mesh().send(node_.mesh().self(), "hello", payloadOf(100000, 1));
    ASSERT_TRUE(node_.receives(other.mesh().self(), 1));
    EXPECT_EQ(node_.from(other.mesh().self())[0].payload, textOfPayload(100000, 1));
  }
  /// A connection that has shown the token, but is no mesh.
  std::unique_ptr<Connection> introduce(std::uint32_t version = kFabricVersion, NodeId node = 77) const {
    Greeting::Hello hello;
    hello.node = node;
    hello.version = version;
    std::array<std::uint8_t, cluster::Token::kBytes> token{};
    token.fill(5);
    auto connection = std::make_unique<Connection>(beginToConnect(loopbackAt(port_)),
                                                   Greeting(Greeting::Part::Caller, hello, cluster::Token::of(token)),
                                                   Greeting::Part::Caller);
    while (connection->isOpen() && connection->verdict() == Verdict::None)
      turn(*connection);
    return connection;
  }
  static Introduction introductionOf77() {
    return {"host", "127.0.0.1:1", std::string(cluster::Token::kBytes, 'k'), ""};
  }
  static void turn(Connection& connection) {
    pollfd fd{connection.descriptor(), connection.events(), 0};
    poll(&fd, 1, 100);
    connection.handle(fd.revents);
  }

  TestNode node_;
  std::uint16_t port_ = 0;
};

TEST_F(MeshStrangersTest, AnotherTokenIsRefused) {
  TestNode other(/*token=*/6);
  const auto failures = other.mesh().join({node_.mesh().address()});
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].why, "it has another token");
  EXPECT_TRUE(other.isAlone());
  EXPECT_TRUE(node_.isAlone());
  expectUsable();
}

TEST_F(MeshStrangersTest, AnotherVersionIsRefused) {
  const auto connection = introduce(kFabricVersion + 1);
  EXPECT_EQ(connection->verdict(), Verdict::OtherVersion);
  EXPECT_TRUE(node_.isAlone());
  expectUsable();
}

TEST_F(MeshStrangersTest, NoiseIsHungUpOn) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const UniqueFd fd = connectTo(port_);
    say(fd, noise(random, 1 + random() % 5000));
    if (i % 10 == 0) EXPECT_TRUE(hangsUp(fd, std::chrono::seconds(4)));
  }
  EXPECT_TRUE(node_.isAlone());
  expectUsable();
}

TEST_F(MeshStrangersTest, SilenceIsHungUpOn) {
  const auto begin = Clock::now();
  const UniqueFd silent = connectTo(port_), hesitant = connectTo(port_);
  Greeting::Hello hello;
  hello.node = 77;
  say(hesitant, {reinterpret_cast<const char*>(&hello), sizeof hello / 2});
  EXPECT_TRUE(hangsUp(silent, std::chrono::seconds(4)));
  EXPECT_TRUE(hangsUp(hesitant, std::chrono::seconds(4)));
  EXPECT_GT(Clock::now() - begin, std::chrono::seconds(1));
  expectUsable();
}

TEST_F(MeshStrangersTest, ManyDoNotKeepNodesOut) {
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 60; ++i)
    strangers.push_back(connectTo(port_)); // more than may be under way; the others wait at the socket
  expectUsable();
}

TEST_F(MeshStrangersTest, AMeetingDoesNotWaitForANodeThatDoesNotAnswer) {
  const auto silent = introduce();
  silent->send(introductionOf77());
  std::atomic<bool> isOver{false};
  std::thread beats([&] {
    for (auto next = Clock::now(); !isOver; turn(*silent)) {
      while (silent->next()) {
      }
      if (Clock::now() < next) continue;
      silent->send(Beat{});
      next = Clock::now() + Peer::kBeat;
    }
  });
  EXPECT_TRUE(node_.hearsOf(77));
  EXPECT_FALSE(node_.mesh().meetEachOther());
  EXPECT_TRUE(silent->isOpen()) << "it is no reason to lose the node";
  isOver = true;
  beats.join();
}

// Nodes that do not answer keep a descriptor for each call.
TEST_F(MeshStrangersTest, MeetingsDoNotTakeAllDescriptors) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const UniqueFd silent = listenAt(loopbackAt(0));
  ASSERT_TRUE(silent);
  const std::string address = textOf(ownAddressOf(silent.get()));
  std::vector<std::unique_ptr<Connection>> callers;
  const auto before = descriptors();
  constexpr NodeId kCallers = 4;
  for (NodeId caller = 1; caller <= kCallers; ++caller) {
    Meet meet;
    for (NodeId i = 0; i < Peer::kMostMeeting; ++i)
      meet.nodes.push_back({~NodeId{0} - i - caller * 1000, address}); // greater than any number by chance
    callers.push_back(introduce(kFabricVersion, caller));
    callers.back()->send(introductionOf77());
    callers.back()->send(meet);
    turn(*callers.back());
  }
  long most = 0;
  for (const auto end = Clock::now() + std::chrono::seconds(1); Clock::now() < end;) {
    for (const auto& caller : callers) {
      caller->send(Beat{});
      turn(*caller);
    }
    most = std::max<long>(most, descriptors() - before);
  }
  EXPECT_GE(most, static_cast<long>(Peer::kMostMeeting)) << "no meeting takes place";
  EXPECT_LE(most, static_cast<long>(Peer::kMostMeeting + 2 * kCallers + 2));
  expectUsable();
  Meet tooMany;
  tooMany.nodes.resize(Peer::kMostMeeting + 1);
  callers.front()->send(tooMany);
  for (const auto end = Clock::now() + std::chrono::seconds(4); callers.front()->isOpen() && Clock::now() < end;)
    turn(*callers.front());
  EXPECT_FALSE(callers.front()->isOpen());
}

// As after a wire was cut for a moment: one end has lost the other, which does not know it yet.
TEST_F(MeshStrangersTest, ANodeThatComesBackJoinsAnew) {
  const auto former = introduce();
  former->send(introductionOf77());
  turn(*former);
  ASSERT_TRUE(node_.hearsOf(77));
  const auto begin = Clock::now();
  const auto fresh = introduce();
  fresh->send(introductionOf77());
  bool isWelcome = false;
  while (fresh->isOpen() && !isWelcome && Clock::now() - begin < std::chrono::seconds(10)) {
    fresh->send(Beat{});
    turn(*fresh);
    isWelcome = fresh->next().has_value(); // the first frame is its introduction
  }
  ASSERT_TRUE(isWelcome) << fresh->why();
  EXPECT_LT(Clock::now() - begin, 2 * Peer::kSilence);
  fresh->takeMessages([](std::string_view, std::size_t) { return unwanted(); });
  const auto hears = [&](const std::string& text) {
    for (const auto end = Clock::now() + std::chrono::seconds(5); Clock::now() < end; turn(*fresh)) {
      node_.mesh().send(77, text);
      fresh->send(Beat{});
      while (const auto next = fresh->next())
        if (const auto* message = std::get_if<Connection::Message>(&*next); message && message->text == text)
          return true;
    }
    return false;
  };
  EXPECT_TRUE(hears("welcome back"));
  EXPECT_EQ(node_.calledAfterLoss(), 0u);
  // A node that is there is not joined twice.
  const auto another = introduce();
  for (const auto end = Clock::now() + 2 * Peer::kSilence; Clock::now() < end;) {
    fresh->send(Beat{});
    turn(*fresh);
    turn(*another);
    ASSERT_FALSE(another->next()) << "a second connection to the same node";
  }
  EXPECT_TRUE(hears("still here"));
}

TEST_F(MeshStrangersTest, ANodeWithTheTokenThatSaysNonsenseIsHungUpOn) {
  std::mt19937 random(2);
  const ControlFrame nonsense[] = {Introduction{"host", "", "short key", "worker"},
                                   Introduction{"two words", "", std::string(32, 'k'), ""},
                                   Met{true},
                                   Meet{{{1, "nowhere"}, {2, "127.0.0.1:1"}, {~0ull, "127.0.0.1:1"}}},
                                   Ready{},
                                   Beat{}};
  for (const ControlFrame& frame : nonsense) {
    const auto connection = introduce();
    ASSERT_EQ(connection->verdict(), Verdict::Welcome);
    connection->send(frame);
    const auto end = Clock::now() + std::chrono::seconds(5);
    while (connection->isOpen() && Clock::now() < end) {
      turn(*connection);
      while (connection->next()) {
      }
    }
    EXPECT_FALSE(connection->isOpen());
  }
  EXPECT_TRUE(node_.isAlone());
  expectUsable();
}

/// Ports at which this process listens, except for this one: UCX's own.
std::vector<std::uint16_t> otherPorts(std::uint16_t own) {
  constexpr int kMostDescriptors = 1024;
  std::vector<std::uint16_t> result;
  for (int fd = 0; fd < kMostDescriptors; ++fd) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    const std::uint16_t port = ntohs(ownAddressOf(fd).sin_port);
    if (ownAddressOf(fd).sin_family == AF_INET && port != own) result.push_back(port);
  }
  return result;
}

TEST_F(MeshStrangersTest, NoiseAtTheSocketsOfUcxChangesNothing) {
  TestNode other;
  ASSERT_TRUE(other.mesh().join({node_.mesh().address()}).empty());
  const std::vector<std::uint16_t> ports = otherPorts(port_);
  ASSERT_FALSE(ports.empty());
  std::mt19937 random(3);
  for (const std::uint16_t port : ports)
    for (int i = 0; i < 20; ++i) {
      UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_in address = loopbackAt(port);
      if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) continue;
      say(fd, noise(random, 1 + random() % 2000));
    }
  other.mesh().send(node_.mesh().self(), "still here", payloadOf(1000000, 1));
  EXPECT_TRUE(node_.receives(other.mesh().self(), 1));
  expectUsable();
}

} // namespace
} // namespace clotho::node
