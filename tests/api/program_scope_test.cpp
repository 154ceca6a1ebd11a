// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs run without being asked: before their first kernel and after their last one (OpenCL 2.2, sections 3.2
// and 5.8). The driver is told to have four compute units, for sub-devices.
#include "fixture.hpp"
#include "released.hpp"
#include "told.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace clotho::test {

namespace {

/// Says what is run and counts it; with a number, so that builds can be told apart.
constexpr const char* kCounting = R"(
#ifndef NUMBER
#define NUMBER 1
#endif
global int up;
global int launches;
__attribute__((constructor)) void begin(void) { up += 1; printf("up%d;", NUMBER); }
__attribute__((destructor)) void finish(void) { printf("down%d after %d;", NUMBER, launches); }
kernel void count(global int* out) { out[0] = up; out[1] = NUMBER; out[2] = ++launches; }
)";

constexpr const char* kC = "-cl-std=CL3.0"; // in which there are variables at program scope

constexpr const char* kObjects = R"(
struct Counter {
  int value;
  Counter(int start) : value(start + (int)get_global_size(0)) {}
};
Counter first(6);
static Counter second(first.value * 2);
template <class T> struct Holder { static Counter counter; };
template <class T> Counter Holder<T>::counter(second.value);
int computed();
int late = computed();
int computed() { return first.value + 1; }
kernel void read(global int* out) {
  out[0] = first.value++;
  out[1] = second.value;
  out[2] = Holder<int>::counter.value > 0;
  out[3] = late;
}
)";

class ProgramScopeTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    testing::internal::CaptureStdout();
  }
  void TearDown() override {
    // What a test has left prints before the next one begins.
    EXPECT_TRUE(all_.comes(programs_));
    const std::string text = testing::internal::GetCapturedStdout();
    if (HasFailure()) fputs(text.c_str(), stderr); // what is wrong stands there
    Api::TearDown();
  }
  /// What kernels have printed since the last call. What has failed until now stands there, too, and is to be seen.
  static std::string printed() {
    std::string text = testing::internal::GetCapturedStdout();
    if (HasFailure()) fputs(text.c_str(), stderr);
    testing::internal::CaptureStdout();
    return text;
  }
  /// As printed by each of `count` devices, by one after the other.
  static std::string times(std::size_t count, const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i)
      result += text;
    return result;
  }
  static std::vector<cl_device_id> devicesOf(cl_context context) {
    return listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_DEVICES));
  }
  static cl_bool has(cl_program program, cl_program_info what) {
    return valueAnswer<cl_bool>(CLOTHO_INFO(clGetProgramInfo, program, what));
  }
  /// Constructors and destructors of a program are unknown without an executable (OpenCL 3.0, section 5.8.9).
  static void expectUnknown(cl_program program) {
    for (const cl_program_info what : {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT}) {
      cl_bool value;
      EXPECT_EQ(clGetProgramInfo(program, what, sizeof value, &value, nullptr), CL_INVALID_PROGRAM_EXECUTABLE);
    }
  }
  static std::string names(cl_program program) {
    return textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES));
  }
  /// Four numbers that a kernel writes.
  std::vector<int> run(cl_program program, const char* name, cl_command_queue queue, cl_context context) {
    cl_int status = 1;
    std::vector<int> numbers(4, -1);
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, numbers.data(), &status);
    EXPECT_EQ(status, CL_SUCCESS);
    cl_mem raw = buffer;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    EXPECT_EQ(clEnqueueTask(queue, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, numbers.data(), 0, nullptr, nullptr), CL_SUCCESS);
    return numbers;
  }
  std::vector<int> run(cl_program program, const char* name) { return run(program, name, queue_, context_); }
  static Owned<cl_command_queue> queueOn(cl_context context, cl_device_id device) {
    cl_int status = 1;
    Owned<cl_command_queue> queue = clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return queue;
  }
  static void watch(cl_program program, Released& released) {
    ASSERT_EQ(clSetProgramReleaseCallback(program, Released::callback, &released), CL_SUCCESS);
  }
  /// Another one for all devices, of what CL_PROGRAM_BINARIES gives for it.
  Owned<cl_program> throughBinaries(cl_program program) {
    const auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
    std::vector<std::vector<unsigned char>> bytes;
    for (const size_t size : sizes)
      bytes.emplace_back(size);
    std::vector<unsigned char*> targets;
    for (std::vector<unsigned char>& each : bytes)
      targets.push_back(each.data());
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, targets.size() * sizeof(void*), targets.data(), nullptr),
              CL_SUCCESS);
    std::vector<const unsigned char*> sources(targets.begin(), targets.end());
    const std::vector<cl_device_id> all = devicesOf(context_);
    cl_int status = 1;
    Owned<cl_program> again = clCreateProgramWithBinary(context_, static_cast<cl_uint>(all.size()), all.data(),
                                                        sizes.data(), sources.data(), nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return again;
  }
  /// Whose end the test waits for.
  Owned<cl_program> built(const char* source, const char* options) {
    Owned<cl_program> program = buildProgram(source, options);
    watchToo(program);
    return program;
  }
  void watchToo(cl_program program) {
    watch(program, all_);
    ++programs_;
  }
  std::size_t devices() { return devicesOf(context_).size(); }

 private:
  Released all_;
  int programs_ = 0;
};

