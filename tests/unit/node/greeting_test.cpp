// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/greeting.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace clotho::node {
namespace {

using namespace std::string_literals; // some have null bytes

using Part = Greeting::Part;
using Verdict = Greeting::Verdict;

cluster::Token tokenOf(std::uint8_t byte) {
  std::array<std::uint8_t, cluster::Token::kBytes> bytes{};
  bytes.fill(byte);
  return cluster::Token::of(bytes);
}

Greeting::Hello hello(NodeId node, std::uint8_t nonce, std::uint32_t version = kFabricVersion) {
  Greeting::Hello result;
  result.node = node;
  result.version = version;
  result.nonce.fill(nonce);
  return result;
}

/// Lets two sides talk until neither has anything to say, in portions of so many bytes.
void talk(Greeting& caller, Greeting& called, std::size_t portion = 4096) {
  for (bool hasTalked = true; hasTalked;) {
    hasTalked = false;
    for (const auto& [from, to] : {std::pair(&caller, &called), std::pair(&called, &caller)}) {
      const std::string text = from->takeOutput();
      for (std::size_t at = 0; at < text.size(); at += portion)
        to->receive(std::string_view(text).substr(at, portion));
      hasTalked = hasTalked || !text.empty();
    }
  }
}

std::string textOf(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(HmacTest, GivesTheCodesOfRfc4231) {
  const auto bytesOf = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  const std::string twenty(20, '\x0b');
  EXPECT_EQ(textOf(hmac(bytesOf(twenty), "Hi There")),
            "\xb0\x34\x4c\x61\xd8\xdb\x38\x53\x5c\xa8\xaf\xce\xaf\x0b\xf1\x2b"
            "\x88\x1d\xc2\x00\xc9\x83\x3d\xa7\x26\xe9\x37\x6c\x2e\x32\xcf\xf7"s);
  EXPECT_EQ(textOf(hmac(bytesOf("Jefe"), "what do ya want for nothing?")),
            "\x5b\xdc\xc1\x46\xbf\x60\x75\x4e\x6a\x04\x24\x26\x08\x95\x75\xc7"
            "\x5a\x00\x3f\x08\x9d\x27\x39\x83\x9d\xec\x58\xb9\x64\xec\x38\x43"s);
}

TEST(GreetingTest, NodesWithOneTokenWelcomeEachOther) {
  for (const std::size_t portion : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)), called(Part::Called, hello(2, 22), tokenOf(5));
    talk(caller, called, portion);
    EXPECT_EQ(caller.verdict(), Verdict::Welcome);
    EXPECT_EQ(called.verdict(), Verdict::Welcome);
    EXPECT_EQ(caller.peer(), 2u);
    EXPECT_EQ(called.peer(), 1u);
  }
}

TEST(GreetingTest, AnotherTokenIsRefusedByBoth) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)), called(Part::Called, hello(2, 22), tokenOf(6));
  talk(caller, called);
  EXPECT_EQ(caller.verdict(), Verdict::Refused);
  EXPECT_EQ(called.verdict(), Verdict::Refused);
}

TEST(GreetingTest, AnotherVersionIsNoticedByBoth) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)),
      called(Part::Called, hello(2, 22, kFabricVersion + 1), tokenOf(5));
  talk(caller, called);
  EXPECT_EQ(caller.verdict(), Verdict::OtherVersion);
  EXPECT_EQ(called.verdict(), Verdict::OtherVersion);
}

TEST(GreetingTest, ANodeDoesNotJoinItself) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)), called(Part::Called, hello(1, 22), tokenOf(5));
  talk(caller, called);
  EXPECT_EQ(called.verdict(), Verdict::Itself);
  EXPECT_EQ(caller.verdict(), Verdict::Itself);
}

TEST(GreetingTest, TheTokenIsNeverSaid) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf('T')), called(Part::Called, hello(2, 22), tokenOf('T'));
  std::string all;
  for (int i = 0; i < 2; ++i)
    for (const auto& [from, to] : {std::pair(&caller, &called), std::pair(&called, &caller)}) {
      const std::string text = from->takeOutput();
      to->receive(text);
      all += text;
    }
  EXPECT_EQ(caller.verdict(), Verdict::Welcome);
  EXPECT_EQ(all.size(), 2 * sizeof(Greeting::Hello) + 2 * sizeof(Greeting::Proof));
  EXPECT_EQ(all.find("TTTT"), std::string::npos);
}

TEST(GreetingTest, AProofThatIsSentBackIsNone) {
  // The stranger does not know the token: it lets the node prove itself, and sends that back as its own.
  Greeting node(Part::Caller, hello(1, 11), tokenOf(5));
  const std::string ofNode = node.takeOutput();
  Greeting::Hello stranger = hello(2, 22);
  node.receive({reinterpret_cast<const char*>(&stranger), sizeof stranger});
  const std::string proof = node.takeOutput();
  ASSERT_EQ(proof.size(), sizeof(Greeting::Proof));
  node.receive(proof);
  EXPECT_EQ(node.verdict(), Verdict::Refused);
}

TEST(GreetingTest, AnEarlierConversationCannotBeRepeated) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)), called(Part::Called, hello(2, 22), tokenOf(5));
  const std::string first = caller.takeOutput();
  called.receive(first);
  caller.receive(called.takeOutput());
  const std::string second = caller.takeOutput();
  Greeting again(Part::Called, hello(2, 23), tokenOf(5)); // with another nonce, as each time
  again.receive(first);
  again.receive(second);
  EXPECT_EQ(again.verdict(), Verdict::Refused);
  called.receive(second);
  EXPECT_EQ(called.verdict(), Verdict::Welcome) << "it was right the first time";
}

TEST(GreetingTest, NonsenseEndsItAndIsNotAnswered) {
  Greeting called(Part::Called, hello(2, 22), tokenOf(5));
  const std::string nonsense(1000, 'x');
  EXPECT_EQ(called.receive(nonsense), sizeof(Greeting::Hello)) << "no more than it takes is looked at";
  EXPECT_EQ(called.verdict(), Verdict::Nonsense);
  EXPECT_EQ(called.takeOutput(), "");
}

TEST(GreetingTest, WhatFollowsItIsLeftToOthers) {
  Greeting caller(Part::Caller, hello(1, 11), tokenOf(5)), called(Part::Called, hello(2, 22), tokenOf(5));
  called.receive(caller.takeOutput());
  caller.receive(called.takeOutput());
  const std::string proof = caller.takeOutput();
  EXPECT_EQ(called.receive(proof + "frames"), proof.size());
}

} // namespace
} // namespace clotho::node
