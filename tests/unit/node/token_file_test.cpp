// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/token_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace clotho::node {
namespace {

class TokenFileTest : public testing::Test {
 protected:
  TokenFileTest() {
    char name[] = "/tmp/clotho-token-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~TokenFileTest() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/some/folder/cluster-token"; }
  void write(const std::string& text, mode_t mode) const {
    std::filesystem::create_directories(folder_ + "/some/folder");
    std::ofstream(path()) << text;
    chmod(path().c_str(), mode);
  }

  std::string folder_, why_;
};

TEST_F(TokenFileTest, IsMadeForTheUserAlone) {
  const auto token = tokenIn(path(), why_);
  ASSERT_TRUE(token) << why_;
  struct stat status{};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  const auto again = tokenIn(path(), why_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->equals(*token));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/some/folder")) {
    static_cast<void>(entry);
    ++files;
  }
  EXPECT_EQ(files, 1u) << "files that were needed to make it";
}

TEST_F(TokenFileTest, IsRefusedIfOthersCanReadIt) {
  const std::string text(64, 'a');
  for (const mode_t mode : {0640, 0604, 0620, 0666}) {
    write(text, mode);
    EXPECT_FALSE(tokenIn(path(), why_)) << mode;
    EXPECT_NE(why_.find("other users"), std::string::npos) << why_;
  }
  for (const mode_t mode : {0600, 0400}) {
    write(text + '\n', mode);
    EXPECT_TRUE(tokenIn(path(), why_)) << why_;
    std::filesystem::remove(path());
  }
}

TEST_F(TokenFileTest, IsRefusedIfItHasNoToken) {
  for (const std::string& text : {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g')}) {
    write(text, 0600);
    EXPECT_FALSE(tokenIn(path(), why_)) << text;
    EXPECT_NE(why_.find("64 hexadecimal digits"), std::string::npos) << why_;
  }
}

TEST_F(TokenFileTest, IsRefusedIfItIsALinkOrAFolder) {
  write(std::string(64, 'a'), 0600);
  std::filesystem::rename(path(), path() + "-elsewhere");
  std::filesystem::create_symlink(path() + "-elsewhere", path());
  EXPECT_FALSE(tokenIn(path(), why_));
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_FALSE(tokenIn(path(), why_));
}

TEST_F(TokenFileTest, IsOneForAllThatMakeItAtTheSameTime) {
  std::vector<std::string> texts(8);
  std::vector<std::thread> threads;
  for (std::string& text : texts)
    threads.emplace_back([&] {
      std::string why;
      if (const auto token = tokenIn(path(), why)) text = token->text();
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& text : texts)
    EXPECT_EQ(text, texts.front());
  EXPECT_EQ(texts.front().size(), 64u);
}

TEST_F(TokenFileTest, TheEnvironmentComesFirst) {
  setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  setenv("CLOTHO_CLUSTER_TOKEN", std::string(64, 'b').c_str(), 1);
  const auto named = tokenOfServices(why_);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->text(), std::string(64, 'b'));
  setenv("CLOTHO_CLUSTER_TOKEN", "secret", 1);
  EXPECT_FALSE(tokenOfServices(why_));
  unsetenv("CLOTHO_CLUSTER_TOKEN");
  const auto made = tokenOfServices(why_);
  ASSERT_TRUE(made) << why_;
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/clotho/cluster-token"));
}

} // namespace
} // namespace clotho::node
