// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `clotho replay` on what the driver captures: in both directions, and on planted faults.
#include "capture/file.hpp"

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <vector>

namespace clotho::test {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int status;
  std::string text;
};

Ended runShell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {-1, "no shell"};
  std::string text;
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), size);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

Ended replay(const fs::path& file, const std::string& options = "") {
  return runShell(std::string(CLOTHO_TOOL) + " replay " + file.string() + " " + options);
}

capture::Contents read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::string why;
  auto contents = capture::parse(bytes, why);
  EXPECT_TRUE(contents) << path << ": " << why;
  return contents.value_or(capture::Contents());
}

fs::path write(const fs::path& path, const capture::Contents& contents) {
  std::string why;
  EXPECT_TRUE(capture::write(path.string(), contents, why)) << why;
  return path;
}

/// A capture of a kernel whose arguments are buffers of ints, as the driver would write it.
capture::Contents made(const std::string& source, const std::string& kernel, std::uint64_t items,
                       const std::vector<std::vector<cl_int>>& buffers) {
  capture::Contents contents;
  contents.description.program.units.emplace_back().text = source;
  contents.description.kernel = kernel;
  contents.description.range.global[0] = items;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    capture::Memory memory;
    memory.size = memory.stored = buffers[i].size() * sizeof(cl_int);
    contents.description.memories.push_back(memory);
    contents.description.arguments.push_back({capture::ArgumentKind::Memory, {}, i, {}, {}});
    contents.inputs.emplace_back(reinterpret_cast<const char*>(buffers[i].data()), memory.size);
  }
  return contents;
}

class ReplayTest : public testing::Test {
 protected:
  /// A launch of a millisecond.
  static fs::path shortLaunch() {
    return write(
        kFolder / "short.capture",
        made("kernel void k(global volatile int* a) { for (int i = 0; i < 400000; ++i) a[0] = i; }", "k", 1, {{1}}));
  }
  static void SetUpTestSuite() {
    fs::remove_all(kFolder);
    fs::create_directories(kFolder);
    for (const char* suite : {"Capture", "CaptureBuffer", "CaptureImage", "CaptureSvm"}) {
      const Ended run = runShell("CLOTHO_CAPTURE=" + kFolder.string() + "/" + suite +
                                 ":launch=1- " CLOTHO_CAPTURING_TESTS " --gtest_brief=1 --gtest_filter=" + suite +
                                 "Test.*-*.SeveralContexts*");
      ASSERT_EQ(run.status, 0) << run.text;
    }
  }
  static fs::path capture(const char* suite, const char* kernel) {
    return kFolder / suite / (std::string(kernel) + "-1.capture");
  }

  static const inline fs::path kFolder = fs::path(CLOTHO_CAPTURES_FOLDER) / "replayed";
};

TEST_F(ReplayTest, EachGivesWhatWasCaptured) {
  int count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() != ".capture") continue;
    ++count;
    const bool fails = entry.path().filename().string().starts_with("failing-");
    const Ended run = replay(entry.path());
    EXPECT_EQ(run.status, fails ? 1 : 0) << entry.path() << ": " << run.text;
    EXPECT_NE(run.text.find(fails ? "the launch fails with -5" : "same"), std::string::npos) << run.text;
  }
  EXPECT_GE(count, 20);
}

TEST_F(ReplayTest, DamagedOutputsAreReported) {
  const std::tuple<const char*, const char*, const char*> cases[] = {{"Capture", "arguments", "argument 0 (a)"},
                                                                     {"Capture", "overlapping", "argument 0"},
                                                                     {"CaptureImage", "writes_image", "argument 1"},
                                                                     {"CaptureSvm", "follows", "argument 0"}};
  for (const auto& [suite, kernel, object] : cases) {
    capture::Contents contents = read(capture(suite, kernel));
    const std::size_t index = std::string(kernel) == "writes_image" ? 1 : 0;
    ASSERT_GT(contents.outputs.size(), index) << kernel;
    contents.outputs[index][4] ^= 1;
    const Ended run = replay(write(kFolder / "damaged.capture", contents));
    EXPECT_EQ(run.status, 1) << kernel << run.text;
    EXPECT_NE(run.text.find(object), std::string::npos) << run.text;
    EXPECT_NE(run.text.find("different"), std::string::npos) << run.text;
  }
}

TEST_F(ReplayTest, OtherCodeGivesTheSame) {
  for (const char* options : {"--width 1", "--width 32", "--cpu x86-64-v2", "--options=-cl-opt-disable", "--guard",
                              "--repeat 3", "--against-width 4"}) {
    const Ended run = replay(capture("Capture", "arguments"), options);
    EXPECT_EQ(run.status, 0) << options << ": " << run.text;
  }
}

