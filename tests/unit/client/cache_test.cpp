// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/build_key.hpp"
#include "compiler/client/cache_entry.hpp"
#include "compiler/client/host_cpu.hpp"
#include "compiler/client/memory_cache.hpp"
#include "compiler/client/protocol.hpp"
#include "sample.hpp"

#include <gtest/gtest.h>
#include <random>

namespace clotho::test {
namespace {

std::shared_ptr<const BuildResult> resultOf(std::size_t bytes) {
  auto result = std::make_shared<BuildResult>();
  result->status = BuildStatus::Success;
  result->object = std::string(bytes, 'o');
  return result;
}

TEST(MemoryCache, GivesBackWhatItWasGiven) {
  MemoryCache cache(1 << 20);
  EXPECT_EQ(cache.find({{1, 2}}), nullptr);
  auto result = resultOf(10);
  cache.store({{1, 2}}, result);
  EXPECT_EQ(cache.find({{1, 2}}), result);
  EXPECT_EQ(cache.find({{1, 3}}), nullptr) << "equal in the half that picks the bucket";
  auto newer = resultOf(20);
  cache.store({{1, 2}}, newer);
  EXPECT_EQ(cache.find({{1, 2}}), newer);
}

TEST(MemoryCache, DropsWhatWasUsedLongestAgo) {
  MemoryCache cache(100'000);
  for (std::uint64_t i = 0; i < 4; ++i)
    cache.store({{i, 0}}, resultOf(20'000));
  EXPECT_NE(cache.find({{0, 0}}), nullptr);
  cache.store({{4, 0}}, resultOf(20'000));
  cache.store({{5, 0}}, resultOf(20'000));
  EXPECT_NE(cache.find({{0, 0}}), nullptr);
  EXPECT_EQ(cache.find({{1, 0}}), nullptr);
  EXPECT_EQ(cache.find({{2, 0}}), nullptr);
  EXPECT_NE(cache.find({{3, 0}}), nullptr);
}

TEST(MemoryCache, TakesNothingLargerThanItself) {
  MemoryCache cache(1000);
  auto result = resultOf(2000);
  cache.store({{1, 1}}, result);
  EXPECT_EQ(cache.find({{1, 1}}), nullptr);
  EXPECT_EQ(result.use_count(), 1);
}

TEST(BuildKey, DependsOnAllThatABuildDependsOn) {
  const BuildRequest base = sampleRequest();
  std::vector<BuildRequest> others(13, base);
  others[0].kind = BuildKind::Build;
  others[1].source += " ";
  others[2].options += " -w";
  others[3].headers[0].text += " ";
  others[4].headers[0].name += "x";
  others[5].modules[1] += "x";
  others[6].modules.pop_back();
  others[7].target.cpu = "x86-64";
  others[8].target.features = "";
  others[9].workingDirectory = "/elsewhere"; // there are headers, which may include others
  others[10].openclVersion = 300;
  others[11].target.width = 4;
  others[12].claims = Claims();
  BuildKey key = requestKey(base, "compiler");
  EXPECT_EQ(requestKey(base, "compiler"), key);
  EXPECT_NE(requestKey(base, "another compiler"), key);
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_NE(requestKey(others[i], "compiler"), key) << i;
}

TEST(BuildKey, DependsOnAllOfTheVersion) {
  const BuildRequest base = sampleRequest();
  std::vector<BuildRequest> others(8, base);
  others[0].kernel = "l";
  others[1].version.local.reset();
  others[2].version.local->mayHaveOffset = false;
  others[3].version.rows = CodeVersion::Rows::Partial;
  others[4].version.set({0, CodeVersion::Format{1, 2, true}});
  others[5].version.set({1, CodeVersion::Integer{UINT64_MAX}}); // a sampler before
  others[6].version.set({5, CodeVersion::Integer{18}});
  others[7].version.width = 16;
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_NE(requestKey(others[i], "compiler"), requestKey(base, "compiler")) << i;
}

TEST(BuildKey, DependsOnEveryFieldWithoutHeadersToo) {
  BuildRequest base = sampleRequest();
  base.headers.clear();
  base.options = "-w";
  std::vector<BuildRequest> others(11, base);
  others[0].kind = BuildKind::Build;
  others[1].source += " ";
  others[2].options += " -w";
  others[3].modules[1] += "x";
  others[4].modules.pop_back();
  others[5].target.cpu = "x86-64";
  others[6].target.features = "";
  std::swap(others[7].source, others[7].options);
  others[8].openclVersion = 300;
  others[9].target.width = 4;
  others[10].claims = Claims();
  BuildKey key = requestKey(base, "compiler");
  for (std::size_t i = 0; i < others.size(); ++i)
    EXPECT_NE(requestKey(others[i], "compiler"), key) << i;
}

TEST(BuildKey, WorkingDirectoryCountsWhereItMatters) {
  auto differs = [](const std::string& source, const std::string& options) {
    BuildRequest request;
    request.source = source;
    request.options = options;
    request.workingDirectory = "/one";
    BuildKey one = requestKey(request, "");
    request.workingDirectory = "/two";
    return requestKey(request, "") != one;
  };
  EXPECT_FALSE(differs("kernel void k() {}", "-DX=1 -cl-mad-enable"));
  EXPECT_TRUE(differs("#include \"x.h\"", ""));
  EXPECT_TRUE(differs("#inc\\\nlude \"x.h\"", ""));
  EXPECT_TRUE(differs("kernel void k() {}", "-I inc"));
  EXPECT_TRUE(differs("kernel void k() {}", "-g"));
}

TEST(BuildKey, TargetsAreToldApartByWidthAndHost) {
  const Target host, named{TargetKind::Cpu, "x86-64-v3", "", 0}, wide{TargetKind::Cpu, "x86-64-v3", "", 16};
  EXPECT_EQ(targetIdentity(host), targetIdentity(Target()));
  EXPECT_NE(targetIdentity(host), targetIdentity(named));
  EXPECT_NE(targetIdentity(named), targetIdentity(wide));
  // An empty name stands for the host's CPU, a name for itself on every host.
  EXPECT_NE(targetIdentity(host).find(hostCpuIdentity()), std::string::npos);
  EXPECT_EQ(targetIdentity(named).find(hostCpuIdentity()), std::string::npos);
}

TEST(BuildKey, ObjectDependsOnHeaders) {
  BuildKey request{{1, 2}};
  std::vector<Dependency> one = {{"a", {1, 1}}}, two = {{"a", {1, 2}}}, three = {{"b", {1, 1}}};
  EXPECT_NE(objectKey(request, one), objectKey(request, {}));
  EXPECT_NE(objectKey(request, one), objectKey(request, two));
  EXPECT_NE(objectKey(request, one), objectKey(request, three));
  EXPECT_EQ(request.hex(), "00000000000000010000000000000002");
}

std::string entryOf(const BuildKey& key, const BuildResult& result) {
  return result.object + encodeTrailer(key, result);
}

TEST(CacheEntry, HoldsTheWholeResult) {
  BuildResult result = sampleResult();
  BuildKey key{{5, 6}};
  std::string entry = entryOf(key, result);
  EXPECT_TRUE(entry.starts_with(result.object)) << "loaders must find the object at the file's start";
  auto got = decodeEntry(key, entry);
  ASSERT_TRUE(got);
  EXPECT_EQ(serialise(*got), serialise(result));
  EXPECT_FALSE(decodeEntry({{5, 7}}, entry)) << "another key's entry under this name";
}

TEST(CacheEntry, MayHoldNoObjectAndNoModule) {
  BuildResult result;
  result.status = BuildStatus::Success;
  auto got = decodeEntry({{1, 1}}, entryOf({{1, 1}}, result));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->object, "");
  EXPECT_EQ(got->portable, "");
}

TEST(CacheEntry, EveryTruncationAndEveryFlippedBitIsNoticed) {
  BuildResult result = sampleResult();
  result.object.resize(100);
  result.portable.resize(50);
  BuildKey key{{5, 6}};
  std::string entry = entryOf(key, result);
  for (std::size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(decodeEntry(key, entry.substr(0, size)));
  EXPECT_FALSE(decodeEntry(key, entry + "x"));
  for (std::size_t bit = 0; bit < entry.size() * 8; ++bit) {
    std::string bad = entry;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decodeEntry(key, bad)) << bit;
  }
}

TEST(CacheManifest, HoldsStatesAndNoticesDamage) {
  Manifest manifest;
  manifest.states = {{{"/a.h", {1, 2}}, {"/b.h", {3, 4}}}, {{"/a.h", {5, 6}}}};
  BuildKey key{{9, 9}};
  std::string bytes = encodeManifest(key, manifest);
  auto got = decodeManifest(key, bytes);
  ASSERT_TRUE(got);
  ASSERT_EQ(got->states.size(), 2u);
  EXPECT_EQ(got->states[0][1].path, "/b.h");
  EXPECT_EQ(got->states[1][0].hash[1], 6u);
  EXPECT_FALSE(decodeManifest({{9, 8}}, bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decodeManifest(key, bytes.substr(0, size)));
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string bad = bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(decodeManifest(key, bad)) << bit;
  }
}

} // namespace
} // namespace clotho::test
