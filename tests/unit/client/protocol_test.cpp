// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/protocol.hpp"

#include "base/bytes.hpp"
#include "compiler/client/channel.hpp"
#include "sample.hpp"

#include <gtest/gtest.h>
#include <random>
#include <sys/socket.h>
#include <thread>

namespace clotho::test {
namespace {

TEST(Bytes, WhatIsWrittenIsRead) {
  ByteWriter out;
  out.u8(7);
  out.u32(0xdeadbeef);
  out.u64(~std::uint64_t{1});
  out.boolean(true);
  out.text("text");
  out.text("");
  std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.u8(), 7);
  EXPECT_EQ(in.u32(), 0xdeadbeef);
  EXPECT_EQ(in.u64(), ~std::uint64_t{1});
  EXPECT_TRUE(in.boolean());
  EXPECT_EQ(in.text(), "text");
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.finished());
}

TEST(Bytes, ReadingPastTheEndFailsForGood) {
  ByteReader in("abc");
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0) << "a reader that failed gives nothing more";
  EXPECT_FALSE(in.finished());
}

TEST(Bytes, ImpossibleValuesFail) {
  ByteReader notBoolean("\2");
  notBoolean.boolean();
  EXPECT_FALSE(notBoolean.ok());
  ByteReader notStatus("\4");
  notStatus.enumerator(BuildStatus::Unavailable);
  EXPECT_FALSE(notStatus.ok());
  ByteWriter out;
  out.u64(std::uint64_t{1} << 60);
  ByteReader tooLong(out.bytes());
  EXPECT_EQ(tooLong.text(), "");
  EXPECT_FALSE(tooLong.ok());
  ByteReader tooMany(out.bytes());
  EXPECT_EQ(tooMany.count(1), 0u);
  EXPECT_FALSE(tooMany.ok());
}

