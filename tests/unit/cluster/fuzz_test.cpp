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

constexpr std::uint64_t kProgram = 5, kLaunchNumber = 1000;

/// A launch of the second kernel of harmlessProgram, that runs.
cluster::RunLaunch goodLaunch(std::uint64_t base) {
  auto sample = std::get<cluster::RunCommand>(cluster::test::messagesToNode(base)[3]);
  auto& launch = std::get<cluster::RunLaunch>(sample.work);
  launch.bufferCount = 2;
  launch.readImageCount = 0;
  launch.localBytes = 0;
  return launch;
}

std::vector<std::string> goodMessages(std::uint64_t base) {
  std::vector<cluster::ToNode> samples = cluster::test::messagesToNode(base);
  samples.emplace_back(cluster::RunCommand{.number = kLaunchNumber, .queue = 3, .work = goodLaunch(base)});
  samples.emplace_back(cluster::RecordCommand{9, goodLaunch(base)});
  std::vector<std::string> good;
  for (const cluster::ToNode& sample : samples)
    good.push_back(cluster::test::encoded(sample));
  return good;
}

/// Whether a launch would run for long, which no node can forbid.
bool isLong(const cluster::Work& work) {
  const auto* launch = std::get_if<cluster::RunLaunch>(&work);
  std::uint64_t items = 1;
  return launch && (__builtin_mul_overflow(launch->global[0], launch->global[1], &items) ||
                    __builtin_mul_overflow(items, launch->global[2], &items) || items > (1 << 20));
}

bool isLong(const cluster::ToNode& message) {
  if (const auto* run = std::get_if<cluster::RunCommand>(&message)) return isLong(run->work);
  const auto* record = std::get_if<cluster::RecordCommand>(&message);
  return record && isLong(record->work);
}

TEST(ClusterFuzz, TheNodeLivesOnWithDamagedMessages) {
  const std::shared_ptr<const Program> program = test::harmlessProgram(test::ServedSession::device());
  ASSERT_TRUE(program);
  ASSERT_EQ(program->kernels.size(), 2u);
  std::mt19937 random(1);
  int left = messageCount(), sessions = 0, understood = 0, launches = 0;
  for (; left > 0; ++sessions) {
    test::ServedSession session;
    const std::vector<std::string> good = goodMessages(session.window());
    // A node that has found out hangs up: the next one is asked. Most of what it would find out is left out, so that
    // sessions live for a while.
    for (int i = 0; i < 200 && left > 0 && !session.isOver(); ++i) {
      if (i % 10 == 0) { // some messages drop what launches need
        session.session().keep(kProgram, program);
        for (const std::size_t needed : {0, 1, 2})
          session.sendRaw(good[needed]);
        session.send(cluster::RunCommand{.number = kLaunchNumber, .queue = 3, .work = goodLaunch(session.window())});
      }
      session.sendRaw(good[random() % good.size()]);
      const std::string bytes = cluster::test::damaged(good[random() % good.size()], random);
      const auto decoded = cluster::decode<cluster::ToNode>(bytes);
      if (bytes.empty() || (decoded ? isLong(*decoded) : random() % 8 != 0)) continue;
      understood += decoded ? 1 : 0;
      session.sendRaw(bytes);
      --left;
    }
    session.sendRaw("nonsense");
    EXPECT_TRUE(session.isOverSoon());
    while (const auto answer = session.receiveNow())
      if (const auto* end = std::get_if<cluster::Ended>(&*answer))
        launches += end->number == kLaunchNumber && static_cast<cl_int>(end->status) == CL_COMPLETE ? 1 : 0;
  }
  // All of this must have happened often, or the damage is not of the kind that finds mistakes.
  EXPECT_GT(understood, messageCount() / 100);
  EXPECT_GT(sessions, messageCount() / 1000);
  EXPECT_GT(launches, 0) << "how many end in time depends on the machine";
}

TEST(ClusterFuzz, DamagedBuildsAreAnswered) {
  Device& device = test::ServedSession::device();
  cluster::BuildProgram good = test::harmlessModule(device);
  ASSERT_FALSE(good.module.empty());
  good.options = "-cl-fast-relaxed-math";
  const std::string bytes = cluster::test::encoded(cluster::Question(good));
  std::mt19937 random(6);
  Programs programs;
  int done = 0, failed = 0;
  for (int i = 0; i < messageCount() / 20; ++i) {
    // The module is most of the question, which is to be damaged elsewhere, too.
    const std::size_t head = bytes.size() - good.module.size();
    const std::string damaged = i % 4 == 0 ? cluster::test::damaged(bytes, random)
                                           : cluster::test::damaged(bytes.substr(0, head), random) + bytes.substr(head);
    const auto question = cluster::decode<cluster::Question>(damaged);
    const auto* build = question ? std::get_if<cluster::BuildProgram>(&*question) : nullptr;
    if (!build) continue;
    Program program;
    const cluster::ProgramBuilt built = programs.build(device, *build, program);
    (built.state == cluster::ProgramBuilt::State::Done ? done : failed) += 1;
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(failed, 0);
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
