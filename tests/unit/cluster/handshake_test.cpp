// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/handshake.hpp"

#include "cluster/messages.hpp"
#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace clotho::cluster {
namespace {

Token someToken(std::uint8_t byte) {
  std::array<std::uint8_t, Token::kBytes> bytes{};
  bytes.fill(byte);
  return Token::of(bytes);
}

/// The node's verdict on what a program sends, whatever that is.
Verdict verdictOn(const std::string& bytes, bool hangsUp = false) {
  FdPair pair = makeSocketPair(SOCK_STREAM);
  EXPECT_EQ(send(pair.first.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  if (hangsUp) pair.first.reset();
  return admit(pair.second.get(), someToken(7));
}

std::string introduction(std::uint64_t magic, std::uint32_t version, const Token& token) {
  std::string bytes(48, '\0');
  std::memcpy(bytes.data(), &magic, sizeof magic);
  std::memcpy(bytes.data() + 8, &version, sizeof version);
  std::memcpy(bytes.data() + 16, token.bytes().data(), Token::kBytes);
  return bytes;
}

constexpr std::uint64_t kMagic = 0x644e6f68746f6c43;

/// Both parts at once: what the program and the node find.
std::pair<Verdict, Verdict> meet(const Token& programs, const Token& nodes) {
  const FdPair pair = makeSocketPair(SOCK_STREAM);
  Verdict node{};
  std::thread other([&] { node = admit(pair.second.get(), nodes); });
  const Verdict program = introduce(pair.first.get(), programs);
  other.join();
  return {program, node};
}

TEST(Token, IsReadAndWritten) {
  const std::optional<Token> one = Token::make(), other = Token::make();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->text().size(), 64u);
  EXPECT_TRUE(Token::parse(one->text())->equals(*one));
  EXPECT_FALSE(one->equals(*other));
  EXPECT_FALSE(Token::parse(""));
  EXPECT_FALSE(Token::parse(one->text() + "0"));
  EXPECT_FALSE(Token::parse(std::string(63, '0') + "g"));
  EXPECT_FALSE(Token::parse(std::string(62, '0') + "+1"));
}

TEST(Handshake, TheRightTokenIsWelcome) {
  const auto [program, node] = meet(someToken(7), someToken(7));
  EXPECT_EQ(program, Verdict::Welcome);
  EXPECT_EQ(node, Verdict::Welcome);
}

TEST(Handshake, AnotherTokenIsRefused) {
  const auto [program, node] = meet(someToken(8), someToken(7));
  EXPECT_EQ(program, Verdict::Refused);
  EXPECT_EQ(node, Verdict::Refused);
}

TEST(Handshake, EachBitOfTheTokenCounts) {
  for (std::size_t bit = 0; bit < 8 * Token::kBytes; ++bit) {
    std::array<std::uint8_t, Token::kBytes> bytes = someToken(7).bytes();
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    ASSERT_EQ(verdictOn(introduction(kMagic, kVersion, Token::of(bytes))), Verdict::Refused) << bit;
  }
}

TEST(Handshake, AnotherVersionIsSaid) {
  EXPECT_EQ(verdictOn(introduction(kMagic, kVersion + 1, someToken(7))), Verdict::OtherVersion);
  // Who has no token learns nothing of versions.
  EXPECT_EQ(verdictOn(introduction(kMagic, kVersion + 1, someToken(8))), Verdict::Refused);
  EXPECT_EQ(verdictOn(introduction(kMagic + 1, kVersion, someToken(7))), Verdict::Refused);
}

TEST(Handshake, WhoSaysTooLittleOrHangsUpIsLeft) {
  EXPECT_EQ(verdictOn("Clotho", /*hangsUp=*/true), Verdict::Silent);
  EXPECT_EQ(verdictOn("", /*hangsUp=*/true), Verdict::Silent);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(verdictOn("Clotho"), Verdict::Silent);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2 * kPatienceMs));
}

TEST(Handshake, AnIntroductionThatDripsIsLeftInTime) {
  const FdPair pair = makeSocketPair(SOCK_STREAM);
  std::thread slow([&] {
    for (int i = 0; i < 45 && send(pair.first.get(), "C", 1, MSG_NOSIGNAL) == 1; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(admit(pair.second.get(), someToken(7)), Verdict::Silent);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(kPatienceMs * 3 / 2));
  shutdown(pair.second.get(), SHUT_RDWR);
  slow.join();
}

TEST(Handshake, AProgramLeavesANodeThatSaysNonsense) {
  const FdPair pair = makeSocketPair(SOCK_STREAM);
  const std::string nonsense(16, 'x');
  ASSERT_EQ(send(pair.second.get(), nonsense.data(), nonsense.size(), MSG_NOSIGNAL), 16);
  EXPECT_EQ(introduce(pair.first.get(), someToken(7)), Verdict::Silent);
}

TEST(Handshake, ANodeIsFoundByItsName) {
  const std::string name = "unit-test-" + std::to_string(getpid());
  EXPECT_FALSE(connectTo(name));
  const UniqueFd listener = listenAs(name);
  ASSERT_TRUE(listener);
  EXPECT_FALSE(listenAs(name)); // taken
  const UniqueFd program = connectTo(name);
  ASSERT_TRUE(program);
  const UniqueFd node(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(node);
  EXPECT_TRUE(peerOf(node.get()).isOfSameUser);
  EXPECT_EQ(peerOf(node.get()).process, getpid());
  EXPECT_FALSE(connectTo(std::string(200, 'n')));
}

} // namespace
} // namespace clotho::cluster
