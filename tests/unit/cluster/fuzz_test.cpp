// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that were damaged on their way, at both ends: whatever comes of them, the process that gets them lives.
#include "sample_messages.hpp"
#include "served_session.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace clotho {
const cl_icd_dispatch* const kDispatch = nullptr; // the handles here never reach a loader
} // namespace clotho

namespace clotho::node {
namespace {

/// Damaged messages of one test; check-deep asks for more.
int messageCount() {
  const char* count = std::getenv("CLOTHO_FUZZ_MESSAGES");
  return count ? std::atoi(count) : 3000;
}

TEST(ClusterFuzz, TheNodeLivesOnWithDamagedMessages) {
  std::mt19937 random(1);
  int left = messageCount(), sessions = 0, understood = 0;
  for (; left > 0; ++sessions) {
    test::ServedSession session;
    const std::vector<cluster::ToNode> samples = cluster::test::messagesToNode(session.window());
    std::vector<std::string> good;
    for (const cluster::ToNode& sample : samples)
      good.push_back(cluster::test::encoded(sample));
    // A node that has found out hangs up: the next one is asked.
    for (int i = 0; i < 200 && left > 0 && !session.isOver(); ++i) {
      session.sendRaw(good[random() % good.size()]);
      const std::string bytes = cluster::test::damaged(good[random() % good.size()], random);
      if (bytes.empty()) continue;
      understood += cluster::decode<cluster::ToNode>(bytes).has_value() ? 1 : 0;
      session.sendRaw(bytes);
      --left;
    }
  }
  // Both must have happened often, or the damage is not of the kind that finds mistakes.
  EXPECT_GT(understood, messageCount() / 100);
  EXPECT_GT(sessions, messageCount() / 1000);
}

TEST(ClusterFuzz, DamagedAnswersAreRefusedOrUnderstood) {
  std::mt19937 random(2);
  int understood = 0, refused = 0;
  std::vector<std::string> good;
  for (const cluster::ToHost& sample : cluster::test::messagesToHost())
    good.push_back(cluster::test::encoded(sample));
  for (int i = 0; i < messageCount(); ++i) {
    const std::string bytes = cluster::test::damaged(good[random() % good.size()], random);
    if (const auto message = cluster::decode<cluster::ToHost>(bytes)) {
      EXPECT_EQ(cluster::test::encoded(*message), bytes);
      ++understood;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(understood, 0);
  EXPECT_GT(refused, 0);
}

TEST(ClusterFuzz, DamagedQuestionsAreRefusedOrUnderstood) {
  std::mt19937 random(3);
  using cluster::Question;
  const std::vector<std::string> good = {cluster::test::encoded(Question(cluster::ListDevices{})),
                                         cluster::test::encoded(Question(cluster::OpenSession{1, 4096, 8192})),
                                         cluster::test::encoded(Question(cluster::BuildProgram{
                                             .session = 1, .options = "-w", .hasModule = true, .module = "BC"}))};
  for (int i = 0; i < messageCount(); ++i) {
    const std::string bytes = cluster::test::damaged(good[random() % good.size()], random);
    if (const auto question = cluster::decode<Question>(bytes)) EXPECT_EQ(cluster::test::encoded(*question), bytes);
  }
}

} // namespace
} // namespace clotho::node
