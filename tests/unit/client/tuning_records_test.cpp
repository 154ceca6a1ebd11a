// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What trials have found out, kept in files.
#include "compiler/client/tuning_records.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

namespace clotho::test {

namespace {

constexpr BuildKey kKey{{1, 2}}, kOther{{1, 3}};

TunedCode sampleCode(std::uint32_t number = 0) {
  TunedCode code;
  code.kernel = "k" + std::to_string(number);
  code.version.local = {{64, 1, 1}, true};
  code.version.set({3, CodeVersion::Integer{17}});
  code.verdict = TunedCode::Verdict::Adopted;
  code.figures = {0.25, 0.01, 24};
  code.width = 32;
  code.widthFigures = {0.5, 0.125, 13};
  code.isWidthKnown = true;
  return code;
}

class TuningRecordsTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/clotho-tuning-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/" + kKey.hex() + ".tuned"; }
  std::string read() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(std::string_view bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::string folder_;
};

/// But for the time, which is now.
void expectSame(const TunedCode& got, TunedCode wanted) {
  EXPECT_NE(got.when, 0U);
  wanted.when = got.when;
  EXPECT_EQ(got, wanted);
}

TEST_F(TuningRecordsTest, WhatIsKeptIsFound) {
  const TuningRecords records(folder_);
  EXPECT_TRUE(records.start(kKey).codes.empty());
  records.keep(kKey, "a processor", sampleCode());
  TunedCode second = sampleCode();
  second.version.local.reset();
  second.verdict = TunedCode::Verdict::Dropped;
  records.keep(kKey, "a processor", second);
  const TuningRecord found = records.start(kKey);
  ASSERT_EQ(found.codes.size(), 2U);
  expectSame(found.codes[0], sampleCode());
  expectSame(found.codes[1], second);
  EXPECT_EQ(found.find("k0", second.version), &found.codes[1]);
  EXPECT_EQ(found.find("k1", second.version), nullptr);
  EXPECT_TRUE(records.start(kOther).codes.empty());
  ASSERT_EQ(records.all().size(), 1U);
  EXPECT_EQ(records.all()[0].processor, "a processor");
}

TEST_F(TuningRecordsTest, TheLastWordCounts) {
  const TuningRecords records(folder_);
  records.keep(kKey, "", sampleCode());
  TunedCode other = sampleCode();
  other.width = 8;
  records.keep(kKey, "", other);
  ASSERT_EQ(records.start(kKey).codes.size(), 1U);
  expectSame(records.start(kKey).codes[0], other);
}

TEST_F(TuningRecordsTest, OneProcessInSomeTriesAgain) {
  const TuningRecords records(folder_);
  records.keep(kKey, "", sampleCode());
  int again = 0;
  constexpr int kTimes = 4;
  for (std::uint32_t i = 0; i < kTimes * TuningRecords::kStarts; ++i) {
    if (records.start(kKey).codes.empty())
      ++again; // which counts it itself
    else
      records.countStart(kKey);
  }
  EXPECT_EQ(again, kTimes);
}

TEST_F(TuningRecordsTest, WhatIsOldOrToComeIsTriedAgain) {
  const TuningRecords records(folder_);
  const std::uint64_t now = static_cast<std::uint64_t>(time(nullptr));
  for (const auto& [when, counts] :
       {std::pair{now - 60, true}, {now - TuningRecords::kOldAge - 1, false}, {now + 3600, false}}) {
    TuningRecords::File file{"", 0, {sampleCode()}};
    file.codes[0].when = when;
    write(TuningRecords::encode(kKey, file));
    EXPECT_EQ(records.start(kKey).codes.size(), counts ? 1U : 0U) << when;
  }
}

TEST_F(TuningRecordsTest, DamagedFilesAreNone) {
  const TuningRecords records(folder_);
  records.keep(kKey, "p", sampleCode());
  const std::string good = read();
  ASSERT_FALSE(good.empty());
  const auto isNone = [&](const std::string& bytes) { return !TuningRecords::decode(&kKey, bytes); };
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_TRUE(isNone(good.substr(0, size))) << size;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_TRUE(isNone(bytes)) << at;
  }
  EXPECT_TRUE(isNone(good + '\0'));
  write(good.substr(0, good.size() / 2));
  EXPECT_TRUE(records.start(kKey).codes.empty());
  EXPECT_TRUE(records.all().empty());
  // What is found anew takes the place of what was damaged.
  records.keep(kKey, "p", sampleCode(1));
  ASSERT_EQ(records.start(kKey).codes.size(), 1U);
  EXPECT_EQ(records.clear(), 1U);
  EXPECT_EQ(records.clear(), 0U);
}

/// Nor does a process wait for one, or follow it.
TEST_F(TuningRecordsTest, WhatIsNoFileIsNone) {
  const TuningRecords records(folder_);
  records.keep(kKey, "p", sampleCode());
  const std::string other = folder_ + "/other";
  std::filesystem::rename(path(), other);
  const auto expectNone = [&](const char* what) {
    EXPECT_TRUE(records.start(kKey).codes.empty()) << what;
    EXPECT_FALSE(records.countStart(kKey)) << what;
    EXPECT_TRUE(records.all().empty()) << what;
  };
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  expectNone("a pipe");
  std::filesystem::remove(path());
  std::filesystem::create_symlink(other, path());
  expectNone("a link");
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  expectNone("a folder");
}

TEST_F(TuningRecordsTest, FilesOfOtherProgramsAreNone) {
  const TuningRecords records(folder_);
  write(TuningRecords::encode(kOther, {"", 0, {sampleCode()}}));
  EXPECT_TRUE(records.start(kKey).codes.empty());
}

TEST_F(TuningRecordsTest, FilesStaySmall) {
  const TuningRecords records(folder_);
  for (std::uint32_t i = 0; i < TuningRecords::kMostCodes + 10; ++i)
    records.keep(kKey, "", sampleCode(i));
  const TuningRecord found = records.start(kKey);
  ASSERT_EQ(found.codes.size(), TuningRecords::kMostCodes);
  EXPECT_EQ(found.codes.front().kernel, "k10");
}

TEST_F(TuningRecordsTest, ManyMayWriteAtOnce) {
  std::vector<std::thread> threads;
  for (std::uint32_t number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      const TuningRecords records(folder_);
      for (int i = 0; i < 10; ++i) {
        records.keep(kKey, "", sampleCode(number));
        (void)records.start(kKey);
        records.countStart(kKey);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  ASSERT_EQ(TuningRecords(folder_).all().size(), 1U);
  EXPECT_GE(TuningRecords(folder_).all()[0].codes.size(), 1U);
}

TEST_F(TuningRecordsTest, FoldersOfOthersAreNotUsed) {
  const TuningRecords records(folder_);
  records.keep(kKey, "", sampleCode());
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_TRUE(records.start(kKey).codes.empty());
  const std::string before = read();
  records.keep(kKey, "", sampleCode(1));
  EXPECT_EQ(read(), before);
}

TEST_F(TuningRecordsTest, WithoutAFolderNothingIsKept) {
  for (const char* folder : {"", "/proc/no/such/folder"}) {
    const TuningRecords records(folder);
    records.keep(kKey, "", sampleCode());
    EXPECT_TRUE(records.start(kKey).codes.empty());
    EXPECT_TRUE(records.all().empty());
    EXPECT_EQ(records.clear(), 0U);
  }
}

TEST(TrialFiguresTest, Text) {
  EXPECT_EQ(TrialFigures().text(), "not tried");
  EXPECT_EQ((TrialFigures{1, 0.1, 24}.text()), "2.00 times as fast (1.87 to 2.14, 24 launches)");
  EXPECT_EQ((TrialFigures{-1, 0.01, 3}.text()), "0.50 times as fast (0.50 to 0.50, 3 launches)");
  EXPECT_EQ((TrialFigures{5, 9, 1}.text()), "32.00 times as fast (which varies too much to tell, 1 launch)");
}

} // namespace

} // namespace clotho::test
