// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

namespace clotho::capture {
namespace {

std::string noise(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes)
    byte = static_cast<char>(random() >> 8);
  return bytes;
}

Contents sample() {
  Contents contents;
  Description& description = contents.description;
  description.remarks = {{"device", "a loom"}};
  Unit& unit = description.program.units.emplace_back();
  unit.text = "kernel void k(global int* a, local float* b, read_only image2d_t c) {}";
  unit.options = "-DN=3";
  unit.headers = {{"h.h", "#define H"}};
  unit.files = {{"/include/x.h", "int x;"}};
  unit.constants = {{7, std::string("\1\0\0\0", 4)}};
  description.kernel = "k";
  description.launch = 12;
  description.arguments.resize(3);
  description.arguments[0] = {ArgumentKind::Memory, {}, 1, "a", "int*"};
  description.arguments[1] = {ArgumentKind::Local, {}, 400, "b", "float*"};
  description.arguments[2] = {ArgumentKind::Value, "1234", 0, {}, {}};
  Memory buffer;
  buffer.size = buffer.stored = 20'000;
  Memory part;
  part.kind = MemoryKind::SubBuffer;
  part.parent = 0;
  part.origin = 128;
  part.size = 256;
  description.memories = {buffer, part};
  description.shared = {{0x7f0000001000, 9000, 1}};
  description.variables = {{"counter", 4}};
  description.range.dimensions = 2;
  description.range.global[0] = 64;
  description.range.hasLocal = true;
  contents.inputs = {noise(20'000, 1), {}, std::string(9000, '\0'), "abcd"};
  contents.outcome = Outcome{0, 0.25};
  contents.outputs = contents.inputs;
  contents.outputs[0][5000] ^= 1;
  contents.outputs[0][19'999] ^= 1;
  contents.outputs[3] = "abce";
  return contents;
}

class FileTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string written(const Contents& contents) {
    std::string why;
    EXPECT_TRUE(write(path_, contents, why)) << why;
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::string asText(const Contents& contents) {
    ByteWriter out;
    FieldWriter{out}(contents.description);
    return out.take();
  }

  const std::string path_ = testing::TempDir() + "/file_test.capture";
};

TEST_F(FileTest, WhatIsWrittenIsRead) {
  const Contents contents = sample();
  std::string why;
  const auto read = parse(written(contents), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(asText(*read), asText(contents));
  EXPECT_EQ(read->inputs, contents.inputs);
  EXPECT_EQ(read->outputs, contents.outputs);
  ASSERT_TRUE(read->outcome);
  EXPECT_EQ(read->outcome->seconds, 0.25);
}

TEST_F(FileTest, AProcessThatEndedLeavesTheInputs) {
  Contents contents = sample();
  contents.outcome.reset();
  contents.outputs.clear();
  std::string why;
  const auto read = parse(written(contents), why);
  ASSERT_TRUE(read) << why;
  EXPECT_FALSE(read->outcome);
  EXPECT_EQ(read->inputs, contents.inputs);
}

TEST_F(FileTest, AFailureHasNoOutputs) {
  Contents contents = sample();
  contents.outcome->status = static_cast<std::uint32_t>(-5);
  contents.outputs.clear();
  std::string why;
  const auto read = parse(written(contents), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(static_cast<std::int32_t>(read->outcome->status), -5);
  EXPECT_TRUE(read->outputs.empty());
}

TEST_F(FileTest, PagesThatStayAsTheyWereTakeNoRoom) {
  Contents contents = sample();
  contents.description.memories[0].size = contents.description.memories[0].stored = 64 << 20;
  contents.inputs[0].assign(64 << 20, '\0');
  contents.outputs[0] = contents.inputs[0];
  contents.outputs[0][1 << 20] = 1;
  EXPECT_LT(written(contents).size(), 20'000u);
}

TEST_F(FileTest, LargeObjectsAreSeveralChunks) {
  Contents contents = sample();
  contents.description.memories[0].size = contents.description.memories[0].stored = 2 * kChunkBytes + 5;
  contents.inputs[0] = noise(2 * kChunkBytes + 5, 2);
  contents.outputs[0] = noise(2 * kChunkBytes + 5, 3);
  std::string why;
  const auto read = parse(written(contents), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->inputs, contents.inputs);
  EXPECT_EQ(read->outputs, contents.outputs);
}

/// Nothing damaged is taken for what was written: the file is refused, or has lost its outcome and says why.
bool isRefusedOrMarked(std::string_view bytes, const Contents& written, std::string& why) {
  const auto read = parse(bytes, why);
  if (!read) return !why.empty();
  return !read->damage.empty() && !read->outcome && read->outputs.empty() && read->inputs == written.inputs;
}

/// Damage of the inputs makes a file useless, damage behind them costs the outcome. A file that is cut where the inputs
/// end is one of a process that ended.
TEST_F(FileTest, DamageIsFound) {
  const std::string whole = written(sample());
  for (std::size_t i = 0; i < whole.size(); i += 1 + i / 40) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      std::string why;
      EXPECT_TRUE(isRefusedOrMarked(damaged, sample(), why)) << i;
    }
  }
  Contents inputs = sample();
  inputs.outcome.reset();
  inputs.outputs.clear();
  const std::size_t inputBytes = written(inputs).size();
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 200) {
    std::string why;
    const auto read = parse(std::string_view(whole).substr(0, size), why);
    EXPECT_EQ(read.has_value(), size >= inputBytes) << size;
    EXPECT_NE(read.has_value(), !why.empty()) << size;
    if (!read) continue;
    EXPECT_FALSE(read->outcome) << size;
    EXPECT_EQ(read->inputs, inputs.inputs) << size;
    EXPECT_EQ(read->damage.empty(), size == inputBytes) << size;
  }
  std::string why;
  EXPECT_TRUE(isRefusedOrMarked(whole + "x", sample(), why));
  EXPECT_TRUE(isRefusedOrMarked(whole + whole, sample(), why));
  const auto atItsEnd = parse(std::string_view(whole).substr(0, inputBytes), why);
  ASSERT_TRUE(atItsEnd);
  EXPECT_EQ(atItsEnd->damage, "");
}

/// Random changes of several bytes, with the sections that they leave in order, never do more than be refused.
TEST_F(FileTest, NoiseIsRefused) {
  const std::string whole = written(sample());
  std::minstd_rand random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = whole;
    for (unsigned k = 0; k < 1 + random() % 8; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    if (random() % 4 == 0) damaged.erase(random() % damaged.size(), random() % 100);
    if (damaged == whole) continue;
    std::string why;
    EXPECT_TRUE(isRefusedOrMarked(damaged, sample(), why)) << i;
  }
}

/// Damage that the checksums do not find, because they are of the damaged bytes: what is read all the same is as its
/// description says, and nothing is read or made beyond it.
TEST_F(FileTest, NoiseWithRightChecksumsIsHarmless) {
  constexpr int kFiles = 10'000;
  Contents small = sample();
  small.description.memories[0].size = small.description.memories[0].stored = 300;
  small.inputs[0] = noise(300, 4);
  const std::string description = asText(small);
  ByteWriter outcome;
  FieldWriter{outcome}(*small.outcome);
  std::string inputs;
  for (const std::string& each : small.inputs)
    inputs += each;
  std::minstd_rand random(9);
  const auto damaged = [&](std::string bytes, unsigned most) {
    for (unsigned k = random() % (most + 1); k > 0 && !bytes.empty(); --k) {
      const std::size_t at = random() % bytes.size();
      // Sizes and numbers are most often small or all ones.
      const char values[] = {0, 1, 2, '\x7f', '\xff', static_cast<char>(random())};
      switch (random() % 8) {
      case 0: bytes.erase(at, 1 + random() % 8); break;
      case 1: bytes.insert(at, 1 + random() % 8, values[random() % 6]); break;
      default: bytes[at] = values[random() % 6];
      }
    }
    return bytes;
  };
  int read = 0;
  for (int i = 0; i < kFiles; ++i) {
    {
      Writer out(makeFd([&] { return open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }), {});
      out.begin();
      out.add(Section::Description, damaged(description, 3));
      out.add(Section::Inputs, damaged(inputs, random() % 4 == 0 ? 2 : 0));
      out.add(Section::Outcome, damaged(outcome.bytes(), 1));
      out.add(Section::Pages, damaged(std::string("\1\0\0\0\1", 5), 2));
      out.add(Section::Outputs, damaged(noise(304, i), 1));
      out.end();
      ASSERT_EQ(out.error(), "");
    }
    std::ifstream in(path_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::string why;
    const auto contents = parse(bytes, why);
    if (!contents) {
      ASSERT_FALSE(why.empty()) << i;
      continue;
    }
    ++read;
    const std::vector<std::uint64_t> sizes = contentSizes(contents->description);
    ASSERT_EQ(contents->inputs.size(), sizes.size()) << i;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      ASSERT_EQ(contents->inputs[k].size(), sizes[k]) << i;
      if (!contents->outputs.empty()) ASSERT_EQ(contents->outputs.at(k).size(), sizes[k]) << i;
    }
    for (const Memory& memory : contents->description.memories)
      ASSERT_TRUE(memory.parent == kNone || memory.parent < contents->description.memories.size()) << i;
  }
  EXPECT_GT(read, kFiles / 50);
}

/// What a description refers to is there: no index leads out of a list.
TEST_F(FileTest, DescriptionsAreConsistent) {
  const auto refused = [&](const std::function<void(Description&)>& change) {
    Contents contents = sample();
    change(contents.description);
    std::string why;
    return !parse(written(contents), why);
  };
  EXPECT_TRUE(refused([](Description& d) { d.arguments[0].number = 2; }));
  EXPECT_TRUE(refused([](Description& d) { d.memories[1].parent = 1; }));
  EXPECT_TRUE(refused([](Description& d) { d.memories[1].parent = kNone; }));
  EXPECT_TRUE(refused([](Description& d) { d.range.dimensions = 4; }));
  EXPECT_TRUE(refused([](Description& d) { d.program.units.clear(); }));
  EXPECT_TRUE(refused([](Description& d) { d.memories[0].stored += 1; }));
  EXPECT_TRUE(refused([](Description& d) { d.memories[0].kind = MemoryKind::Pipe; }));
  EXPECT_FALSE(refused([](Description& d) {
    d.memories[0].kind = MemoryKind::Pipe;
    d.memories[0].shape.width = 4;
    d.memories[0].shape.height = (20'000 - 8) / 4;
  }));
  EXPECT_TRUE(refused([](Description& d) { d.shared[0].address = UINT64_MAX - 9000; }));
  EXPECT_TRUE(refused([](Description& d) { d.shared[0].address = UINT64_MAX - 8; }));
  const auto isOver = [](std::uint64_t address, std::uint64_t size) {
    return [=](Description& d) {
      d.memories[0].isShared = true;
      d.memories[0].hostAddress = address;
      d.memories[0].size = size;
    };
  };
  EXPECT_FALSE(refused(isOver(0x7f0000001000, 9000)));
  EXPECT_FALSE(refused(isOver(0x7f0000001100, 100)));
  EXPECT_TRUE(refused(isOver(0x7f0000001000, 9001)));
  EXPECT_TRUE(refused(isOver(0x7f0000000fff, 100)));
  EXPECT_TRUE(refused(isOver(0x7f0000001100, UINT64_MAX)));
  EXPECT_TRUE(refused(isOver(16, 100)));
}

/// Files of version 1 have no pipes, and are else the same.
TEST_F(FileTest, OlderVersionsAreRead) {
  std::string bytes = written(sample()), why;
  ASSERT_EQ(bytes[kMagic.size()], static_cast<char>(kVersion));
  bytes[kMagic.size()] = 1;
  const auto read = parse(bytes, why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(read->outputs, sample().outputs);
  for (const char version : {'\0', static_cast<char>(kVersion + 1)}) {
    bytes[kMagic.size()] = version;
    EXPECT_FALSE(parse(bytes, why));
    EXPECT_EQ(why, "a captured launch of a newer version of Clotho");
  }
}

TEST_F(FileTest, AFolderThatIsNotThereIsAnError) {
  std::string why;
  EXPECT_FALSE(write("/no/such/folder/x.capture", sample(), why));
  EXPECT_FALSE(why.empty());
}

} // namespace
} // namespace clotho::capture