/// Seconds of processor time that a replay takes.
double processorTimeOf(const fs::path& file, const std::string& options) {
  const auto now = [] {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  const double before = now();
  const Ended run = replay(file, options);
  EXPECT_EQ(run.status, 0) << run.text;
  return now() - before;
}

/// Threads that wake up and look for work take as much of each.
TEST_F(ReplayTest, SamplesAreLong) {
  const fs::path file = shortLaunch();
  replay(file); // builds it
  const double one = processorTimeOf(file, "--repeat 1");
  EXPECT_GT(processorTimeOf(file, "--repeat 21") - one, 0.2);
}

/// On a processor that others use as well, it takes longer to settle.
TEST_F(ReplayTest, SettlesForProcessorTime) {
  const fs::path file = shortLaunch();
  replay(file); // builds it
  cpu_set_t all, first;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&first);
  for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  std::atomic<bool> isOver{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] {
      while (!isOver) {
      }
    });
  const double one = processorTimeOf(file, "--repeat 1");
  const double settled = processorTimeOf(file, "--repeat 1 --settle 0.5");
  isOver = true;
  for (std::thread& other : others)
    other.join();
  EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_GT(settled - one, 0.45);
}

/// Another driver has shared memory at other addresses, or none of it.
TEST_F(ReplayTest, AnotherDriverRunsIt) {
  if (!fs::exists("/etc/OpenCL/vendors/pocl.icd")) GTEST_SKIP() << "PoCL is not installed";
  const Ended run = replay(capture("Capture", "arguments"), "--driver pocl");
  EXPECT_EQ(run.status, 0) << run.text;
  const Ended against = replay(capture("Capture", "arguments"), "--against pocl");
  EXPECT_EQ(against.status, 0) << against.text;
}

/// A device that does not reach all of the host's memory has the list elsewhere.
TEST_F(ReplayTest, PointersFollowTheirMemory) {
  const Ended run =
      runShell("CLOTHO_CPU_DEVICES=far " CLOTHO_TOOL " replay " + capture("CaptureSvm", "follows").string());
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_NE(run.text.find("lies elsewhere"), std::string::npos) << run.text;
}

TEST_F(ReplayTest, ItIsACaptureAgain) {
  const fs::path again = kFolder / "again.capture";
  EXPECT_EQ(replay(capture("Capture", "overlapping"), "--write " + again.string()).status, 0);
  EXPECT_EQ(read(again).outputs, read(capture("Capture", "overlapping")).outputs);
  EXPECT_EQ(replay(again).status, 0);
}

/// The driver tells how many bytes a texel has; a file that says something else cannot make it write behind them.
TEST_F(ReplayTest, TexelsHaveTheSizeOfTheirFormat) {
  capture::Contents contents = read(capture("CaptureImage", "writes_image"));
  for (const std::uint32_t bytes : {1U, 0U, 4096U}) {
    for (capture::Memory& memory : contents.description.memories)
      memory.shape.texelBytes = bytes;
    const Ended run = replay(write(kFolder / "texels.capture", contents));
    EXPECT_EQ(run.status, 0) << run.text;
  }
}

TEST_F(ReplayTest, WhatCannotBeRunIsSaid) {
  EXPECT_EQ(replay("/no/such/file").status, 2);
  EXPECT_EQ(replay("/proc/self/status").status, 2);
  EXPECT_EQ(replay(capture("Capture", "arguments"), "--driver /no/such/driver.so").status, 2);
  const Ended run = replay(capture("Capture", "arguments"), "--options=-no-such-option");
  EXPECT_EQ(run.status, 2);
  const Ended shown = replay(capture("Capture", "arguments"), "--show");
  EXPECT_EQ(shown.status, 0);
  EXPECT_NE(shown.text.find("kernel arguments, launch 1"), std::string::npos) << shown.text;
  EXPECT_NE(replay(capture("Capture", "arguments"), "--source").text.find("kernel void arguments"), std::string::npos);
}

class ReduceTest : public testing::Test {
 protected:
  static const inline fs::path kFolder = fs::path(CLOTHO_CAPTURES_FOLDER) / "reduced";
  void SetUp() override { fs::create_directories(kFolder); }
};

/// Work-items that read what their neighbours write differ by the number of those that run at once.
constexpr const char* kRace = R"(
float unused(float x) { return x * 2; }
int more(int x) { return x + 1; }
kernel void other(global int* a) { a[0] = 1; }
kernel void race(global int* a, global int* b) {
  int i = get_global_id(0);
  float t = 0;
  for (int k = 0; k < 10; k++) { t += k * 0.5f; }
  a[i] = more(i) + (int)t;
  if (i < 1000) {
    b[i] = a[(i + 1) % 1024];
  }
}
)";

