// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/cpu_device.hpp"

#include "runtime/process.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace clotho::cpu {
namespace {

Device& device() { return *Process::get().platform().devices().front(); }

struct Messages {
  std::mutex mutex;
  std::vector<std::string> texts;
};

void CL_CALLBACK onError(const char* text, const void*, std::size_t, void* userData) {
  auto& messages = *static_cast<Messages*>(userData);
  std::lock_guard lock(messages.mutex);
  messages.texts.emplace_back(text);
}

/// Commands through the real queue and the real device, kernels from kernels.c.
class CpuDeviceTest : public testing::Test {
 protected:
  CpuDeviceTest()
      : context_(make<Context>(std::vector<Ref<Device>>{Ref<Device>(device())}, std::vector<cl_context_properties>{},
                               onError, &messages_)),
        queue_(newQueue(0)) {}
  /// Waits for the messages on their way: none may come once `messages_` is gone.
  void TearDown() override { messages(); }

  Ref<Queue> newQueue(cl_command_queue_properties properties) {
    return make<Queue>(*context_, device(), properties, std::vector<cl_queue_properties>{});
  }

  Launch launch(const std::string& kernel, std::uint64_t* out, std::uint64_t number, NDRange range) {
    Launch result{};
    result.kernel = &testKernel(kernel);
    TestArgs args{out, number};
    std::memcpy(result.args.inlineBlock.data(), &args, sizeof args);
    result.range = range;
    return result;
  }
  Launch launch(const std::string& kernel, std::uint64_t* out, std::uint64_t number, std::uint64_t groups) {
    NDRange range;
    range.global[0] = groups;
    return launch(kernel, out, number, range);
  }

  Ref<Event> submit(Launch&& command) { return queue_->submit(CL_COMMAND_NDRANGE_KERNEL, std::move(command), {}); }

  std::vector<std::string> messages() {
    // Messages come on the callback thread, in order: after one more nothing is on its way.
    std::atomic<bool> done{false};
    Process::get().callbacks().post([&] { done = true; });
    while (!done)
      std::this_thread::yield();
    std::lock_guard lock(messages_.mutex);
    return messages_.texts;
  }
  /// Messages without lines of kernels.c, which change with it.
  std::vector<std::string> messagesWithoutLines() {
    std::vector<std::string> texts = messages();
    for (std::string& text : texts)
      text.resize(std::min(text.find(", in "), text.size()));
    return texts;
  }

  Messages messages_;
  Ref<Context> context_;
  Ref<Queue> queue_;
};

TEST_F(CpuDeviceTest, Properties) {
  const DeviceProperties& p = device().properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_GE(p.computeUnits, 1u);
  EXPECT_GE(p.clockFrequency, 1u);
  EXPECT_GE(p.maxAllocationSize * 2, p.globalMemorySize);
  EXPECT_LE(p.maxAllocationSize, p.globalMemorySize);
  EXPECT_GE(p.localMemorySize, 32u * 1024);
  EXPECT_EQ(p.driverVersion.find_first_not_of("0123456789."), std::string::npos);
}

TEST_F(CpuDeviceTest, LaunchesOfEverySize) {
  for (std::uint64_t groups : {1ul, 2ul, 7ul, 100ul, 5000ul, 200000ul}) {
    std::vector<std::uint64_t> out(groups, 1);
    for (int i = 0; i < 5; ++i)
      submit(launch("add_number", out.data(), 10, groups));
    queue_->finish();
    for (std::uint64_t value : out)
      ASSERT_EQ(value, 51u) << groups;
  }
}

TEST_F(CpuDeviceTest, CompletesWithoutAWait) {
  std::uint64_t out = 0;
  Ref<Event> event = submit(launch("add_number", &out, 1, 1));
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!event->isDone() && std::chrono::steady_clock::now() < limit)
    std::this_thread::yield();
  EXPECT_EQ(event->status(), CL_COMPLETE);
}

TEST_F(CpuDeviceTest, EmptyRange) { EXPECT_EQ(submit(launch("add_number", nullptr, 1, 0))->wait(), CL_COMPLETE); }

