// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/connection.hpp"

#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <poll.h>
#include <random>
#include <string>
#include <sys/socket.h>
#include <type_traits>
#include <vector>

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

std::string start(std::uint32_t size, std::uint32_t isMessage, std::uint64_t payloadSize) {
  std::string result(16, '\0');
  std::memcpy(result.data(), &size, sizeof size);
  std::memcpy(result.data() + 4, &isMessage, sizeof isMessage);
  std::memcpy(result.data() + 8, &payloadSize, sizeof payloadSize);
  return result;
}

std::string frame(const std::string& bytes, std::uint32_t size) { return start(size, 0, 0) + bytes; }

std::string message(const std::string& text, const std::string& payload) {
  return start(static_cast<std::uint32_t>(text.size()), 1, payload.size()) + text + payload;
}

bool isReadable(const Connection& node) {
  pollfd fd{node.descriptor(), POLLIN, 0};
  return node.isOpen() && poll(&fd, 1, 0) > 0;
}

/// What has come next, as a frame or a message of this type; null if it is another one.
template <class Type> const Type* as(const std::optional<Connection::Incoming>& incoming) {
  if (!incoming) return nullptr;
  if constexpr (std::is_same_v<Type, Connection::Message>)
    return std::get_if<Type>(&*incoming);
  else {
    const auto* frame = std::get_if<ControlFrame>(&*incoming);
    return frame ? std::get_if<Type>(frame) : nullptr;
  }
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
      const auto* meet = as<Meet>(first);
      if (!meet) {
        EXPECT_TRUE(as<Beat>(first));
        continue;
      }
      ASSERT_EQ(meet->nodes.size(), 2u);
      EXPECT_EQ(meet->nodes[1].address, "b:2");
    }
  }
  pair.node.send(Met{true});
  EXPECT_EQ(pair.hear(), frame(Met{true}));
}

TEST(ConnectionTest, CarriesMessagesInOrderWithPayloadsInTheirPlaces) {
  for (const std::size_t atOnce : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
    Pair pair;
    pair.introduce();
    std::string places[2];
    std::size_t asked = 0;
    pair.node.takeMessages([&](std::string_view text, std::size_t size) {
      EXPECT_EQ(text, asked == 0 ? "second" : "third");
      places[asked].resize(size);
      return reinterpret_cast<std::byte*>(places[asked++].data());
    });
    const std::string one(5000, 'p'), other(3, 'q');
    const std::string all =
        message("first", "") + message("second", one) + frame(Beat{}) + message("third", other) + message("", "");
    std::vector<std::string> came;
    for (std::size_t at = 0; at < all.size(); at += atOnce) {
      pair.say(std::string_view(all).substr(at, atOnce));
      pair.node.handle(POLLIN);
      for (;;) {
        const auto next = pair.node.next();
        if (!next) {
          if (!isReadable(pair.node)) break;
          pair.node.handle(POLLIN);
          continue;
        }
        const auto* text = as<Connection::Message>(next);
        came.push_back(text ? text->text + " " + std::to_string(text->payloadSize) : "frame");
      }
    }
    EXPECT_EQ(came, (std::vector<std::string>{"first 0", "second 5000", "frame", "third 3", " 0"}));
    EXPECT_EQ(places[0], one);
    EXPECT_EQ(places[1], other);
  }
}

TEST(ConnectionTest, SendsWhatTheOtherEndReadsSlowly) {
  Pair pair;
  pair.introduce();
  const auto payload = std::make_shared<std::string>(3'000'000, 'x');
  std::weak_ptr<std::string> watch = payload;
  pair.node.send("text", {std::as_bytes(std::span(*payload)), payload});
  pair.node.send(Beat{});
  std::string heard;
  const std::string expected = message("text", *payload) + frame(Beat{});
  while (heard.size() < expected.size()) {
    const std::string part = pair.hear();
    heard += part;
    if (part.empty()) {
      ASSERT_NE(pair.node.events() & POLLOUT, 0);
      pair.node.handle(POLLOUT);
    }
  }
  EXPECT_TRUE(heard == expected);
  EXPECT_EQ(pair.node.events() & POLLOUT, 0);
  EXPECT_EQ(watch.use_count(), 1) << "it is kept although it has been sent";
}

TEST(ConnectionTest, MessagesThatNobodyTakesAreNonsense) {
  for (const bool isRefused : {false, true}) {
    Pair pair;
    pair.introduce();
    if (isRefused) pair.node.takeMessages([](std::string_view, std::size_t) -> std::byte* { return nullptr; });
    pair.say(message("text", "payload"));
    pair.node.handle(POLLIN);
    EXPECT_FALSE(pair.node.next());
    EXPECT_FALSE(pair.node.isOpen());
  }
}

TEST(ConnectionTest, UnwantedPayloadsAreReadAway) {
  for (const std::size_t atOnce : {std::size_t{7}, std::size_t{100'000}}) {
    Pair pair;
    pair.introduce();
    std::string place;
    pair.node.takeMessages([&](std::string_view text, std::size_t size) {
      if (text == "unwanted") return unwanted();
      place.resize(size);
      return reinterpret_cast<std::byte*>(place.data());
    });
    const std::string large(200'000, 'x'),
        all = message("unwanted", large) + message("unwanted", "y") + message("wanted", "z");
    std::vector<std::string> came;
    for (std::size_t at = 0; at < all.size(); at += atOnce) {
      pair.say(std::string_view(all).substr(at, atOnce));
      do {
        pair.node.handle(POLLIN);
        while (const auto next = pair.node.next())
          came.push_back(as<Connection::Message>(next)->text + " " +
                         std::to_string(as<Connection::Message>(next)->payloadSize));
      } while (isReadable(pair.node));
    }
    EXPECT_EQ(came, (std::vector<std::string>{"unwanted 200000", "unwanted 1", "wanted 1"}));
    EXPECT_EQ(place, "z");
  }
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
  for (const std::string& bad : {frame("", 0), frame("", Connection::kMostFrame + 1), frame(std::string(1, '\x7f'), 1),
                                 start(0, 1, 0), start(Connection::kMostText + 1, 1, 0), start(0, 0, 1)}) {
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
  const std::string large(std::size_t{64} << 20, 'x');
  // A network may be as slow as it wants to: payloads are not copied.
  for (std::size_t sent = 0; sent < 2 * Outbox::kMostWaiting; sent += large.size())
    pair.node.send("", {std::as_bytes(std::span(large)), nullptr});
  EXPECT_TRUE(pair.node.isOpen());
  std::size_t sent = 0;
  for (; sent < 20 && pair.node.isOpen(); ++sent)
    pair.node.send(large, {});
  EXPECT_EQ(pair.node.why(), "it does not read what it is sent");
  EXPECT_GE(sent * large.size(), Outbox::kMostWaiting);
}

} // namespace
} // namespace clotho::node
