// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/outbox.hpp"

#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <sys/socket.h>

namespace clotho::node {
namespace {

class OutboxTest : public testing::Test {
 protected:
  std::string hear() const {
    std::string all;
    char bytes[65536];
    for (ssize_t got; (got = recv(sockets_.second.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
      all.append(bytes, static_cast<std::size_t>(got));
    return all;
  }
  static std::string message(const std::string& text, const std::string& payload = {}) {
    const Outbox::Head head{static_cast<std::uint32_t>(text.size()), 1, payload.size()};
    std::string result(sizeof head, '\0');
    std::memcpy(result.data(), &head, sizeof head);
    return result + text + payload;
  }
  static Payload payloadOf(const std::shared_ptr<std::string>& bytes) {
    return {std::as_bytes(std::span(*bytes)), bytes};
  }

  FdPair sockets_ = makeSocketPair(SOCK_STREAM);
  Outbox outbox_{sockets_.first.get()};
};

TEST_F(OutboxTest, WritesAtOnceIfNothingWaits) {
  const auto payload = std::make_shared<std::string>(5000, 'p');
  EXPECT_FALSE(outbox_.send("first", {}, Urgency::Now));
  EXPECT_FALSE(outbox_.send("second", payloadOf(payload), Urgency::Now));
  EXPECT_EQ(payload.use_count(), 1) << "it has been sent";
  EXPECT_FALSE(outbox_.isWaiting());
  EXPECT_TRUE(hear() == message("first") + message("second", *payload));
}

TEST_F(OutboxTest, KeepsTheOrderBehindWhatWaits) {
  EXPECT_TRUE(outbox_.send("first", {}, Urgency::Soon));
  EXPECT_TRUE(outbox_.send("second", {}, Urgency::Now));
  EXPECT_TRUE(outbox_.isWaiting());
  EXPECT_EQ(hear(), "");
  outbox_.flush();
  EXPECT_FALSE(outbox_.isWaiting());
  EXPECT_EQ(hear(), message("first") + message("second"));
  EXPECT_FALSE(outbox_.send("third", {}, Urgency::Now));
  EXPECT_EQ(hear(), message("third"));
}

TEST_F(OutboxTest, GoesOnWithWhatTheSocketTookInPart) {
  std::string expected, heard;
  const std::string text(10'000, 't');
  while (!outbox_.isWaiting()) {
    static_cast<void>(outbox_.send(text, {}, Urgency::Now));
    expected += message(text);
  }
  const auto payload = std::make_shared<std::string>(3'000'000, 'p');
  EXPECT_TRUE(outbox_.send("last", payloadOf(payload), Urgency::Now));
  expected += message("last", *payload);
  while (outbox_.isWaiting()) {
    heard += hear();
    outbox_.flush();
  }
  heard += hear();
  EXPECT_TRUE(heard == expected);
  EXPECT_EQ(payload.use_count(), 1) << "it is kept although it has been sent";
}

TEST_F(OutboxTest, FailuresWaitForTheConnectionsThread) {
  sockets_.second.reset();
  EXPECT_TRUE(outbox_.send("lost", {}, Urgency::Now));
  EXPECT_TRUE(outbox_.isWaiting());
  EXPECT_EQ(outbox_.failure(), std::strerror(EPIPE));
}

TEST_F(OutboxTest, LetsGoOfPayloadsWhenItIsClosed) {
  const auto payload = std::make_shared<std::string>(5000, 'p');
  EXPECT_TRUE(outbox_.send("waits", payloadOf(payload), Urgency::Soon));
  EXPECT_EQ(payload.use_count(), 2);
  outbox_.close();
  EXPECT_EQ(payload.use_count(), 1);
  static_cast<void>(outbox_.send("late", payloadOf(payload), Urgency::Now));
  static_cast<void>(outbox_.send("later", payloadOf(payload), Urgency::Soon));
  outbox_.flush();
  EXPECT_EQ(payload.use_count(), 1);
  EXPECT_EQ(hear(), "");
}

} // namespace
} // namespace clotho::node