TEST(Protocol, RequestArrivesWhole) {
  BuildRequest sent = sampleRequest();
  auto got = parseRequest(serialise(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, sent.kind);
  EXPECT_EQ(got->source, sent.source);
  EXPECT_EQ(got->options, sent.options);
  EXPECT_EQ(got->workingDirectory, sent.workingDirectory);
  ASSERT_EQ(got->headers.size(), 2u);
  EXPECT_EQ(got->headers[1].name, sent.headers[1].name);
  EXPECT_EQ(got->headers[1].text, sent.headers[1].text);
  EXPECT_EQ(got->modules, sent.modules);
  EXPECT_EQ(got->target.kind, sent.target.kind);
  EXPECT_EQ(got->target.width, sent.target.width);
  EXPECT_EQ(got->target.cpu, sent.target.cpu);
  EXPECT_EQ(got->target.features, sent.target.features);
  EXPECT_EQ(got->openclVersion, sent.openclVersion);
  EXPECT_EQ(got->claims, sent.claims);
  EXPECT_EQ(got->kernel, sent.kernel);
  EXPECT_EQ(got->version, sent.version);
}

TEST(Protocol, ResultArrivesWhole) {
  BuildResult sent = sampleResult();
  auto got = parseResult(serialise(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status, sent.status);
  EXPECT_EQ(got->log, sent.log);
  EXPECT_EQ(got->object, sent.object);
  EXPECT_EQ(got->portable, sent.portable);
  EXPECT_EQ(got->globalVariableBytes, sent.globalVariableBytes);
  EXPECT_TRUE(got->hasProgramScopeVariables);
  ASSERT_EQ(got->kernels.size(), 3u);
  const BuiltKernel& built = got->kernels[2];
  const KernelInfo& kernel = built.info;
  EXPECT_EQ(kernel.name, "kernel2");
  EXPECT_EQ(kernel.attributes, sent.kernels[2].info.attributes);
  EXPECT_EQ(kernel.argBlockSize, 64u);
  EXPECT_EQ(kernel.requiredLocalSize[0], 8u);
  EXPECT_EQ(kernel.requiredLocalSize[1], 4u);
  EXPECT_EQ(kernel.requiredLocalSize[2], 2u);
  EXPECT_EQ(built.limits.subGroupSize, 16u);
  EXPECT_EQ(kernel.requiredSubGroupSize, 32u);
  EXPECT_EQ(kernel.largestLocalSize[2], 5u);
  EXPECT_EQ(kernel.mostDimensions, 1u);
  EXPECT_TRUE(kernel.refusesOffset);
  EXPECT_TRUE(built.limits.usesSubGroups);
  EXPECT_EQ(built.facts, sent.kernels[2].facts);
  EXPECT_EQ(built.version, sent.kernels[2].version);
  EXPECT_EQ(built.limits.localBytes, 4096u);
  EXPECT_EQ(built.limits.privateBytes, 128u);
  EXPECT_TRUE(kernel.hasArgInfo);
  EXPECT_TRUE(kernel.flushesDenormals);
  EXPECT_TRUE(kernel.allowsNonUniform);
  EXPECT_TRUE(got->kernels[1].info.enqueues);
  EXPECT_EQ(got->kernels[0].info.role, KernelRole::Entry);
  EXPECT_EQ(got->kernels[1].info.role, KernelRole::CleanUp);
  EXPECT_EQ(got->kernels[1].info.blockNumber, 0u);
  EXPECT_EQ(got->kernels[2].info.role, KernelRole::Block);
  EXPECT_EQ(got->kernels[2].info.blockNumber, 1u);
  EXPECT_FALSE(got->kernels[1].info.allowsNonUniform);
  ASSERT_EQ(kernel.args.size(), 4u);
  EXPECT_EQ(kernel.args[3].kind, ArgKind::Image);
  EXPECT_EQ(kernel.args[3].address, AddressQualifier::Constant);
  EXPECT_EQ(kernel.args[3].access, AccessQualifier::WriteOnly);
  EXPECT_EQ(kernel.args[3].typeQualifiers, ArgInfo::kConst | ArgInfo::kRestrict);
  EXPECT_EQ(kernel.args[3].size, 8u);
  EXPECT_EQ(kernel.args[3].alignment, 16u);
  EXPECT_EQ(kernel.args[3].offset, 48u);
  EXPECT_EQ(kernel.args[3].name, "arg3");
  EXPECT_EQ(kernel.args[3].typeName, "float4*");
  ASSERT_EQ(got->printfFormats.size(), 2u);
  EXPECT_EQ(got->printfFormats[0].format, "%d %s\n");
  EXPECT_EQ(got->printfFormats[0].argSizes, (std::vector<std::uint32_t>{4, 8}));
  EXPECT_EQ(got->printfFormats[0].strings, (std::vector<std::string>{"text", ""}));
  ASSERT_EQ(got->dependencies.size(), 2u);
  EXPECT_EQ(got->dependencies[0].path, "/usr/include/a.h");
  EXPECT_EQ(got->dependencies[1].hash[0], ~std::uint64_t{0});
}

TEST(Protocol, DescriptionLeavesOutTheCode) {
  BuildResult sent = sampleResult();
  auto got = parseDescription(serialiseDescription(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kernels.size(), 3u);
  EXPECT_EQ(got->object, "");
  EXPECT_EQ(got->portable, "");
}

TEST(Protocol, EveryTruncationIsNoticed) {
  std::string request = serialise(sampleRequest()), description = serialiseDescription(sampleResult());
  for (std::size_t size = 0; size < request.size(); ++size)
    EXPECT_FALSE(parseRequest(request.substr(0, size)));
  for (std::size_t size = 0; size < description.size(); ++size)
    EXPECT_FALSE(parseDescription(description.substr(0, size)));
  EXPECT_FALSE(parseRequest(request + '\0'));
  EXPECT_FALSE(parseDescription(description + '\0'));
}

/// Damaged bytes may parse to something else, but never crash, loop or allocate what the message cannot hold: the
/// sanitizers watch the first, and the sum of all that was parsed shows the last.
TEST(Protocol, RandomDamageIsHarmless) {
  std::mt19937_64 random(1);
  const std::string request = serialise(sampleRequest()), result = serialise(sampleResult());
  auto damage = [&](std::string bytes) {
    for (std::uint64_t flips = 1 + random() % 8; flips > 0; --flips) {
      std::size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
      case 1: bytes[at] = static_cast<char>(random()); break;
      case 2: bytes[at] = '\xff'; break;
      default: bytes.erase(at, 1 + random() % 16); break;
      }
      if (bytes.empty()) break;
    }
    return bytes;
  };
  std::size_t parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = damage(request);
    if (auto got = parseRequest(bytes)) {
      ++parsed;
      std::size_t total = got->source.size() + got->options.size() + got->workingDirectory.size();
      for (const auto& header : got->headers)
        total += header.name.size() + header.text.size();
      for (const auto& module : got->modules)
        total += module.size();
      EXPECT_LE(total, bytes.size());
    }
    bytes = damage(result);
    if (auto got = parseResult(bytes)) {
      ++parsed;
      EXPECT_LE(got->object.size() + got->portable.size() + got->log.size(), bytes.size());
      EXPECT_LE(static_cast<int>(got->status), static_cast<int>(BuildStatus::Unavailable));
    }
  }
  EXPECT_GT(parsed, 0u) << "flips inside strings go unnoticed here; frames and files have checksums";
}

TEST(Protocol, HelloArrives) {
  auto hello = parseHello(serialise(Hello{.version = kProtocolVersion, .ready = false, .reason = "reason"}));
  ASSERT_TRUE(hello);
  EXPECT_FALSE(hello->ready);
  EXPECT_EQ(hello->reason, "reason");
  EXPECT_EQ(hello->version, kProtocolVersion);
  EXPECT_FALSE(parseHello("rubbish"));
  // A greeting of another version tells its version only, whatever follows.
  hello = parseHello(serialise(Hello{.version = kProtocolVersion + 1, .ready = true, .reason = {}}) + "more");
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, kProtocolVersion + 1);
  EXPECT_FALSE(hello->ready);
}

