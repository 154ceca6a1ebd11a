// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/connection.hpp"

#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <random>
#include <sys/socket.h>

namespace clotho::node {
namespace {

cluster::Token someToken() { return cluster::Token::of({7}); }

Greeting greeting(Greeting::Part part, NodeId node) {
  Greeting::Hello hello;
  hello.node = node;
  hello.nonce.fill(static_cast<std::uint8_t>(node));
  return {part, hello, someToken()};
}

/// A node's end of a connection, and a socket that says what a test wants.
struct Pair {
  Pair()
      : sockets(makeSocketPair(SOCK_STREAM)),
        node(std::move(sockets.first), greeting(Greeting::Part::Called, 1), Greeting::Part::Called) {}

  void say(std::string_view bytes) const {
    EXPECT_EQ(send(sockets.second.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string hear() const {
    char bytes[4096];
    const ssize_t got = recv(sockets.second.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return {bytes, static_cast<std::size_t>(got < 0 ? 0 : got)};
  }
  /// The token shown, as a node does it.
  void introduce() {
    Greeting caller = greeting(Greeting::Part::Caller, 2);
    while (caller.verdict() == Greeting::Verdict::None) {
      say(caller.takeOutput());
      node.handle(POLLIN);
      ASSERT_NE(caller.receive(hear()), 0u);
    }
    ASSERT_TRUE(node.isAdmitted());
  }

  FdPair sockets;
  Connection node;
};

std::string frame(const std::string& bytes, std::uint32_t size) {
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + bytes;
}

std::string frame(const ControlFrame& content) {
  ByteWriter out;
  FieldWriter{out}(content);
  return frame(out.bytes(), static_cast<std::uint32_t>(out.bytes().size()));
}

TEST(ConnectionTest, CarriesFramesAfterTheGreeting) {
  Pair pair;
  pair.introduce();
  const std::string text = frame(Meet{{{3, "a:1"}, {4, "b:2"}}}) + frame(Beat{});
  for (const char byte : text) {
    EXPECT_FALSE(pair.node.next());
    pair.say({&byte, 1});
    pair.node.handle(POLLIN);
    if (const auto first = pair.node.next()) {
      const auto* meet = std::get_if<Meet>(&*first);
      if (!meet) {
        EXPECT_TRUE(std::holds_alternative<Beat>(*first));
        continue;
      }
      ASSERT_EQ(meet->nodes.size(), 2u);
      EXPECT_EQ(meet->nodes[1].address, "b:2");
    }
  }
  pair.node.send(Met{true});
  EXPECT_EQ(pair.hear(), frame(Met{true}));
}

TEST(ConnectionTest, FramesBeforeTheGreetingAreNone) {
  Pair pair;
  pair.say(frame(Meet{{{3, "a:1"}, {4, "b:2"}, {5, "c:3"}}}) + std::string(100, '\0'));
  pair.node.handle(POLLIN);
  EXPECT_FALSE(pair.node.next());
  EXPECT_FALSE(pair.node.isOpen());
}

TEST(ConnectionTest, DamagedFramesEndIt) {
  const std::string good = frame(Introduction{"host", "address:1", std::string(32, 'k'), std::string(100, 'w')});
  std::mt19937 random(3);
  int ended = 0;
  for (int round = 0; round < 500; ++round) {
    Pair pair;
    pair.introduce();
    std::string bad = good;
    bad[random() % bad.size()] ^= static_cast<char>(1 + random() % 255);
    pair.say(bad);
    pair.node.handle(POLLIN);
    while (pair.node.next()) {
    }
    ended += pair.node.isOpen() ? 0 : 1;
  }
  EXPECT_GT(ended, 20) << "most damage is in texts, which may be anything";
  for (const std::string& bad :
       {frame("", 0), frame("", Connection::kMostFrame + 1), frame(std::string(1, '\x7f'), 1)}) {
    Pair pair;
    pair.introduce();
    pair.say(bad);
    pair.node.handle(POLLIN);
    EXPECT_FALSE(pair.node.next());
    EXPECT_FALSE(pair.node.isOpen());
    EXPECT_EQ(pair.node.why(), "it says what makes no sense");
  }
}

TEST(ConnectionTest, HangingUpEndsIt) {
  Pair pair;
  pair.introduce();
  pair.sockets.second.reset();
  pair.node.handle(POLLIN);
  EXPECT_FALSE(pair.node.isOpen());
  EXPECT_EQ(pair.node.why(), "it has hung up");
}

TEST(ConnectionTest, AnEndThatDoesNotListenEndsIt) {
  Pair pair;
  pair.introduce();
  const Introduction large{std::string(60000, 'x'), "", "", ""};
  for (int i = 0; i < 1000 && pair.node.isOpen(); ++i)
    pair.node.send(large);
  EXPECT_EQ(pair.node.why(), "it does not listen");
}

} // namespace
} // namespace clotho::node