TEST_F(ProgramScopeTest, ConstructorsRunOnceBeforeTheFirstKernel) {
  Owned<cl_program> program = buildProgram(kObjects, "-cl-std=CLC++2021");
  EXPECT_EQ(run(program, "read"), (std::vector<int>{7, 15, 1, 8}));
  EXPECT_EQ(run(program, "read"), (std::vector<int>{8, 15, 1, 8}));
  // Another program has objects of its own.
  Owned<cl_program> other = buildProgram(kObjects, "-cl-std=CLC++2021");
  EXPECT_EQ(run(other, "read"), (std::vector<int>{7, 15, 1, 8}));
  EXPECT_EQ(run(program, "read"), (std::vector<int>{9, 15, 1, 8}));
}

TEST_F(ProgramScopeTest, AllQueuesFindWhatWasConstructed) {
  for (int round = 0; round < 8; ++round) {
    Owned<cl_program> program = buildProgram(kObjects, "-cl-std=CLC++");
    std::vector<std::thread> threads;
    std::vector<int> seen(4);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        Owned<cl_command_queue> queue = queueOn(context_, device_);
        seen[static_cast<std::size_t>(t)] = run(program, "read", queue, context_)[1];
      });
    for (std::thread& thread : threads)
      thread.join();
    EXPECT_EQ(seen, std::vector<int>(4, 15));
  }
}

TEST_F(ProgramScopeTest, EachRootDeviceIsInitialisedAndCleanedUp) {
  Released released;
  {
    Owned<cl_program> program = built(kCounting, kC);
    watch(program, released);
    EXPECT_EQ(printed(), times(devices(), "up1;"));
    for (cl_device_id device : devicesOf(context_))
      for (int launch = 1; launch <= 2; ++launch) {
        Owned<cl_command_queue> queue = queueOn(context_, device);
        const std::vector<int> numbers = run(program, "count", queue, context_);
        EXPECT_EQ(numbers[0], 1);
        EXPECT_EQ(numbers[2], launch) << "devices have their own variables";
      }
    EXPECT_EQ(printed(), "");
  }
  ASSERT_TRUE(released.comes());
  EXPECT_EQ(printed(), times(devices(), "down1 after 2;"));
}

TEST_F(ProgramScopeTest, ApplicationsDoNotSeeTheKernels) {
  Owned<cl_program> program = built(kCounting, kC);
  EXPECT_EQ(names(program), "count");
  EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS)), 1u);
  cl_uint count = 0;
  EXPECT_EQ(clCreateKernelsInProgram(program, 0, nullptr, &count), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  for (const char* name : {"clotho.initialise", "clotho.clean-up", "begin", "finish"}) {
    cl_int status = 1;
    EXPECT_EQ(clCreateKernel(program, name, &status), nullptr) << name;
    EXPECT_EQ(status, CL_INVALID_KERNEL_NAME) << name;
  }
}