/// What arrives when `bytes` are all that is ever sent.
std::optional<std::string> received(const std::string& bytes) {
  FdPair pair = makeSocketPair(SOCK_STREAM);
  std::thread sender([&] {
    send(pair.first.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    shutdown(pair.first.get(), SHUT_WR);
  });
  auto result = receiveFrame(pair.second.get());
  sender.join();
  return result;
}

std::string frame(const std::string& payload) {
  FrameHeader header = FrameHeader::of(payload);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
}

TEST(Frame, ArrivesWhole) {
  for (std::size_t size : {0, 1, 1000, 3'000'000}) {
    std::string payload(size, 'p');
    FdPair pair = makeSocketPair(SOCK_STREAM);
    std::thread sender([&] { EXPECT_TRUE(sendFrame(pair.first.get(), payload)); });
    auto got = receiveFrame(pair.second.get());
    sender.join();
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, payload);
  }
}

TEST(Frame, DamageIsNoticed) {
  std::string good = frame("a payload");
  ASSERT_EQ(received(good), "a payload");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(received(good.substr(0, size)));
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(received(bad)) << at;
  }
}

TEST(Frame, AnswerCutShortAndContinuedByAnotherIsNoticed) {
  EXPECT_FALSE(received(frame(std::string(200, 'a')).substr(0, 100) + frame(std::string(200, 'b'))));
}

TEST(Frame, WaitEndsWhenTheWatchedSocketHangsUp) {
  FdPair stream = makeSocketPair(SOCK_STREAM), watched = makeSocketPair(SOCK_SEQPACKET);
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    watched.second.reset();
  });
  // The stream's other end stays open all the while.
  EXPECT_FALSE(receiveFrame(stream.first.get(), watched.first.get()));
  closer.join();
  EXPECT_FALSE(sendFrame(stream.first.get(), std::string(10'000'000, 'x'), watched.first.get()));
}

TEST(Frame, WhatArrivedBeforeTheHangUpCounts) {
  FdPair stream = makeSocketPair(SOCK_STREAM), watched = makeSocketPair(SOCK_SEQPACKET);
  ASSERT_TRUE(sendFrame(stream.second.get(), "last words"));
  watched.second.reset();
  EXPECT_EQ(receiveFrame(stream.first.get(), watched.first.get()), "last words");
}

TEST(Message, CarriesADescriptor) {
  FdPair pair = makeSocketPair(SOCK_SEQPACKET), other = makeSocketPair(SOCK_STREAM);
  ASSERT_TRUE(sendMessage(pair.first.get(), "with", other.second.get()));
  ASSERT_TRUE(sendMessage(pair.first.get(), "without"));
  Message message = receiveMessage(pair.second.get(), 0);
  EXPECT_EQ(message.text, "with");
  ASSERT_TRUE(message.fd);
  EXPECT_EQ(fcntl(message.fd.get(), F_GETFD), FD_CLOEXEC);
  ASSERT_TRUE(sendFrame(message.fd.get(), "hello"));
  EXPECT_EQ(receiveFrame(other.first.get()), "hello");
  message = receiveMessage(pair.second.get(), 0);
  EXPECT_EQ(message.text, "without");
  EXPECT_FALSE(message.fd);
  EXPECT_EQ(receiveMessage(pair.second.get(), MSG_DONTWAIT).kind, Message::Kind::None);
  pair.first.reset();
  EXPECT_EQ(receiveMessage(pair.second.get(), 0).kind, Message::Kind::Closed);
}

TEST(Message, LastWordsOfAPeerThatLeftMailUnreadAreHeard) {
  FdPair pair = makeSocketPair(SOCK_SEQPACKET);
  ASSERT_TRUE(sendMessage(pair.second.get(), "unread"));
  ASSERT_TRUE(sendMessage(pair.first.get(), "why"));
  pair.first.reset();
  EXPECT_EQ(receiveMessage(pair.second.get(), MSG_DONTWAIT).text, "why");
  EXPECT_EQ(receiveMessage(pair.second.get(), MSG_DONTWAIT).kind, Message::Kind::Closed);
}

} // namespace
} // namespace clotho::test
