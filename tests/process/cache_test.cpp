// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cache on disk as whole processes see it. Whether a build took place is told by a file that the build makes.
#include "support.hpp"

#include <csignal>
#include <dlfcn.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

namespace clotho::test {
namespace {

class Cache : public testing::Test {
 protected:
  std::string mark() const { return work / "mark"; }
  /// A source whose build leaves the mark.
  std::string program(const std::string& rest = "") const { return "mark " + mark() + "\n" + rest; }

  /// What a new process gets for the source.
  std::shared_ptr<const BuildResult> buildAnew(const std::string& text) const {
    BuildClient client(fakeConfig(folder.path()));
    return client.build(source(text));
  }
  /// Whether a new process has to build the source. Wrong results count as an error of the test.
  bool isBuilt(const std::string& text) const {
    remove(mark().c_str());
    auto result = buildAnew(text);
    EXPECT_EQ(result->status, BuildStatus::Success) << result->log;
    EXPECT_EQ(result->portable, text);
    return exists(mark());
  }

  TemporaryFolder folder, work;
};

TEST_F(Cache, SecondProcessNeedsNoCompiler) {
  std::string text = program("warn kept\n");
  auto first = buildAnew(text);
  EXPECT_FALSE(isBuilt(text));
  ClientConfig config = fakeConfig(folder.path());
  BuildClient client(config);
  auto second = client.build(source(text));
  EXPECT_EQ(second->log, "kept\n");
  EXPECT_EQ(second->object, first->object);
  EXPECT_EQ(second->objectPath, first->objectPath);
  EXPECT_TRUE(isBuilt(program("# another")));
}

TEST_F(Cache, SameProcessNeedsNoFile) {
  std::string text = program();
  BuildClient client(fakeConfig());
  auto first = client.build(source(text));
  EXPECT_EQ(client.build(source(text)), first);
}

TEST_F(Cache, OptionsAndTargetsAreTellApart) {
  BuildClient client(fakeConfig(folder.path()));
  BuildRequest request = source("#");
  request.options = "-DA=1";
  auto first = client.build(request);
  request.options = "-DA=2";
  EXPECT_EQ(client.build(request)->kernels[0].info.name, "options:-DA=2");
  request.target.cpu = "another";
  EXPECT_NE(client.build(request)->objectPath, first->objectPath);
}

TEST_F(Cache, FailedBuildsAreNotKept) {
  std::string text = program("fail\n");
  EXPECT_EQ(buildAnew(text)->status, BuildStatus::Failure);
  remove(mark().c_str());
  EXPECT_EQ(buildAnew(text)->status, BuildStatus::Failure);
  EXPECT_TRUE(exists(mark()));
  EXPECT_TRUE(folder.names(".so").empty());
}

TEST_F(Cache, EntryBeginsWithTheObject) {
  auto result = buildAnew("load " CLOTHO_FAKE_OBJECT "\n");
  if (result->objectPath.empty()) GTEST_SKIP() << "the folder for temporary files forbids execution";
  EXPECT_EQ(result->objectPath, folder / folder.names(".so").at(0));
  void* object = dlopen(result->objectPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(object, nullptr) << dlerror(); // NOLINT(concurrency-mt-unsafe)
  auto* kernel = reinterpret_cast<int (*)()>(dlsym(object, "fakeKernel"));
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel(), 42);
  dlclose(object);
}

TEST_F(Cache, ChangedHeaderIsNoticed) {
  std::string header = work / "header.h";
  std::string text = program("read " + header + "\n");
  writeFile(header, "one");
  EXPECT_TRUE(isBuilt(text));
  EXPECT_FALSE(isBuilt(text));
  writeFile(header, "two");
  EXPECT_TRUE(isBuilt(text));
  EXPECT_TRUE(buildAnew(text)->object.ends_with("two"));
  // Both states are known now, and none other.
  writeFile(header, "one");
  EXPECT_FALSE(isBuilt(text));
  EXPECT_TRUE(buildAnew(text)->object.ends_with("one"));
  remove(header.c_str());
  EXPECT_TRUE(isBuilt(text));
}

TEST_F(Cache, ChangedHeaderIsNoticedInTheSameProcess) {
  std::string header = work / "header.h";
  writeFile(header, "one");
  BuildClient client(fakeConfig());
  BuildRequest request = source("read " + header + "\n");
  EXPECT_TRUE(client.build(request)->object.ends_with("one"));
  writeFile(header, "two");
  EXPECT_TRUE(client.build(request)->object.ends_with("two"));
}

TEST_F(Cache, RelativeHeadersAreThoseOfTheWorkingDirectory) {
  TemporaryFolder other;
  writeFile(work / "header.h", "one");
  writeFile(other / "header.h", "one");
  BuildRequest request = source("read " + (work / "header.h") + "\n#include\n");
  request.workingDirectory = work.path();
  BuildClient client(fakeConfig(folder.path()));
  auto first = client.build(request);
  request.workingDirectory = other.path();
  EXPECT_EQ(client.build(request)->kernels[0].info.args[1].name, other.path());
}

TEST_F(Cache, ReplacedCompilerBuildsAnew) {
  std::string compiler = work / "compiler";
  writeFile(compiler, readFile(CLOTHO_FAKE_COMPILER));
  chmod(compiler.c_str(), 0755);
  ClientConfig config = fakeConfig(folder.path());
  config.compiler = compiler;
  std::string text = program();
  BuildClient(config).build(source(text));
  remove(mark().c_str());
  BuildClient(config).build(source(text));
  EXPECT_FALSE(exists(mark()));
  timespec times[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, compiler.c_str(), times, 0);
  BuildClient(config).build(source(text));
  EXPECT_TRUE(exists(mark()));
}

TEST_F(Cache, ReplacedDataOfTheCompilerBuildAnew) {
  ClientConfig config = fakeConfig(folder.path());
  config.compiler = work / "compiler";
  writeFile(config.compiler, readFile(CLOTHO_FAKE_COMPILER));
  chmod(config.compiler.c_str(), 0755);
  for (const char* data : {"builtins.clotho", "rt.o"})
    writeFile(work / data, "first");
  std::string text = program();
  auto builds = [&] {
    remove(mark().c_str());
    BuildClient(config).build(source(text));
    return exists(mark());
  };
  EXPECT_TRUE(builds());
  for (const char* data : {"builtins.clotho", "rt.o"}) {
    EXPECT_FALSE(builds());
    writeFile(work / data, "another");
    EXPECT_TRUE(builds()) << data;
  }
}

TEST_F(Cache, DamagedEntriesAreRebuiltAndReplaced) {
  std::string text = program("pad 3000\n");
  ASSERT_TRUE(isBuilt(text));
  std::string file = folder / folder.names(".so").at(0);
  std::string good = readFile(file);
  auto heals = [&](const std::string& bad, const std::string& what) {
    writeFile(file, bad);
    EXPECT_TRUE(isBuilt(text)) << what;
    EXPECT_EQ(readFile(file), good) << what;
    EXPECT_FALSE(isBuilt(text)) << what;
  };
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{79}, good.size() / 2, good.size() - 1})
    heals(good.substr(0, size), "cut to " + std::to_string(size));
  for (std::size_t at : {std::size_t{0}, good.size() / 3, good.size() - 100, good.size() - 60, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    heals(bad, "a bit flipped at " + std::to_string(at));
  }
  heals(good + "more", "longer");
  heals(std::string(good.size(), '\0'), "zeros");
}

TEST_F(Cache, DamagedManifestIsRebuilt) {
  std::string header = work / "header.h";
  writeFile(header, "text");
  std::string text = program("read " + header + "\n");
  ASSERT_TRUE(isBuilt(text));
  std::string file = folder / folder.names(".headers").at(0);
  std::string good = readFile(file);
  for (std::size_t size : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
    writeFile(file, good.substr(0, size));
    EXPECT_TRUE(isBuilt(text));
    EXPECT_FALSE(isBuilt(text));
  }
  good[good.size() / 2] ^= 1;
  writeFile(file, good);
  EXPECT_TRUE(isBuilt(text));
}

TEST_F(Cache, FolderThatOthersMayWriteToIsNotUsed) {
  for (mode_t mode : {0770, 0707, 0777}) {
    chmod(folder.path().c_str(), mode);
    EXPECT_TRUE(isBuilt(program()));
    EXPECT_TRUE(isBuilt(program()));
    EXPECT_TRUE(folder.names().empty());
  }
  chmod(folder.path().c_str(), 0755);
  EXPECT_TRUE(isBuilt(program()));
  EXPECT_FALSE(isBuilt(program()));
}

TEST_F(Cache, FolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(isBuilt(program()));
  EXPECT_TRUE(isBuilt(program()));
  EXPECT_TRUE(folder.names().empty());
}

/// `sudo -E` leaves a process of root's with a user's home. That user may put any folder in place of the cache.
TEST_F(Cache, FolderInAnotherUsersHomeIsNeitherUsedNorMade) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  std::string home = folder / "home", cache = home + "/.cache/clotho", link = folder / "link";
  ASSERT_EQ(mkdir(home.c_str(), 0755), 0);
  ASSERT_EQ(symlink(home.c_str(), link.c_str()), 0);
  auto isUsed = [&](const std::string& path) {
    BuildClient(fakeConfig(path)).build(source(program()));
    remove(mark().c_str());
    BuildClient(fakeConfig(path)).build(source(program()));
    return !exists(mark());
  };
  ASSERT_EQ(chown(home.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(isUsed(cache));
  EXPECT_FALSE(isUsed(link + "/.cache/clotho"));
  EXPECT_FALSE(exists(home + "/.cache"));
  // Nor where others may write on the way, unless they cannot rename what is there.
  ASSERT_EQ(chown(home.c_str(), 0, 0), 0);
  chmod(home.c_str(), 0777);
  EXPECT_FALSE(isUsed(cache));
  EXPECT_FALSE(exists(home + "/.cache"));
  chmod(home.c_str(), 01777);
  EXPECT_TRUE(isUsed(cache));
  EXPECT_TRUE(isUsed(link + "/.cache/clotho"));
  // A link that is another's, though it leads to what is ours.
  ASSERT_EQ(lchown(link.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(isUsed(link + "/.cache/clotho"));
  EXPECT_EQ(system(("rm -rf " + home).c_str()), 0); // NOLINT(concurrency-mt-unsafe)
}

TEST_F(Cache, FolderIsMadeForItsOwnerAlone) {
  std::string base = folder / "a";
  ClientConfig config = fakeConfig(base + "/b");
  BuildClient(config).build(source("#"));
  struct stat status;
  for (const std::string& made : {base, base + "/b"}) {
    ASSERT_EQ(stat(made.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
  }
  TemporaryFolder scratch;
  EXPECT_EQ(system(("rm -rf " + base).c_str()), 0); // NOLINT(concurrency-mt-unsafe)
}

TEST_F(Cache, AbsentFolderThatCannotBeMadeCostsSpeedOnly) {
  writeFile(folder / "file", "");
  for (const std::string& impossible : {folder / "file/cache", std::string("/proc/clotho")}) {
    BuildClient client(fakeConfig(impossible));
    auto result = client.build(source("#"));
    EXPECT_EQ(result->status, BuildStatus::Success) << impossible;
    EXPECT_EQ(result->objectPath, "") << impossible;
  }
}

/// A mount namespace of the test's own, in a child; false where the system forbids it.
bool ownMounts() {
  std::string user = std::to_string(geteuid()), group = std::to_string(getegid());
  if (geteuid() == 0) {
    if (unshare(CLONE_NEWNS) != 0) return false;
  } else {
    if (unshare(CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
    writeFile("/proc/self/setgroups", "deny");
    writeFile("/proc/self/uid_map", user + " " + user + " 1");
    writeFile("/proc/self/gid_map", group + " " + group + " 1");
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

const char* const kNoMounts = "mounting is forbidden here";

TEST_F(Cache, ReadOnlyFolderCostsSpeedOnly) {
  std::string known = program(), unknown = program("# unknown");
  buildAnew(known);
  std::string wrong = inChild([&]() -> std::string {
    if (geteuid() != 0)
      chmod(folder.path().c_str(), 0500);
    else if (!ownMounts() || mount(folder.path().c_str(), folder.path().c_str(), nullptr, MS_BIND, nullptr) != 0 ||
             mount(nullptr, folder.path().c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      return kNoMounts;
    if (isBuilt(known)) return "what the folder has is not used";
    auto result = buildAnew(unknown);
    if (result->status != BuildStatus::Success) return result->log;
    return result->objectPath.empty() ? "" : "an entry that cannot be";
  });
  if (wrong == kNoMounts) GTEST_SKIP() << wrong;
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST_F(Cache, FullFolderCostsSpeedOnly) {
  std::string wrong = inChild([&]() -> std::string {
    if (!ownMounts() || mount("none", folder.path().c_str(), "tmpfs", 0, "size=16k,mode=700") != 0) return kNoMounts;
    if (isBuilt(program()) != true || isBuilt(program()) != false) return "a small entry does not fit";
    for (int i = 0; i < 3; ++i) {
      auto result = buildAnew("pad 20000\n# " + std::to_string(i));
      if (result->status != BuildStatus::Success) return result->log;
      if (!result->objectPath.empty()) return "an entry that cannot be";
    }
    return folder.names().size() == 1 ? "" : "something is left behind";
  });
  if (wrong == kNoMounts) GTEST_SKIP() << wrong;
  EXPECT_EQ(wrong, "");
}

TEST_F(Cache, FileSizeLimitCostsSpeedOnly) {
  EXPECT_EQ(inChild([&]() -> std::string {
              rlimit limit{4096, RLIM_INFINITY};
              setrlimit(RLIMIT_FSIZE, &limit); // going past it would be a deadly signal
              auto result = buildAnew("pad 20000\n");
              if (result->status != BuildStatus::Success) return result->log;
              return folder.names().empty() ? "" : "something is left behind";
            }),
            "");
}

TEST_F(Cache, NoExecFolderStillSavesBuilds) {
  std::string wrong = inChild([&]() -> std::string {
    if (!ownMounts() || mount("none", folder.path().c_str(), "tmpfs", MS_NOEXEC, "mode=700") != 0) return kNoMounts;
    auto first = buildAnew(program());
    if (!first->objectPath.empty()) return "a path that cannot be loaded from";
    if (isBuilt(program())) return "the entry is not used";
    auto second = buildAnew(program());
    return second->objectPath.empty() && second->object == first->object ? "" : "not the same object";
  });
  if (wrong == kNoMounts) GTEST_SKIP() << wrong;
  EXPECT_EQ(wrong, "");
}

TEST_F(Cache, TenProcessesShareIt) {
  constexpr int kProcesses = 10, kPrograms = 12;
  auto text = [&](int i) { return "sleep 1\npad 2000\n# program " + std::to_string(i); };
  std::vector<pid_t> pids;
  for (int p = 0; p < kProcesses; ++p) {
    pid_t pid = fork();
    if (pid == 0) {
      BuildClient client(fakeConfig(folder.path()));
      for (int i = 0; i < kPrograms; ++i) {
        int which = (i + p) % kPrograms;
        auto result = client.build(source(text(which)));
        if (result->status != BuildStatus::Success || result->portable != text(which)) _exit(1);
      }
      _exit(0);
    }
    pids.push_back(pid);
  }
  for (pid_t pid : pids) {
    int status = -1;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folder.names(".so").size(), static_cast<std::size_t>(kPrograms));
  EXPECT_EQ(folder.names().size(), static_cast<std::size_t>(kPrograms)) << "something is left behind";
}

TEST_F(Cache, WriterKilledAtAnyMomentLeavesNoBadEntry) {
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> before = folder.names();
    pid_t pid = fork();
    if (pid == 0) {
      DiskCache cache(folder.path(), std::uint64_t{1} << 30);
      BuildResult result;
      result.status = BuildStatus::Success;
      result.object = std::string(200'000, 'o');
      for (std::uint64_t i = 0;; ++i)
        cache.store(BuildKey{{i % 16, 7}}, result);
    }
    // The moments count from when it is at work: how long that takes depends on what else the machine does.
    EXPECT_TRUE(waitUntil([&] { return !folder.names(".so").empty() && folder.names() != before; }))
        << "nothing is written";
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  DiskCache cache(folder.path(), std::uint64_t{1} << 30);
  std::size_t whole = 0;
  for (std::uint64_t i = 0; i < 16; ++i)
    whole += cache.find(BuildKey{{i, 7}}).has_value();
  EXPECT_GT(whole, 0u);
  EXPECT_EQ(whole, folder.names(".so").size());
}

TEST_F(Cache, SizeStaysBoundedAndWhatIsUsedStays) {
  constexpr std::uint64_t kLimit = 1 << 20;
  DiskCache cache(folder.path(), kLimit);
  BuildResult result;
  result.status = BuildStatus::Success;
  result.object = std::string(50'000, 'o');
  auto age = [&](const BuildKey& key, int seconds) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    timespec times[2] = {{now.tv_sec - seconds, 0}, {now.tv_sec - seconds, 0}};
    std::string name = objectKey(key, {}).hex() + ".so";
    ASSERT_EQ(utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
  };
  BuildKey favourite{{1000, 1}};
  cache.store(favourite, result);
  age(favourite, 100'000);
  for (std::uint64_t i = 0; i < 60; ++i) {
    BuildKey key{{i, 0}};
    cache.store(key, result);
    age(key, 50'000 - static_cast<int>(i));
    ASSERT_TRUE(cache.find(favourite)) << "after " << i; // marks it as used
    std::uint64_t total = 0;
    for (const std::string& name : folder.names()) {
      struct stat status;
      if (stat((folder / name).c_str(), &status) == 0) total += static_cast<std::uint64_t>(status.st_size);
    }
    EXPECT_LE(total, kLimit);
  }
  EXPECT_FALSE(cache.find(BuildKey{{0, 0}}));
  EXPECT_TRUE(cache.find(BuildKey{{59, 0}}));
}

TEST_F(Cache, EntryLargerThanTheCacheIsNotKept) {
  DiskCache cache(folder.path(), 1 << 16);
  BuildResult result;
  result.status = BuildStatus::Success;
  result.object = std::string(100'000, 'o');
  EXPECT_EQ(cache.store(BuildKey{{1, 1}}, result), "");
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(Cache, LeftoversOfDeadWritersGoAndForeignFilesStay) {
  for (const char* name : {"tmp-1-2-3", "tmp-4-5-6", "foreign.txt"})
    writeFile(folder / name, "x");
  timespec times[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (folder / "tmp-1-2-3").c_str(), times, 0);
  utimensat(AT_FDCWD, (folder / "foreign.txt").c_str(), times, 0);
  DiskCache cache(folder.path(), 4096);
  BuildResult result;
  result.status = BuildStatus::Success;
  result.object = std::string(1500, 'o');
  for (std::uint64_t i = 0; i < 8; ++i)
    cache.store(BuildKey{{i, i}}, result);
  EXPECT_FALSE(exists(folder / "tmp-1-2-3"));
  EXPECT_TRUE(exists(folder / "tmp-4-5-6")) << "its writer may still be at it";
  EXPECT_TRUE(exists(folder / "foreign.txt"));
}

TEST_F(Cache, FolderComesFromTheEnvironment) {
  auto folderWith = [](std::vector<std::pair<const char*, const char*>> variables) {
    std::string answer = inChild([&]() -> std::string {
      for (const char* name : {"CLOTHO_CACHE", "CLOTHO_CACHE_DIR", "XDG_CACHE_HOME", "HOME"})
        unsetenv(name); // NOLINT(concurrency-mt-unsafe)
      for (auto [name, value] : variables)
        setenv(name, value, 1); // NOLINT(concurrency-mt-unsafe)
      return "folder " + DiskCache::defaultFolder(Options::fromEnvironment());
    });
    return answer.substr(7);
  };
  EXPECT_EQ(folderWith({}), "");
  EXPECT_EQ(folderWith({{"HOME", "/home/me"}}), "/home/me/.cache/clotho");
  EXPECT_EQ(folderWith({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/xdg"}}), "/xdg/clotho");
  EXPECT_EQ(folderWith({{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "relative"}}), "/home/me/.cache/clotho");
  EXPECT_EQ(folderWith({{"HOME", "/home/me"}, {"CLOTHO_CACHE_DIR", "/own"}}), "/own");
  EXPECT_TRUE(folderWith({{"CLOTHO_CACHE_DIR", "relative"}}).ends_with("/relative"));
  EXPECT_TRUE(folderWith({{"CLOTHO_CACHE_DIR", "relative"}}).starts_with("/"));
  EXPECT_EQ(folderWith({{"HOME", "/home/me"}, {"CLOTHO_CACHE", "0"}}), "");
  EXPECT_EQ(folderWith({{"HOME", ""}}), "");
}

} // namespace
} // namespace clotho::test