TEST_F(CpuDeviceTest, LocalMemoryAndFrames) {
  std::vector<std::uint64_t> out(500);
  NDRange range;
  range.local[0] = 64;
  range.global[0] = 64 * out.size();
  Launch command = launch("use_memory", out.data(), 0, range);
  command.args.localBytes = 64 * 4;
  EXPECT_EQ(submit(std::move(command))->wait(), CL_COMPLETE);
  for (std::uint64_t group = 0; group < out.size(); ++group)
    ASSERT_EQ(out[group], 64 * group + 3 * (64 * 63 / 2));
}

TEST_F(CpuDeviceTest, TooMuchLocalMemoryFailsTheCommand) {
  std::uint64_t out = 0;
  Launch command = launch("use_memory", &out, 0, 1);
  command.args.localBytes = std::uint64_t{1} << 60;
  EXPECT_EQ(submit(std::move(command))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(submit(launch("add_number", &out, 1, 1))->wait(), CL_COMPLETE);
}

TEST_F(CpuDeviceTest, LaunchesThatWaitForMemoryLetOthersRun) {
  // Each takes more than half of what there is, so one runs at a time, for as long as this test says.
  std::uint64_t held[2] = {0, 0}, out = 0;
  const std::uint64_t most = device().properties().privateMemorySize / (64 << 10);
  const auto large = [&](std::uint64_t pieces) {
    NDRange range;
    range.dimensions = 2;
    range.global[1] = range.local[1] = pieces;
    return launch("hold", held, 1, range);
  };
  std::vector<Ref<Queue>> queues;
  std::vector<Ref<Event>> events;
  for (unsigned i = 0; i <= device().properties().computeUnits; ++i) {
    queues.push_back(newQueue(0));
    events.push_back(queues.back()->submit(CL_COMMAND_NDRANGE_KERNEL, large(most / 2 + 1), {}));
  }
  const auto soon = [](auto&& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    return condition();
  };
  std::atomic_ref<std::uint64_t> running(held[0]), release(held[1]);
  EXPECT_TRUE(soon([&] { return running == 1; }));
  if (device().properties().computeUnits > 1) {
    Ref<Event> other = submit(launch("add_number", &out, 1, 1));
    // Waiting would help, and so hide that all workers wait.
    EXPECT_TRUE(soon([&] { return other->isDone(); })) << "all workers wait for memory";
  }
  EXPECT_EQ(running.load(), 1u);
  release = 1;
  for (const Ref<Event>& event : events)
    EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(running.load(), events.size());
  queue_->finish();
  EXPECT_EQ(submit(large(most + 1))->wait(), CL_OUT_OF_RESOURCES) << "more than there is";
  EXPECT_EQ(messages(), std::vector<std::string>{"kernel 'hold': its work-groups keep more than there is memory for"});
  EXPECT_EQ(submit(large(most))->wait(), CL_COMPLETE) << "not all has been given back";
}

TEST_F(CpuDeviceTest, ATrapFailsTheCommandAndNamesTheWorkGroup) {
  NDRange range;
  range.dimensions = 3;
  range.global = {4, 5, 6};
  std::vector<std::uint64_t> out(120);
  std::uint64_t bad = (3 * 5 + 2) * 4 + 1;
  EXPECT_EQ(submit(launch("write_unmapped", out.data(), bad, range))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(submit(launch("illegal", out.data(), 0, 1))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(submit(launch("overflow", out.data(), 0, 1))->wait(), CL_OUT_OF_RESOURCES);
  auto texts = messagesWithoutLines();
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[0], "kernel 'write_unmapped', work-group (1, 2, 3): write to unmapped address 0x1230");
  EXPECT_EQ(texts[1], "kernel 'illegal', work-group (0, 0, 0): illegal instruction");
  EXPECT_EQ(texts[2], "kernel 'overflow', work-group (0, 0, 0): stack overflow");
  EXPECT_EQ(submit(launch("add_number", out.data(), 1, 120))->wait(), CL_COMPLETE);
}

/// Rows of such a kernel's work-items are along dimension 2 of the program's, which is 0 of its code.
TEST_F(CpuDeviceTest, ATrapNamesTheWorkGroupAsTheProgramDoes) {
  NDRange range;
  range.dimensions = 3;
  range.global = {4, 5, 6};
  range.offset = {7, 8, 9};
  testKernel("exchanged").toCode(range, nullptr);
  EXPECT_EQ(range.global, (std::array<std::uint64_t, 3>{6, 5, 4}));
  EXPECT_EQ(range.offset, (std::array<std::uint64_t, 3>{9, 8, 7}));
  std::vector<std::uint64_t> out(120);
  const std::uint64_t bad = (1 * 5 + 2) * 6 + 3;
  EXPECT_EQ(submit(launch("exchanged", out.data(), bad, range))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(messagesWithoutLines(),
            std::vector<std::string>{"kernel 'exchanged', work-group (1, 2, 3): write to unmapped address 0x1230"});
}

/// Groups of rows of 48 work-items are not the program's groups.
TEST_F(CpuDeviceTest, ATrapInRowsNamesWorkItems) {
  const DeviceKernel& kernel = testKernel("by_rows");
  NDRange range;
  range.global = {380, 1, 1};
  EXPECT_FALSE(kernel.takes(range, nullptr)) << "few rows, and the last is not whole";
  range.global = {480, 1, 1};
  ASSERT_TRUE(kernel.takes(range, nullptr));
  kernel.toCode(range, nullptr);
  EXPECT_EQ(range.global, (std::array<std::uint64_t, 3>{10, 48, 1}));
  EXPECT_EQ(range.local, (std::array<std::uint64_t, 3>{5, 48, 1}));
  std::vector<std::uint64_t> out(480);
  EXPECT_EQ(submit(launch("by_rows", out.data(), 1, range))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(messagesWithoutLines(),
            std::vector<std::string>{"kernel 'by_rows', work-items 240 to 479: write to unmapped address 0x1230"});
}

/// Work-groups are wide where lanes lie, of kernels with short rows as of others.
TEST_F(CpuDeviceTest, ALocalSizeIsChosenForTheDimensionOfLanes) {
  NDRange range;
  range.dimensions = 3;
  range.global = {64, 32, 4096};
  testKernel("exchanged").chooseLocalSize(range, device().properties());
  EXPECT_EQ(range.global, (std::array<std::uint64_t, 3>{64, 32, 4096}));
  EXPECT_EQ(range.local, (std::array<std::uint64_t, 3>{1, 1, 256}));
  testKernel("write_unmapped").chooseLocalSize(range, device().properties());
  EXPECT_EQ(range.local[0], 64u);
}

/// Rows of 64 work-items are wanted of groups of 8; 500 to a row, so that the last run is shorter.
TEST_F(CpuDeviceTest, NeighboursRunAsOneWithinTheirRow) {
  NDRange range;
  range.dimensions = 2;
  range.local = {8, 1, 1};
  range.global = {8 * 500, 7, 1};
  std::vector<std::uint64_t> out(500 * 7);
  EXPECT_EQ(submit(launch("merged", out.data(), ~std::uint64_t{0}, range))->wait(), CL_COMPLETE);
  std::uint64_t longest = 0;
  for (std::uint64_t group = 0; group < out.size(); ++group) {
    ASSERT_NE(out[group], 0u) << group;
    std::uint64_t first = out[group] - 1;
    ASSERT_LE(first, group);
    ASSERT_EQ(first / 500, group / 500);
    longest = std::max(longest, group - first + 1);
  }
  EXPECT_EQ(longest, 8u);
}

/// Only 256 groups of 25 would be full sub-groups of 256: fewer have to do.
TEST_F(CpuDeviceTest, NeighboursRunAsOneThoughTheyAreNoFullSubGroups) {
  NDRange range;
  range.local = {25, 1, 1};
  range.global = {25 * 4000, 1, 1};
  std::vector<std::uint64_t> out(4000);
  EXPECT_EQ(submit(launch("merged_wide", out.data(), ~std::uint64_t{0}, range))->wait(), CL_COMPLETE);
  std::uint64_t longest = 0;
  for (std::uint64_t group = 0; group < out.size(); ++group)
    longest = std::max(longest, group - (out[group] - 1) + 1);
  EXPECT_GE(longest * 25, 1024u);
}

/// How many rows each work-group has that is run, of `rows` in groups of `own`, where sixteen go together.
class CpuDeviceStackTest : public CpuDeviceTest {
 protected:
  static NDRange rangeOf(std::uint64_t own, std::uint64_t rows) {
    NDRange range;
    range.dimensions = 2;
    range.local = {8, own, 1};
    range.global = {8 * 400, rows, 1};
    return range;
  }
  std::uint64_t rowsOfGroups(std::uint64_t own, std::uint64_t rows) {
    std::vector<std::uint64_t> out(400 * rows / own);
    EXPECT_EQ(submit(launch("stacked", out.data(), ~std::uint64_t{0}, rangeOf(own, rows)))->wait(), CL_COMPLETE);
    const std::uint64_t size = out[0] / 100 % 100;
    for (std::uint64_t group = 0; group < out.size(); ++group)
      EXPECT_EQ(out[group], group < 400 * rows / size ? 8 + 100 * size + 10000 : 0) << group;
    return size;
  }
};

TEST_F(CpuDeviceStackTest, GroupsWithFewRowsRunAsLargerOnes) {
  EXPECT_EQ(rowsOfGroups(4, 64), 16u);
  EXPECT_EQ(rowsOfGroups(1, 48), 16u);
  EXPECT_EQ(rowsOfGroups(12, 96), 48u);
}

TEST_F(CpuDeviceStackTest, FewRowsAreLeftOver) {
  EXPECT_EQ(rowsOfGroups(1, 33), 33u);
  EXPECT_EQ(rowsOfGroups(1, 31), 31u);
  EXPECT_EQ(rowsOfGroups(16, 48), 16u);
  EXPECT_EQ(rowsOfGroups(3, 9), 3u);
}

TEST_F(CpuDeviceStackTest, ATrapNamesTheProgramsGroups) {
  std::vector<std::uint64_t> out(400 * 16);
  EXPECT_EQ(submit(launch("stacked", out.data(), 2 * 400 + 7, rangeOf(4, 64)))->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(messagesWithoutLines(),
            std::vector<std::string>{"kernel 'stacked', work-groups (7, 8, 0) to (7, 11, 0): write to "
                                     "unmapped address 0x1230"});
}

TEST_F(CpuDeviceTest, ATrapNamesAllGroupsThatRanAsOne) {
  NDRange range;
  range.dimensions = 2;
  range.local = {8, 1, 1};
  range.global = {8 * 500, 7, 1};
  std::vector<std::uint64_t> out(500 * 7);
  EXPECT_EQ(submit(launch("merged", out.data(), 3 * 500 + 77, range))->wait(), CL_OUT_OF_RESOURCES);
  // A kernel that is not merged, on the same threads, is named alone again.
  EXPECT_EQ(submit(launch("write_unmapped", out.data(), 7, 120))->wait(), CL_OUT_OF_RESOURCES);
  auto texts = messagesWithoutLines();
  ASSERT_EQ(texts.size(), 2u);
  unsigned first = 0, last = 0;
  ASSERT_EQ(
      std::sscanf(texts[0].c_str(), "kernel 'merged', work-groups (%u, 3, 0) to (%u, 3, 0): write", &first, &last), 2)
      << texts[0];
  EXPECT_LE(first, 77u);
  EXPECT_GE(last, 77u);
  EXPECT_LT(last - first, 8u);
  EXPECT_EQ(texts[1], "kernel 'write_unmapped', work-group (7, 0, 0): write to unmapped address 0x1230");
}

/// Every subset of dimensions in which something is left over, and work-groups larger than the launch.
TEST_F(CpuDeviceTest, WorkGroupsAtTheEndsAreSmaller) {
  for (const std::array<std::uint64_t, 3>& global : {std::array<std::uint64_t, 3>{12, 6, 4},
                                                     {11, 6, 4},
                                                     {12, 7, 4},
                                                     {12, 6, 5},
                                                     {11, 7, 4},
                                                     {11, 6, 5},
                                                     {12, 7, 5},
                                                     {11, 7, 5},
                                                     {3, 1, 1},
                                                     {4, 1, 2},
                                                     {4003, 3, 7}}) {
    NDRange range;
    range.dimensions = 3;
    range.local = {4, 2, 2};
    range.global = global;
    const auto groups = [&](int d) { return (global[d] + range.local[d] - 1) / range.local[d]; };
    std::vector<std::uint64_t> out(groups(0) * groups(1) * groups(2));
    ASSERT_EQ(submit(launch("boxes", out.data(), ~std::uint64_t{0}, range))->wait(), CL_COMPLETE);
    for (std::uint64_t i = 0; i < out.size(); ++i) {
      const std::uint64_t id[] = {i % groups(0), i / groups(0) % groups(1), i / groups(0) / groups(1)};
      std::uint64_t expected = 0, place = 1;
      for (int d = 0; d < 3; ++d, place *= 100)
        expected += place * std::min(range.local[d], global[d] - id[d] * range.local[d]);
      ASSERT_EQ(out[i], expected) << global[0] << ' ' << global[1] << ' ' << global[2] << ", group " << i;
    }
  }
}

TEST_F(CpuDeviceTest, ATrapNamesTheWorkGroupAtTheEnd) {
  NDRange range;
  range.dimensions = 3;
  range.local = {4, 2, 2};
  range.global = {11, 7, 5}; // 3 x 4 x 3 groups
  std::vector<std::uint64_t> out(36);
  for (std::uint64_t bad = 0; bad < out.size(); ++bad)
    EXPECT_EQ(submit(launch("boxes", out.data(), bad, range))->wait(), CL_OUT_OF_RESOURCES);
  auto texts = messagesWithoutLines();
  ASSERT_EQ(texts.size(), out.size());
  for (std::uint64_t bad = 0; bad < out.size(); ++bad)
    EXPECT_EQ(texts[bad], "kernel 'boxes', work-group (" + std::to_string(bad % 3) + ", " +
                              std::to_string(bad / 3 % 4) + ", " + std::to_string(bad / 12) +
                              "): write to unmapped address 0x1230");
}

TEST_F(CpuDeviceTest, ATrapStopsTheOtherGroups) {
  // Every group traps, so each chunk that is begun leaves one mark: no thread begins a second one.
  std::vector<std::uint64_t> out(1000000);
  submit(launch("write_unmapped", out.data(), UINT64_MAX, out.size()))->wait();
  std::uint64_t begun = 0;
  for (std::uint64_t value : out)
    begun += value;
  EXPECT_GE(begun, 1u);
  EXPECT_LE(begun, device().properties().computeUnits + 1u);
  EXPECT_EQ(messages().size(), 1u);
}

TEST_F(CpuDeviceTest, PrintfBeforeCompletionAndInOrder) {
  testing::internal::CaptureStdout();
  std::printf("before\n");
  submit(launch("print", nullptr, 0, 1));
  EXPECT_EQ(submit(launch("print", nullptr, 0, 1))->wait(), CL_COMPLETE);
  std::printf("after\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\ngroup 0: a text\ngroup 0: a text\nafter\n");
}

TEST_F(CpuDeviceTest, PrintfWithoutMemoryFailsTheLaunch) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
#endif
  constexpr std::uint64_t kGroups = 20000; // enough for several threads
  std::vector<std::uint64_t> out(kGroups);
  testing::internal::CaptureStdout();
  submit(launch("print", out.data(), 1, kGroups))->wait();
  queue_ = newQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Ref<Event> gate = make<Event>(*context_, nullptr, CL_COMMAND_USER, Command(Nothing{}));
  std::vector<Ref<Event>> events;
  Event* wait = gate.get();
  for (int i = 0; i < 40; ++i)
    events.push_back(
        queue_->submit(CL_COMMAND_NDRANGE_KERNEL, launch("print", out.data(), 1, kGroups), WaitList(&wait, 1)));
  rlimit before{}, none{};
  getrlimit(RLIMIT_AS, &before);
  none = {1 << 20, before.rlim_max};
  setrlimit(RLIMIT_AS, &none);
  gate->setUserStatus(CL_COMPLETE);
  setrlimit(RLIMIT_AS, &before);
  int failed = 0;
  for (int i = 0; i < 20000 && !std::all_of(events.begin(), events.end(), [](auto& e) { return e->isDone(); }); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  testing::internal::GetCapturedStdout();
  for (const Ref<Event>& event : events) {
    ASSERT_TRUE(event->isDone()) << "the launch never ends";
    EXPECT_TRUE(event->status() == CL_COMPLETE || event->status() == CL_OUT_OF_RESOURCES) << event->status();
    failed += event->status() != CL_COMPLETE;
  }
  EXPECT_GT(failed, 0);
}

TEST_F(CpuDeviceTest, PrintfOverflowLosesOnlyTheEnd) {
  testing::internal::CaptureStdout();
  submit(launch("print", nullptr, 0, 100000))->wait();
  submit(launch("print", nullptr, 0, 1))->wait();
  std::string text = testing::internal::GetCapturedStdout();
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), kPrintfBufferSize / 24 + 1);
  EXPECT_TRUE(text.ends_with("group 0: a text\n"));
}

TEST_F(CpuDeviceTest, KernelsSeeTheStandardFloatingPointEnvironmentAndHostsKeepTheirs) {
  std::fesetround(FE_TOWARDZERO);
  for (int i = 0; i < 100; ++i) {
    std::uint64_t control = 0;
    submit(launch("float_control", &control, 0, 1))->wait();
    ASSERT_EQ(control & 0xffc0, 0x1f80u);
    ASSERT_EQ(std::fegetround(), FE_TOWARDZERO);
  }
  std::fesetround(FE_TONEAREST);
}

TEST_F(CpuDeviceTest, CopiesAndFills) {
  std::size_t size = (std::size_t{24} << 20) + 100;
  std::vector<std::byte> a(size), b(size);
  Fill fill{};
  fill.target = a.data();
  fill.rowBytes = size;
  fill.patternSize = 4;
  for (std::size_t i = 0; i < 4; ++i)
    fill.pattern[i] = static_cast<std::byte>(i + 1);
  queue_->submit(CL_COMMAND_FILL_BUFFER, std::move(fill), {});
  Copy copy{};
  copy.source = a.data();
  copy.target = b.data();
  copy.rowBytes = size;
  EXPECT_EQ(queue_->submit(CL_COMMAND_COPY_BUFFER, std::move(copy), {})->wait(), CL_COMPLETE);
  for (std::size_t i = 0; i < size; ++i)
    ASSERT_EQ(b[i], static_cast<std::byte>(i % 4 + 1));
}

TEST_F(CpuDeviceTest, UnmapAndHostCalls) {
  EXPECT_EQ(queue_->submit(CL_COMMAND_UNMAP_MEM_OBJECT, Unmap{}, {})->wait(), CL_COMPLETE);
  static std::thread::id ranOn;
  HostCall call{[](void* args) {
                  ranOn = std::this_thread::get_id();
                  EXPECT_EQ(*static_cast<int*>(args), 17);
                },
                std::make_unique<std::byte[]>(sizeof(int)),
                {}};
  int number = 17;
  std::memcpy(call.args.get(), &number, sizeof number);
  EXPECT_EQ(queue_->submit(CL_COMMAND_NATIVE_KERNEL, std::move(call), {})->wait(), CL_COMPLETE);
  EXPECT_NE(ranOn, std::this_thread::get_id());
}

TEST_F(CpuDeviceTest, ManyThreadsAndQueues) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      Ref<Queue> queue = newQueue(t % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
      std::vector<std::uint64_t> out(64);
      for (int i = 0; i < 500; ++i) {
        Ref<Event> event;
        if (t % 2 == 0) {
          event = queue->submit(CL_COMMAND_NDRANGE_KERNEL, launch("add_number", out.data(), 1, i % 7 ? 1 : 64), {});
        } else {
          std::uint64_t* own = &out[static_cast<std::size_t>(i) % 64];
          if (i % 64 == 0) queue->finish();
          event = queue->submit(CL_COMMAND_NDRANGE_KERNEL, launch("add_number", own, 1, 1), {});
        }
        if (i % 50 == 0) EXPECT_EQ(event->wait(), CL_COMPLETE);
      }
      queue->finish();
      EXPECT_EQ(out[0], t % 2 ? 8u : 500u);
    });
  for (std::thread& thread : threads)
    thread.join();
}

TEST_F(CpuDeviceTest, ALongChainCompletesInOrder) {
  std::uint64_t out = 0;
  for (int i = 0; i < 20000; ++i)
    submit(launch("add_number", &out, 1, 1));
  queue_->finish();
  EXPECT_EQ(out, 20000u);
}

TEST_F(CpuDeviceTest, LaunchesAreShared) {
  if (device().properties().computeUnits < 2) return;
  // Heavy groups: with two threads this is about half as long as with one.
  std::vector<std::uint64_t> out(64);
  submit(launch("work", out.data(), 200000, out.size()))->wait();
  auto begin = std::chrono::steady_clock::now();
  submit(launch("work", out.data(), 200000, out.size()))->wait();
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  for (std::uint64_t value : out)
    EXPECT_EQ(value, 2u);
  RecordProperty("milliseconds", std::to_string(took.count()));
}

} // namespace
} // namespace clotho::cpu
