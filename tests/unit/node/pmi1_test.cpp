// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/pmi1.hpp"

#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace clotho::node {
namespace {

/// A launcher of one process that answers from a table. Commands are compared up to the first line end.
class FakeLauncher {
 public:
  using Answers = std::vector<std::pair<std::string, std::string>>;

  explicit FakeLauncher(Answers answers) : sockets_(makeSocketPair(SOCK_STREAM)) {
    std::signal(SIGPIPE, SIG_IGN); // as in nodes
    thread_ = std::thread([this, answers = std::move(answers)] {
      std::string line;
      char byte;
      for (const auto& [command, answer] : answers) {
        for (line.clear(); read(sockets_.second.get(), &byte, 1) == 1 && byte != '\n';)
          line += byte;
        EXPECT_EQ(line, command);
        if (answer.empty()) break;
        // One byte at a time, as sockets may deliver them.
        for (const char each : answer + '\n')
          if (send(sockets_.second.get(), &each, 1, MSG_NOSIGNAL) != 1) return; // it has heard enough
      }
      shutdown(sockets_.second.get(), SHUT_RDWR);
    });
  }
  ~FakeLauncher() { thread_.join(); }
  std::unique_ptr<Launcher> open(std::string& why) { return Pmi1Launcher::open(std::move(sockets_.first), 1, 2, why); }

 private:
  FdPair sockets_;
  std::thread thread_;
};

const FakeLauncher::Answers kBegin{
    {"cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"},
    {"cmd=get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=64"},
    {"cmd=get_my_kvsname", "cmd=my_kvsname kvsname=kvs_0"}};

FakeLauncher::Answers andThen(FakeLauncher::Answers more) {
  FakeLauncher::Answers result = kBegin;
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

TEST(Pmi1Test, ReadsPairs) {
  const auto pairs = parsePmi1("cmd=get_result rc=-1 msg=key not found value=a=b");
  EXPECT_EQ(pairs.at("cmd"), "get_result");
  EXPECT_EQ(pairs.at("rc"), "-1");
  EXPECT_EQ(pairs.at("msg"), "key");
  EXPECT_EQ(pairs.at("value"), "a=b");
  EXPECT_EQ(pairs.size(), 4u);
  EXPECT_TRUE(parsePmi1("").empty());
  EXPECT_TRUE(parsePmi1("   ").empty());
  EXPECT_EQ(parsePmi1("cmd=").at("cmd"), "");
}

TEST(Pmi1Test, ExchangesTexts) {
  FakeLauncher fake(andThen({{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", "cmd=put_result rc=0 msg=success"},
                             {"cmd=barrier_in", "cmd=barrier_out"},
                             {"cmd=get kvsname=kvs_0 key=clotho-0-0", "cmd=get_result rc=0 msg=success value=theirs"},
                             {"cmd=get kvsname=kvs_0 key=clotho-0-1", "cmd=get_result rc=0 value=mine"},
                             {"cmd=put kvsname=kvs_0 key=clotho-1-1 value=more", "cmd=put_result rc=0"},
                             {"cmd=barrier_in", "cmd=barrier_out rc=0"},
                             {"cmd=get kvsname=kvs_0 key=clotho-1-0", "cmd=get_result rc=0 value=x"},
                             {"cmd=get kvsname=kvs_0 key=clotho-1-1", "cmd=get_result rc=0 value=more"},
                             {"cmd=finalize", "cmd=finalize_ack"}}));
  std::string why;
  const auto launcher = fake.open(why);
  ASSERT_TRUE(launcher) << why;
  EXPECT_EQ(launcher->rank(), 1u);
  EXPECT_EQ(launcher->size(), 2u);
  const auto first = launcher->exchange("mine");
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, (std::vector<std::string>{"theirs", "mine"}));
  ASSERT_TRUE(launcher->exchange("more"));
  launcher->finish();
}

TEST(Pmi1Test, TextsThatAreTooLongAreNotSent) {
  FakeLauncher fake(kBegin);
  std::string why;
  const auto launcher = fake.open(why);
  ASSERT_TRUE(launcher);
  EXPECT_FALSE(launcher->exchange(std::string(64, 'x')));
}

TEST(Pmi1Test, ErrorsAndSilenceAreFailures) {
  const FakeLauncher::Answers failures[] = {
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", "cmd=put_result rc=-1 msg=no room"}},
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", "cmd=barrier_out"}},
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", ""}},
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", std::string(100000, 'x')}},
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", "cmd=put_result rc=0"}, {"cmd=barrier_in", ""}},
      {{"cmd=put kvsname=kvs_0 key=clotho-0-1 value=mine", "cmd=put_result rc=0"},
       {"cmd=barrier_in", "cmd=barrier_out"},
       {"cmd=get kvsname=kvs_0 key=clotho-0-0", "cmd=get_result rc=0 msg=nothing"}}};
  for (const FakeLauncher::Answers& failure : failures) {
    FakeLauncher fake(andThen(failure));
    std::string why;
    const auto launcher = fake.open(why);
    ASSERT_TRUE(launcher);
    EXPECT_FALSE(launcher->exchange("mine"));
  }
}

TEST(Pmi1Test, WhatIsNoLauncherIsSaid) {
  FakeLauncher fake({{"cmd=init pmi_version=1 pmi_subversion=1", "220 smtp.example.org"}});
  std::string why;
  EXPECT_FALSE(fake.open(why));
  EXPECT_EQ(why, "the launcher does not talk PMI-1");
}

TEST(Pmi1Test, AProgramIsNotToldOfTheLauncher) {
  std::vector<std::string> environment{"PATH=/bin", "PMI_FD=7", "PMIX_RANK=1", "OMPI_COMM_WORLD_RANK=1", "PMIND=1"};
  hideLauncher(environment);
  EXPECT_EQ(environment, (std::vector<std::string>{"PATH=/bin", "PMIND=1"}));
}

} // namespace
} // namespace clotho::node