TEST_F(ReduceTest, WidthsThatDiffer) {
  const fs::path file = write(kFolder / "race.capture",
                              made(kRace, "race", 1024, {std::vector<cl_int>(1024), std::vector<cl_int>(1024)}));
  const fs::path small = kFolder / "small.capture";
  const Ended run = replay(file, "--width 8 --against-width 1 --reduce " + small.string());
  EXPECT_EQ(run.status, 1) << run.text;
  const capture::Contents contents = read(small);
  const std::string& source = contents.description.program.units.at(0).text;
  EXPECT_LT(source.size(), 200u) << source;
  for (const char* gone : {"unused", "other", "for ("})
    EXPECT_EQ(source.find(gone), std::string::npos) << source;
  EXPECT_LE(contents.description.range.global[0], 8u);
  EXPECT_LE(contents.description.memories.at(1).size, 256u);
  // What is right is in the file: it fails by itself, and passes where it is run the other way.
  EXPECT_EQ(replay(small, "--width 8").status, 1);
  EXPECT_EQ(replay(small, "--width 1").status, 0);
}

/// A reduction in local memory whose steps have no barriers between.
capture::Contents reductionWithoutBarriers() {
  const char* source = "kernel void sum(global const int* values, global int* sums) {\n"
                       "  local int partial[64];\n"
                       "  int i = get_local_id(0);\n"
                       "  int unused = i * 2;\n"
                       "  partial[i] = values[get_global_id(0)];\n"
                       "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                       "  for (int step = 32; step > 0; step /= 2)\n"
                       "    if (i < step) partial[i] += partial[i + step];\n"
                       "  if (i == 0) sums[get_group_id(0)] = partial[0];\n"
                       "}\n";
  capture::Contents contents = made(source, "sum", 512, {std::vector<cl_int>(512, 3), std::vector<cl_int>(512)});
  contents.description.range.hasLocal = true;
  contents.description.range.local[0] = 64;
  return contents;
}

std::string sourceIn(const capture::Contents& contents) { return contents.description.program.units.at(0).text; }

/// Without the line that writes the local memory the results differ as well: by a fault that the kernel did not have.
TEST_F(ReduceTest, ARaceStaysARace) {
  const fs::path file = write(kFolder / "no-barriers.capture", reductionWithoutBarriers());
  const fs::path small = kFolder / "small-no-barriers.capture";
  const Ended run = replay(file, "--width 8 --against-width 1 --reduce " + small.string());
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("each kind is kept: race at "), std::string::npos) << run.text;
  const std::string source = sourceIn(read(small));
  EXPECT_EQ(source.find("unused"), std::string::npos) << source;
  EXPECT_NE(source.find("partial[i] = "), std::string::npos) << source;
  EXPECT_EQ(read(small).description.range.global[0], 64U);
  const Ended checked = replay(small, "--check race");
  EXPECT_EQ(checked.status, 1) << checked.text;
  EXPECT_NE(checked.text.find("runtime error: race: "), std::string::npos) << checked.text;
}

TEST_F(ReduceTest, WhatChecksReport) {
  const fs::path file = write(kFolder / "checked.capture", reductionWithoutBarriers());
  const fs::path small = kFolder / "small-checked.capture";
  const Ended none = replay(file, "--check barrier");
  EXPECT_EQ(none.status, 0) << none.text;
  EXPECT_NE(
      replay(file, "--check barrier --against-width 1 --width 1 --reduce " + small.string()).text.find("no fault"),
      std::string::npos);
  const Ended run = replay(file, "--check race --reduce " + small.string());
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("fails: checks report: race at "), std::string::npos) << run.text;
  // The race is there without the sum.
  const std::string source = sourceIn(read(small));
  EXPECT_EQ(source.find("sums["), std::string::npos) << source;
  EXPECT_NE(source.find("partial[i] = "), std::string::npos) << source;
  const Ended checked = replay(small, "--check all");
  EXPECT_EQ(checked.status, 1) << checked.text;
  EXPECT_NE(checked.text.find("checks report: race at "), std::string::npos) << checked.text;
}