TEST_F(ProgramScopeTest, Queries) {
  Owned<cl_program> both = makeProgram(kCounting);
  watchToo(both);
  expectUnknown(both);
  ASSERT_EQ(clBuildProgram(both, 0, nullptr, kC, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(has(both, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool{CL_TRUE});
  EXPECT_EQ(has(both, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT), cl_bool{CL_TRUE});
  Owned<cl_program> objects = buildProgram(kObjects, "-cl-std=CLC++2021");
  EXPECT_EQ(has(objects, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool{CL_TRUE});
  EXPECT_EQ(has(objects, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT), cl_bool{CL_FALSE});
  Owned<cl_program> neither = buildProgram("kernel void k() {}", "-cl-std=CLC++2021");
  EXPECT_EQ(has(neither, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool{CL_FALSE});
  EXPECT_EQ(has(neither, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT), cl_bool{CL_FALSE});
}

TEST_F(ProgramScopeTest, PrioritiesGiveTheOrder) {
  Released released;
  {
    Owned<cl_program> program = built("__attribute__((constructor(300))) void a(void) { printf(\"a\"); }\n"
                                      "__attribute__((constructor(200))) void b(void) { printf(\"b\"); }\n"
                                      "__attribute__((destructor(300))) void c(void) { printf(\"c\"); }\n"
                                      "__attribute__((destructor(200))) void d(void) { printf(\"d\"); }\n"
                                      "__attribute__((destructor)) void e(void) { printf(\"e\"); }\n"
                                      "kernel void k() {}",
                                      "");
    EXPECT_EQ(printed(), times(devices(), "ba"));
    watch(program, released);
  }
  ASSERT_TRUE(released.comes());
  const std::string text = printed();
  for (const char letter : {'c', 'd', 'e'})
    EXPECT_EQ(std::count(text.begin(), text.end(), letter), static_cast<std::ptrdiff_t>(devices()));
  if (devices() == 1) EXPECT_EQ(text, "ecd");
}

TEST_F(ProgramScopeTest, BuildingAnewCleansUpFirst) {
  Released released;
  {
    Owned<cl_program> program = built(kCounting, kC);
    watch(program, released);
    run(program, "count");
    EXPECT_EQ(printed(), times(devices(), "up1;"));
    ASSERT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0 -DNUMBER=2", nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(printed(), "down1 after 1;up2;");
    EXPECT_EQ(run(program, "count"), (std::vector<int>{1, 2, 1, -1}));
    // One that fails takes away what was built before.
    EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0 -DNUMBER=3 -Dcount=?", nullptr, nullptr),
              CL_BUILD_PROGRAM_FAILURE);
    EXPECT_EQ(printed(), "down2 after 1;");
    ASSERT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0 -DNUMBER=4", nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(printed(), "up4;");
  }
  ASSERT_TRUE(released.comes());
  const std::string text = printed();
  EXPECT_NE(text.find("down4 after 0;"), std::string::npos) << text;
  EXPECT_EQ(text.size(), times(devices(), "down4 after 0;").size()) << text;
}

TEST_F(ProgramScopeTest, BuildingWithACallback) {
  struct Built {
    std::mutex mutex;
    std::condition_variable changed;
    bool is = false;
  } built;
  const auto note = [](cl_program, void* data) {
    auto& own = *static_cast<Built*>(data);
    std::lock_guard lock(own.mutex);
    own.is = true;
    own.changed.notify_all();
  };
  Owned<cl_program> program = makeProgram(kCounting);
  watchToo(program);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, kC, note, &built), CL_SUCCESS);
  std::unique_lock lock(built.mutex);
  ASSERT_TRUE(built.changed.wait_for(lock, std::chrono::seconds(60), [&] { return built.is; }));
  EXPECT_EQ(printed(), times(devices(), "up1;"));
  EXPECT_EQ(run(program, "count")[0], 1);
}

TEST_F(ProgramScopeTest, ReleaseCallbacksComeLastFirstAndAfterTheCleanUp) {
  struct Calls {
    std::mutex mutex;
    std::vector<std::pair<cl_program, int>> made;
    Released released;
  } calls;
  struct Note {
    Calls* calls;
    int number;
  } notes[] = {{&calls, 1}, {&calls, 2}, {&calls, 3}};
  const auto note = [](cl_program program, void* data) {
    const Note& own = *static_cast<Note*>(data);
    {
      std::lock_guard lock(own.calls->mutex);
      own.calls->made.emplace_back(program, own.number);
    }
    Released::callback(program, &own.calls->released);
  };
  Owned<cl_program> program = built(kCounting, kC);
  EXPECT_EQ(clSetProgramReleaseCallback(program, nullptr, nullptr), CL_INVALID_VALUE);
  for (Note& each : notes)
    ASSERT_EQ(clSetProgramReleaseCallback(program, note, &each), CL_SUCCESS);
  printed();
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "count", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_program handle = program.take();
  ASSERT_EQ(clReleaseProgram(handle), CL_SUCCESS);
  EXPECT_EQ(calls.released.count(), 0) << "the kernel refers to the program";
  EXPECT_EQ(printed(), "");
  ASSERT_EQ(clReleaseKernel(kernel.take()), CL_SUCCESS);
  ASSERT_TRUE(calls.released.comes(3));
  EXPECT_EQ(printed(), times(devices(), "down1 after 0;"));
  EXPECT_EQ(calls.made, (std::vector<std::pair<cl_program, int>>{{handle, 3}, {handle, 2}, {handle, 1}}));
}

// At 3.0 OpenCL C has none, and no language is known before a build.
TEST_F(ProgramScopeTest, ReleaseCallbacksByLanguage) {
  const auto set = [](cl_program program) {
    return clSetProgramReleaseCallback(program, [](cl_program, void*) {}, nullptr);
  };
  Owned<cl_program> c = makeProgram("kernel void k() {}"), cxx = buildProgram("kernel void k() {}", "-cl-std=CLC++");
  EXPECT_EQ(set(c), CL_SUCCESS);
  ASSERT_EQ(clCompileProgram(c, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(set(c), CL_INVALID_OPERATION);
  EXPECT_EQ(set(cxx), CL_SUCCESS);
  EXPECT_EQ(set(built(kCounting, kC)), CL_SUCCESS);
  Owned<cl_program> compiled = makeProgram("kernel void k2() {}");
  ASSERT_EQ(clCompileProgram(compiled, 0, nullptr, "-cl-std=CLC++", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  std::vector<cl_program> inputs = {c, compiled};
  Owned<cl_program> linked = clLinkProgram(context_, 0, nullptr, "", 2, inputs.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(set(linked), CL_SUCCESS);
  Owned<cl_program> linkedC = clLinkProgram(context_, 0, nullptr, "", 1, inputs.data(), nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(set(linkedC), CL_INVALID_OPERATION);
  Owned<cl_program> counting = makeProgram(kCounting);
  ASSERT_EQ(clCompileProgram(counting, 0, nullptr, kC, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_program input = counting;
  Owned<cl_program> cleansUp = clLinkProgram(context_, 0, nullptr, "", 1, &input, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(set(cleansUp), CL_SUCCESS);
  watchToo(cleansUp); // it prints when it is released
}

TEST_F(ProgramScopeTest, ReleasedWhileACommandRuns) {
  Released released;
  Owned<cl_event> gate = makeUserEvent();
  {
    Owned<cl_program> program = built(kCounting, kC);
    watch(program, released);
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, "count", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(16);
    cl_mem raw = buffer;
    cl_event wait = gate;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    Owned<cl_kernel> clone = clCloneKernel(kernel, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    // Equal launches, of which the newest is to keep what all of them refer to.
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 1, &wait, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, clone, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFlush(queue_), CL_SUCCESS);
    printed();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(printed(), "") << "a command needs the program";
  EXPECT_EQ(released.count(), 0);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_TRUE(released.comes());
  const std::string text = printed();
  EXPECT_NE(text.find("down1 after 4;"), std::string::npos) << text;
}

// A kernel object is there until no command needs it, and as long a program with a clean-up is not built anew.
TEST_F(ProgramScopeTest, NotBuiltAnewWhileACommandIsToRun) {
  Owned<cl_event> gate = makeUserEvent();
  Owned<cl_program> program = built(kCounting, kC);
  cl_event wait = gate;
  Owned<cl_mem> buffer = makeBuffer(16);
  {
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program, "count", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 1, &wait, nullptr), CL_SUCCESS);
  }
  printed();
  EXPECT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0 -DNUMBER=2", nullptr, nullptr), CL_INVALID_OPERATION);
  EXPECT_EQ(printed(), "");
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &device_, "-cl-std=CL3.0 -DNUMBER=2", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(printed(), "down1 after 1;up2;");
}

TEST_F(ProgramScopeTest, OutliveTheContextOfTheApplication) {
  Released released;
  cl_int status = 1;
  {
    Owned<cl_context> context = makeContext();
    const char* source = kCounting;
    Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, kC, nullptr, nullptr), CL_SUCCESS);
    watch(program, released);
    ASSERT_EQ(clReleaseContext(context.take()), CL_SUCCESS);
    printed();
  }
  ASSERT_TRUE(released.comes());
  EXPECT_EQ(printed(), times(devices(), "down1 after 0;"));
}

TEST_F(ProgramScopeTest, Binaries) {
  Released released;
  {
    Owned<cl_program> program = built(kCounting, "-cl-std=CL3.0 -DNUMBER=7");
    Owned<cl_program> binary = throughBinaries(program);
    printed();
    expectUnknown(binary); // it is not built
    watch(binary, released);
    ASSERT_EQ(clBuildProgram(binary, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(printed().substr(0, 4), "up7;");
    EXPECT_EQ(names(binary), "count");
    EXPECT_EQ(has(binary, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool{CL_TRUE});
    EXPECT_EQ(has(binary, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT), cl_bool{CL_TRUE});
    EXPECT_EQ(run(binary, "count"), (std::vector<int>{1, 7, 1, -1}));
    EXPECT_EQ(run(program, "count"), (std::vector<int>{1, 7, 1, -1}));
    ASSERT_EQ(clBuildProgram(binary, 1, &device_, nullptr, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(printed(), "down7 after 1;up7;");
    ASSERT_EQ(clReleaseProgram(binary.take()), CL_SUCCESS);
    ASSERT_TRUE(released.comes());
    EXPECT_NE(printed().find("down7 after 0;"), std::string::npos);
  }
}

TEST_F(ProgramScopeTest, LinkedPrograms) {
  const auto compiled = [&](const char* source) {
    Owned<cl_program> program = makeProgram(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, "-cl-std=CLC++2021", 0, nullptr, nullptr, nullptr, nullptr),
              CL_SUCCESS)
        << buildLog(program);
    return program;
  };
  constexpr const char* kOne = "struct S { int v; S() : v(5) { printf(\"one;\"); } };\nS one;\n"
                               "extern global int* other();\n"
                               "kernel void k(global int* out) { out[0] = one.v; out[1] = *other(); }\n";
  constexpr const char* kOther = "struct T { int v; T() : v(6) { printf(\"other;\"); } };\nstatic T hidden;\n"
                                 "global int* other() { return (global int*)&hidden.v; }\n"
                                 "__attribute__((destructor)) void finish() { printf(\"down %d;\", hidden.v); }\n";
  Released released;
  {
    cl_int status = 1;
    cl_program other = compiled(kOther).take();
    Owned<cl_program> library =
        clLinkProgram(context_, 0, nullptr, "-create-library", 1, &other, nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    ASSERT_EQ(clReleaseProgram(other), CL_SUCCESS);
    Owned<cl_program> one = compiled(kOne);
    EXPECT_EQ(printed(), "");
    expectUnknown(library); // it is no executable
    std::vector<cl_program> inputs = {one, library};
    Owned<cl_program> program = clLinkProgram(context_, 0, nullptr, "", 2, inputs.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS) << buildLog(program);
    watch(program, released);
    const std::string text = printed();
    EXPECT_NE(text.find("one;"), std::string::npos);
    EXPECT_NE(text.find("other;"), std::string::npos);
    EXPECT_EQ(text.size(), times(devices(), "one;other;").size());
    EXPECT_EQ(run(program, "k"), (std::vector<int>{5, 6, -1, -1}));
    EXPECT_EQ(has(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), cl_bool{CL_TRUE});
  }
  ASSERT_TRUE(released.comes());
  EXPECT_EQ(printed(), times(devices(), "down 6;"));
}

TEST_F(ProgramScopeTest, AFaultFailsTheBuild) {
  CLOTHO_NEEDS(survivesFaults());
  constexpr const char* kFaulty = "struct S { int v; S(global int* p) : v(*p) {} };\n"
                                  "global int good = 3;\n"
                                  "S s((global int*)ADDRESS);\n"
                                  "__attribute__((destructor)) void finish() { printf(\"down;\"); }\n"
                                  "kernel void k(global int* out) { out[0] = s.v; }\n";
  Owned<cl_program> program = makeProgram(kFaulty);
  watchToo(program);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CLC++2021 -DADDRESS=16", nullptr, nullptr),
            CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("the program's initialisation has failed: "), std::string::npos)
      << buildLog(program);
  EXPECT_EQ(valueAnswer<cl_build_status>(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_STATUS)),
            CL_BUILD_ERROR);
  expectUnknown(program);
  cl_int status = 1;
  EXPECT_EQ(clCreateKernel(program, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "-cl-std=CLC++2021 -DADDRESS=&good", nullptr, nullptr), CL_SUCCESS)
      << buildLog(program);
  EXPECT_EQ(printed(), "") << "what was not initialised is not cleaned up";
  EXPECT_EQ(run(program, "k")[0], 3);
}

TEST_F(ProgramScopeTest, FaultsOfCleanUpsAreReported) {
  CLOTHO_NEEDS(survivesFaults());
  Told told;
  Released released;
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 1, &device_, Told::callback, &told, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const char* source = "__attribute__((destructor)) void finish() { *(volatile global int*)16 = 1; }\n"
                       "kernel void k() {}";
  const auto build = [&] {
    Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    return program;
  };
  {
    Owned<cl_program> program = build();
    watch(program, released);
  }
  EXPECT_NE(told.next().find("clean-up"), std::string::npos);
  EXPECT_TRUE(released.comes());
  Owned<cl_program> again = build();
  watch(again, released);
  EXPECT_EQ(clBuildProgram(again, 0, nullptr, "-DX", nullptr, nullptr), CL_SUCCESS) << "it is the new one's status";
  EXPECT_NE(told.next().find("clean-up"), std::string::npos);
  ASSERT_EQ(clReleaseProgram(again.take()), CL_SUCCESS);
  EXPECT_TRUE(released.comes(2));
}

struct ReleasesDevice {
  void operator()(cl_device_id device) const { clReleaseDevice(device); }
};

TEST_F(ProgramScopeTest, SubDevicesShareWhatTheirRootHas) {
  CLOTHO_NEEDS(hasSubDevices());
  cl_device_id all[] = {device_, nullptr, nullptr};
  const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  ASSERT_EQ(clCreateSubDevices(device_, halves, 2, all + 1, nullptr), CL_SUCCESS);
  const std::unique_ptr<_cl_device_id, ReleasesDevice> first(all[1]), second(all[2]);
  cl_int status = 1;
  Owned<cl_context> context = clCreateContext(nullptr, 3, all, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  // Built for all of them, or for the root device of which the others have it.
  for (const cl_uint count : {0U, 1U}) {
    Released released;
    {
      const char* source = kCounting;
      Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
      ASSERT_EQ(clBuildProgram(program, count, count ? all : nullptr, kC, nullptr, nullptr), CL_SUCCESS);
      watch(program, released);
      EXPECT_EQ(printed(), "up1;");
      int launches = 0;
      for (cl_device_id device : all) {
        Owned<cl_command_queue> queue = queueOn(context, device);
        EXPECT_EQ(run(program, "count", queue, context), (std::vector<int>{1, 1, ++launches, -1}));
      }
      // One of them has something else now, and the others keep theirs.
      ASSERT_EQ(clBuildProgram(program, 1, &all[2], "-cl-std=CL3.0 -DNUMBER=2", nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(printed(), "up2;");
    }
    ASSERT_TRUE(released.comes());
    const std::string text = printed();
    EXPECT_NE(text.find("down1 after 3;"), std::string::npos) << text;
    EXPECT_NE(text.find("down2 after 0;"), std::string::npos) << text;
  }
}

} // namespace

} // namespace clotho::test
