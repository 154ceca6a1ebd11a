// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/messages.hpp"

#include "cluster/setup.hpp"
#include "sample_messages.hpp"

#include <gtest/gtest.h>

#include <set>

namespace clotho::cluster {
namespace {

using test::encoded;

/// All that is said is understood, and said again in the same way.
template <class Message> void expectSame(const Message& message) {
  const std::string bytes = encoded(message);
  const std::optional<Message> again = decode<Message>(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(encoded(*again), bytes);
}

TEST(Messages, AreReadAsTheyWereWritten) {
  std::set<std::size_t> kinds;
  for (const ToNode& message : test::messagesToNode(1 << 20)) {
    expectSame(message);
    kinds.insert(message.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<ToNode>) << "a kind of message has no sample";
  kinds.clear();
  for (const ToHost& message : test::messagesToHost()) {
    expectSame(message);
    kinds.insert(message.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<ToHost>) << "a kind of message has no sample";
}

TEST(Messages, KeepAllFieldsOfALaunch) {
  const ToNode message = test::messagesToNode(4096)[3];
  const std::optional<ToNode> again = decode<ToNode>(encoded(message));
  ASSERT_TRUE(again);
  const auto& run = std::get<RunCommand>(*again);
  EXPECT_EQ(run.number, 2u);
  EXPECT_EQ(run.queue, 3u);
  const auto& launch = std::get<RunLaunch>(run.work);
  EXPECT_EQ(launch.offset[2], 3u);
  EXPECT_EQ(launch.local[1], 4u);
  EXPECT_EQ(launch.args, std::string(24, 'a'));
  ASSERT_EQ(launch.objects.size(), 2u);
  EXPECT_EQ(launch.objects[1].begin, 4096u + 8192u);
  EXPECT_TRUE(launch.objects[0].isReadOnly);
  EXPECT_FALSE(launch.arePointersApart);
}

TEST(Messages, AreRefusedWhenTheyAreCutOffOrTooLong) {
  for (const ToNode& message : test::messagesToNode(1 << 20)) {
    const std::string bytes = encoded(message);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(decode<ToNode>(bytes.substr(0, length))) << message.index() << ' ' << length;
    EXPECT_FALSE(decode<ToNode>(bytes + '\0'));
  }
  EXPECT_FALSE(decode<ToNode>(std::string(1, static_cast<char>(std::variant_size_v<ToNode>))));
  EXPECT_FALSE(decode<ToHost>(std::string(1, static_cast<char>(std::variant_size_v<ToHost>))));
}

TEST(Messages, SetupIsReadAsItWasWritten) {
  DeviceDescription device{.host = "loom"};
  device.properties.name = "spindle";
  device.properties.subGroupSizes = {8, 16};
  device.properties.maxWorkItemSizes = {1, 2, 3};
  device.properties.images.width = 12345;
  device.claims.words[0] = 77;
  const std::optional<DeviceList> list = decode<DeviceList>(encoded(DeviceList{{device, {}}}));
  ASSERT_TRUE(list && list->devices.size() == 2);
  EXPECT_EQ(list->devices[0].properties.name, "spindle");
  EXPECT_EQ(list->devices[0].properties.maxWorkItemSizes[2], 3u);
  EXPECT_EQ(list->devices[0].properties.images.width, 12345u);
  EXPECT_EQ(list->devices[0].claims.words[0], 77u);
  expectSame(Question(OpenSession{1, 4096, 8192}));
  expectSame(Question(BuildProgram{.session = 1, .program = 2, .options = "-w", .hasModule = true, .module = "BC"}));
  expectSame(ProgramBuilt{ProgramBuilt::State::Done, "log", {{"kernel", {}, 256}}});
  // A footprint that is known takes less room than one that has not been made.
  KernelCode known{.name = "k"};
  known.footprint.unknown.clear();
  expectSame(ProgramBuilt{ProgramBuilt::State::Done, "", {known}});
  // What would be shared memory never is that of a program.
  EXPECT_EQ(list->devices[0].properties.svmCapabilities, 0u);
}

} // namespace
} // namespace clotho::cluster