TEST_F(ReduceTest, Crashes) {
  const char* source = "int other(int x) { return x; }\n"
                       "kernel void crashes(global int* a) { int i = get_global_id(0); a[i] = other(i);\n"
                       "  if (i == 300) *(global int*)16 = 1; }\n";
  const fs::path file = write(kFolder / "crash.capture", made(source, "crashes", 1024, {std::vector<cl_int>(1024)}));
  const fs::path small = kFolder / "small-crash.capture";
  const Ended run = replay(file, "--reduce " + small.string());
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("the launch fails with -5"), std::string::npos) << run.text;
  const capture::Contents contents = read(small);
  EXPECT_LE(contents.description.range.global[0], 2u);
  EXPECT_EQ(contents.description.program.units.at(0).text.find("other"), std::string::npos);
}

/// A kernel that fails by an option, so that the reference runs right.
constexpr const char* kByOption = R"(
int unused(int x) { return x * 2; }
kernel void by_option(global int* a) {
  int i = get_global_id(0);
  printf("work-item %d prints a line\n", i);
#ifdef BAD
  if (i == 300 && get_global_size(0) > 650) a[0] = 1;
#endif
}
)";

/// Each phase has its share of the runs, and groups are removed from both ends.
TEST_F(ReduceTest, FewRunsReduceTheSourceToo) {
  const fs::path file =
      write(kFolder / "by-option.capture", made(kByOption, "by_option", 1000, {std::vector<cl_int>(64)}));
  const fs::path small = kFolder / "small-by-option.capture", temporary = kFolder / "temporary";
  fs::remove_all(temporary);
  fs::create_directories(temporary);
  const Ended run = runShell("TMPDIR=" + temporary.string() + " " CLOTHO_TOOL " replay " + file.string() +
                             " --options=-DBAD --against-width 1 --most-runs 200 --reduce " + small.string());
  EXPECT_EQ(run.status, 1) << run.text;
  const capture::Contents contents = read(small);
  EXPECT_EQ(contents.description.range.global[0], 651u) << run.text;
  const std::string& source = contents.description.program.units.at(0).text;
  EXPECT_EQ(source.find("unused"), std::string::npos) << source;
  EXPECT_TRUE(fs::is_empty(temporary));
}

/// What a kernel prints is no answer of the process that runs it, and does not block that.
TEST_F(ReduceTest, KernelsThatPrint) {
  const fs::path file =
      write(kFolder / "prints.capture", made(kByOption, "by_option", 4096, {std::vector<cl_int>(64)}));
  const Ended same = replay(file, "--against-width 1");
  EXPECT_EQ(same.status, 0) << same.text.substr(0, 200);
  EXPECT_TRUE(same.text.ends_with("same\n"));
  const Ended differs = replay(file, "--options=-DBAD --against-width 1");
  EXPECT_EQ(differs.status, 1) << differs.text.substr(0, 200);
}

TEST_F(ReduceTest, AReferenceThatDoesNotRunIsNotRight) {
  const fs::path file =
      write(kFolder / "reference.capture",
            made("#ifndef BAD\n#error\n#endif\nkernel void k(global int* a) { a[0] = 1; }", "k", 1, {{0}}));
  for (const char* mode : {"", "--reduce /dev/null"}) {
    const Ended run = replay(file, std::string("--options=-DBAD --against-width 1 ") + mode);
    EXPECT_EQ(run.status, 2) << run.text;
    EXPECT_NE(run.text.find("the other run (width 1): does not run"), std::string::npos) << run.text;
  }
}

/// The reference does not have the width of the run that is compared with it.
TEST_F(ReduceTest, AReferenceHasItsOwnSetup) {
  capture::Contents contents =
      made("kernel void size(global int* a) { a[get_global_id(0)] = get_max_sub_group_size(); }", "size", 64,
           {std::vector<cl_int>(64)});
  contents.description.program.units[0].options = "-cl-std=CL3.0";
  const fs::path file = write(kFolder / "size.capture", contents);
  const fs::path library = fs::path(CLOTHO_TOOL).parent_path().parent_path() / "lib/libclotho.so";
  for (const char* width : {"8", "32"}) {
    const Ended run = replay(file, std::string("--against ") + library.string() + " --width " + width);
    EXPECT_EQ(run.status, 1) << run.text;
    EXPECT_NE(run.text.find(std::string("there 16, now ") + width), std::string::npos) << run.text;
  }
}

TEST_F(ReduceTest, WhatHangs) {
  const fs::path file =
      write(kFolder / "hangs.capture",
            made("kernel void hangs(global volatile int* a) { while (a[0] == 0); }", "hangs", 1, {{0}}));
  const Ended run = replay(file, "--time-limit 5 --most-runs 1 --reduce " + (kFolder / "small-hangs.capture").string());
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("fails: does not end"), std::string::npos) << run.text;
}

