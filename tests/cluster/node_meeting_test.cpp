// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that do not get to their node, and nodes that strangers talk to. Each test is a process of its own, since
// options are read once.
#include "cluster/handshake.hpp"
#include "fixture.hpp"
#include "node_process.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace clotho::test {

namespace {

class NodeMeetingTest : public testing::Test {
 protected:
  /// Names of the platform's devices.
  static std::vector<std::string> devices() {
    cl_platform_id platform = nullptr;
    EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    std::vector<cl_device_id> found(8);
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, found.data(), &count), CL_SUCCESS);
    std::vector<std::string> names;
    for (cl_uint i = 0; i < count; ++i)
      names.push_back(textAnswer(CLOTHO_INFO(clGetDeviceInfo, found[i], CL_DEVICE_NAME)));
    return names;
  }
  static bool hasNode() {
    for (const std::string& name : devices())
      if (name.find(" on ") != std::string::npos) return true;
    return false;
  }
};

TEST_F(NodeMeetingTest, WithItsTokenAProgramHasTheDevices) {
  const NodeProcess node;
  ASSERT_TRUE(node.isReady());
  EXPECT_EQ(devices().size(), 2u);
  EXPECT_TRUE(hasNode());
}

TEST_F(NodeMeetingTest, AnotherTokenIsRefused) {
  NodeProcess node(std::string(64, '6'));
  ASSERT_TRUE(node.isReady());
  EXPECT_FALSE(hasNode());
  EXPECT_EQ(devices().size(), 1u) << "the processor is there all the same";
  EXPECT_TRUE(node.isAlive());
}

TEST_F(NodeMeetingTest, ATokenThatIsNoneIsNotSent) {
  const std::string name = "test-listener-" + std::to_string(getpid());
  const UniqueFd listener = cluster::listenAs(name);
  ASSERT_TRUE(listener);
  setenv("CLOTHO_CLUSTER", ("local:" + name).c_str(), 1);
  setenv("CLOTHO_CLUSTER_TOKEN", "secret", 1);
  EXPECT_FALSE(hasNode());
  ASSERT_EQ(fcntl(listener.get(), F_SETFL, O_NONBLOCK), 0);
  EXPECT_LT(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), 0) << "the program has connected";
}

TEST_F(NodeMeetingTest, ANodeThatIsNotThere) {
  setenv("CLOTHO_CLUSTER", "local:nowhere", 1);
  setenv("CLOTHO_CLUSTER_TOKEN", std::string(64, '0').c_str(), 1);
  EXPECT_FALSE(hasNode());
}

TEST_F(NodeMeetingTest, AnOptionThatNamesNoNode) {
  setenv("CLOTHO_CLUSTER", "local:", 1);
  EXPECT_FALSE(hasNode());
}

TEST_F(NodeMeetingTest, ANodeThatStandsStillIsLeft) {
  const NodeProcess node;
  ASSERT_TRUE(node.isReady());
  node.signal(SIGSTOP);
  EXPECT_FALSE(hasNode());
}

TEST_F(NodeMeetingTest, ANodeThatStoodStillForAWhileIsUsed) {
  using Clock = std::chrono::steady_clock;
  const NodeProcess node;
  ASSERT_TRUE(node.isReady());
  cl_platform_id platform = nullptr;
  ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
  cl_device_id device = nullptr;
  ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
  const Owned<cl_context> context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr));
  ASSERT_TRUE(context.get());
  node.signal(SIGSTOP);
  cl_int status = CL_SUCCESS;
  const auto begin = Clock::now();
  EXPECT_EQ(clCreateCommandQueueWithProperties(context.get(), device, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(3 * cluster::kPatienceMs)) << "it is asked once";
  node.signal(SIGCONT);
  const Owned<cl_command_queue> queue(clCreateCommandQueueWithProperties(context.get(), device, nullptr, &status));
  EXPECT_EQ(status, CL_SUCCESS);
}

TEST_F(NodeMeetingTest, StrangersDoNotKeepTheNodeFromPrograms) {
  NodeProcess node;
  ASSERT_TRUE(node.isReady());
  std::mt19937 random(1);
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 50; ++i) {
    UniqueFd fd = cluster::connectTo(node.name());
    ASSERT_TRUE(fd);
    // Some say nothing, some nonsense, some have the token and then say nonsense.
    if (i % 3 == 2) cluster::introduce(fd.get(), *cluster::Token::parse(std::string(64, '5')));
    std::string bytes(i % 3 == 0 ? 0 : 64 + random() % 4000, '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random());
    send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (i % 2 == 0) strangers.push_back(std::move(fd)); // the others hang up
  }
  EXPECT_TRUE(hasNode());
  EXPECT_TRUE(node.isAlive());
}

/// Started by services.py, with its environment.
class ServiceGuestTest : public NodeMeetingTest {};

TEST_F(ServiceGuestTest, HasDevicesAsLongAsItWants) {
  std::printf("ready with %zu devices\n", devices().size());
  std::fflush(stdout);
  char byte;
  while (std::getenv("CLOTHO_TEST_GUEST") && read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

} // namespace
} // namespace clotho::test