TEST_F(ReduceTest, AccessesBehindBuffers) {
  const fs::path file =
      write(kFolder / "behind.capture", made("kernel void behind(global int* a) { a[1024 + get_global_id(0)] = 1; }",
                                             "behind", 8, {std::vector<cl_int>(1024)}));
  const Ended run = replay(file, "--guard --most-runs 20 --reduce " + (kFolder / "small-behind.capture").string());
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("fails: the launch fails with -5"), std::string::npos) << run.text;
}

TEST_F(ReduceTest, QuotedBuildOptions) {
  capture::Contents contents =
      made("#include <header.h>\nkernel void quoted(global int* a) { a[0] = OF_HEADER + MORE; }", "quoted", 1, {{0}});
  capture::Unit& unit = contents.description.program.units[0];
  unit.folder = "/some where";
  unit.options = "-I \"in clude\" -D 'MORE=1 + 2' -clotho-source=\"a b.cl\"";
  unit.files = {{"/some where/in clude/header.h", "#define OF_HEADER 4\n"}};
  const fs::path file = write(kFolder / "quoted.capture", contents), result = kFolder / "quoted-result.capture";
  const Ended run = replay(file, "--write " + result.string());
  ASSERT_EQ(run.status, 0) << run.text;
  EXPECT_EQ(read(result).outputs.at(0)[0], 7);
}

/// Kernels that set variables work whatever macros the program has.
TEST_F(ReduceTest, VariablesOfProgramsWithMacros) {
  capture::Contents contents = made("#define uchar 17\n#define from 3\n#define to 4\n__global int counter = 5;\n"
                                    "__kernel void counts(__global int* a) { a[0] = ++counter; }\n"
                                    "#define kernel\n#define global\n#define counter nothing\n",
                                    "counts", 1, {{0}});
  contents.description.program.units[0].options = "-cl-std=CL3.0";
  contents.description.variables = {{"counter", 4}};
  contents.inputs.emplace_back("\x29\0\0\0", 4);
  const fs::path file = write(kFolder / "macros.capture", contents), result = kFolder / "macros-result.capture";
  const Ended run = replay(file, "--write " + result.string());
  ASSERT_EQ(run.status, 0) << run.text;
  EXPECT_EQ(read(result).outputs.at(0)[0], 42);
  EXPECT_EQ(read(result).outputs.at(1)[0], 42);
}

/// Files of a damaged capture that cannot be written leave no folder.
TEST_F(ReduceTest, FilesThatAreFolders) {
  capture::Contents contents = made("kernel void k(global int* a) { a[0] = 1; }", "k", 1, {{0}});
  contents.description.program.units[0].files = {{"/x", "text"}, {"/x/y", "text"}};
  const fs::path file = write(kFolder / "folders.capture", contents), temporary = kFolder / "temporary";
  fs::remove_all(temporary);
  fs::create_directories(temporary);
  const Ended run = runShell("TMPDIR=" + temporary.string() + " " CLOTHO_TOOL " replay " + file.string());
  EXPECT_EQ(run.status, 2) << run.text;
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(ReduceTest, WhatDoesNotFailIsNotReduced) {
  const fs::path file =
      write(kFolder / "right.capture", made("kernel void k(global int* a) { a[0] = 1; }", "k", 1, {{0}}));
  const Ended run = replay(file, "--against-width 1 --reduce " + (kFolder / "none.capture").string());
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.text.find("does not fail"), std::string::npos) << run.text;
  EXPECT_NE(replay(file, "--bisect").text.find("has no outputs to compare with"), std::string::npos);
}

/// An overflow has no value, and the optimiser takes it for one that does not happen: a pass is to be found.
TEST_F(ReduceTest, ThePassAfterWhichItDiffers) {
  const char* source = "kernel void overflow(global int* r, global const int* x) {\n"
                       "  int i = get_global_id(0); int v = x[i]; r[i] = v + 1 > v; }\n";
  capture::Contents contents =
      made(source, "overflow", 64, {std::vector<cl_int>(64), std::vector<cl_int>(64, 0x7fffffff)});
  const fs::path file = write(kFolder / "overflow.capture", contents), right = kFolder / "overflow-right.capture";
  ASSERT_EQ(replay(file, "--options=-cl-opt-disable --write " + right.string()).status, 0);
  EXPECT_EQ(replay(right, "--options=-cl-opt-disable").status, 0);
  EXPECT_EQ(replay(right).status, 1);
  const Ended run = replay(right, "--bisect");
  EXPECT_EQ(run.status, 1) << run.text;
  EXPECT_NE(run.text.find("\npass "), std::string::npos) << run.text;
  EXPECT_NE(run.text.find("on function overflow"), std::string::npos) << run.text;
}

} // namespace
} // namespace clotho::test
