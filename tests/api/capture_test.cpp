// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that are captured (CLOTHO_CAPTURE=FOLDER:launch=1-): what is in the files. tests/capture runs them again.
// Each test has kernels of its own, by whose names the files are found.
#include "captures.hpp"
#include "fixture.hpp"

#include <CL/cl_ext.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <thread>

namespace clotho::test {
namespace {

using capture::ArgumentKind;

class CaptureTest : public Api {
 protected:
  static void SetUpTestSuite() {
    removeOldFiles();
    Api::SetUpTestSuite();
  }
  void launch(cl_kernel kernel, size_t items, const size_t* local = nullptr, cl_command_queue queue = nullptr) {
    EXPECT_EQ(
        clEnqueueNDRangeKernel(queue ? queue : queue_.get(), kernel, 1, nullptr, &items, local, 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  template <class... Args> static void setArgs(cl_kernel kernel, const Args&... args) {
    cl_uint index = 0;
    const auto set = [&](const auto& value) {
      EXPECT_EQ(clSetKernelArg(kernel, index++, sizeof value, &value), CL_SUCCESS);
    };
    (set(args), ...);
  }
  Owned<cl_mem> bufferOf(std::vector<cl_int> values, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return makeBuffer(values.size() * sizeof(cl_int), flags | CL_MEM_COPY_HOST_PTR, values.data());
  }
};

TEST_F(CaptureTest, BuffersValuesAndLocalMemory) {
  Owned<cl_kernel> kernel = makeKernel(R"(
    typedef struct { int factor; short more; } Pair;
    kernel void arguments(global int* a, Pair p, local int* t, constant int* c, global int* none) {
      size_t i = get_global_id(0) - get_global_offset(0);
      t[get_local_id(0)] = a[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      a[i] = t[get_local_size(0) - 1 - get_local_id(0)] * p.factor + p.more + c[0] + (none ? 1000 : 0);
    })",
                                       "arguments", "-DX=1 -cl-kernel-arg-info");
  std::vector<cl_int> values(64);
  std::iota(values.begin(), values.end(), 0);
  Owned<cl_mem> a = bufferOf(values), c = bufferOf({5}, CL_MEM_READ_ONLY);
  const struct {
    cl_int factor;
    cl_short more;
  } pair{3, 2};
  setArgs(kernel, a.get(), pair);
  EXPECT_EQ(clSetKernelArg(kernel, 2, 16 * sizeof(cl_int), nullptr), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 3, sizeof(cl_mem), one(c).data()), CL_SUCCESS);
  EXPECT_EQ(clSetKernelArg(kernel, 4, sizeof(cl_mem), nullptr), CL_SUCCESS);
  const size_t offset = 7, global = 64, local = 16;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, &offset, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "arguments");
  const capture::Description& description = contents->description;
  ASSERT_EQ(description.arguments.size(), 5u);
  EXPECT_EQ(description.arguments[0].kind, ArgumentKind::Memory);
  EXPECT_EQ(description.arguments[0].type, "int*");
  EXPECT_EQ(description.arguments[1].value.size(), sizeof pair);
  EXPECT_EQ(description.arguments[2].kind, ArgumentKind::Local);
  EXPECT_EQ(description.arguments[2].number, 16 * sizeof(cl_int));
  EXPECT_EQ(description.arguments[4].kind, ArgumentKind::Null);
  EXPECT_TRUE(description.range.hasOffset && description.range.hasLocal);
  EXPECT_EQ(description.range.offset[0], 7u);
  EXPECT_EQ(description.range.local[0], 16u);
  EXPECT_EQ(description.program.units.at(0).options, "-DX=1 -cl-kernel-arg-info");
  ASSERT_TRUE(contents->outcome);
  EXPECT_EQ(numbers<cl_int>(contents->inputs.at(0)), values);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(0), 15 * 3 + 2 + 5);
}

TEST_F(CaptureTest, LaunchesAreNumbered) {
  Owned<cl_kernel> kernel = makeKernel("kernel void numbered(global int* a) { a[0] += 1; }", "numbered");
  Owned<cl_mem> a = bufferOf({0});
  setArgs(kernel, a.get());
  for (int i = 0; i < 3; ++i)
    launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  for (int i = 1; i <= 3; ++i) {
    CAPTURE_OF(contents, "numbered", i);
    EXPECT_EQ(numbers<cl_int>(contents->inputs.at(0)).at(0), i - 1);
    EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(0), i);
    EXPECT_FALSE(contents->description.range.hasLocal);
    EXPECT_FALSE(contents->description.range.hasOffset);
  }
}

TEST_F(CaptureTest, SubBuffersShareTheirBytes) {
  Owned<cl_kernel> kernel = makeKernel(
      "kernel void overlapping(global int* a, global int* b) { int i = get_global_id(0); a[i] = i; b[i] += 100; }",
      "overlapping");
  constexpr size_t kBits = 8;
  const size_t step =
      valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / kBits;
  Owned<cl_mem> whole = bufferOf(std::vector<cl_int>(2 * step, 7));
  const cl_buffer_region first{step, 4 * step}, second{2 * step, 4 * step};
  Owned<cl_mem> a = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, nullptr);
  Owned<cl_mem> b = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, nullptr);
  setArgs(kernel, a.get(), b.get());
  launch(kernel, 16);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "overlapping");
  const auto& memories = contents->description.memories;
  ASSERT_EQ(memories.size(), 3u);
  EXPECT_EQ(memories[1].parent, 0u);
  EXPECT_EQ(memories[2].parent, 0u);
  EXPECT_EQ(memories[1].origin, step);
  EXPECT_EQ(memories[2].origin, 2 * step);
  EXPECT_EQ(memories[1].stored + memories[2].stored, 0u);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(2 * step / sizeof(cl_int)), 107);
}

TEST_F(CaptureTest, HostPointersKeepTheirPlaceInAPage) {
  Owned<cl_kernel> kernel =
      makeKernel("kernel void host_pointer(global int* a) { a[get_global_id(0)] += 1; }", "host_pointer");
  alignas(4096) static std::array<cl_int, 2048> bytes{};
  Owned<cl_mem> a = makeBuffer(64 * sizeof(cl_int), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, &bytes[32]);
  setArgs(kernel, a.get());
  launch(kernel, 64);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "host_pointer");
  EXPECT_EQ(contents->description.memories.at(0).hostAddress % 4096, 128u);
}

TEST_F(CaptureTest, HeadersOptionsAndLinkedPrograms) {
  const char* header = "#define ADDEND 11\n";
  const char* part = "#include \"addend.h\"\nint addend(void) { return ADDEND; }";
  const char* user = "int addend(void);\nkernel void linked(global int* a) { a[0] += addend() + MORE; }";
  Owned<cl_program> headerProgram = makeProgram(header), library = makeProgram(part), main = makeProgram(user);
  const char* name = "addend.h";
  EXPECT_EQ(clCompileProgram(library, 0, nullptr, "", 1, one(headerProgram).data(), &name, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clCompileProgram(main, 0, nullptr, "-DMORE=3", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  const cl_program parts[] = {main, library};
  Owned<cl_program> program = clLinkProgram(context_, 0, nullptr, "", 2, parts, nullptr, nullptr, nullptr);
  Owned<cl_kernel> kernel = clCreateKernel(program, "linked", nullptr);
  Owned<cl_mem> a = bufferOf({1});
  setArgs(kernel, a.get());
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "linked");
  const capture::Program& recipe = contents->description.program;
  EXPECT_TRUE(recipe.isLinked);
  ASSERT_EQ(recipe.units.size(), 2u);
  EXPECT_EQ(recipe.units[0].options, "-DMORE=3");
  ASSERT_EQ(recipe.units[1].headers.size(), 1u);
  EXPECT_EQ(recipe.units[1].headers[0].text, header);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(0), 15);
}

/// A part that is linked as it was created has no build that is known.
TEST_F(CaptureTest, LinkedBinaries) {
  Owned<cl_program> library = makeProgram("int addend(void) { return 11; }");
  Owned<cl_program> main =
      makeProgram("int addend(void);\nkernel void linked_binary(global int* a) { a[0] += addend(); }");
  for (cl_program each : {library.get(), main.get()})
    EXPECT_EQ(clCompileProgram(each, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_program> binary = throughBinary(library);
  const cl_program parts[] = {main, binary};
  Owned<cl_program> program = clLinkProgram(context_, 0, nullptr, "", 2, parts, nullptr, nullptr, nullptr);
  Owned<cl_kernel> kernel = clCreateKernel(program, "linked_binary", nullptr);
  Owned<cl_mem> a = bufferOf({1});
  setArgs(kernel, a.get());
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "linked_binary");
  ASSERT_EQ(contents->description.program.units.size(), 2u);
  EXPECT_EQ(contents->description.program.units[1].language, capture::Language::Binary);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(0), 12);
}

/// The environment is read once: another thread may change it during a launch.
TEST_F(CaptureTest, RemarksHaveTheOptionsOfTheProcess) {
  setenv("CLOTHO_CACHE_SIZE", "77", 1);
  Owned<cl_kernel> kernel = makeKernel("kernel void remarks(global int* a) { a[0] = 1; }", "remarks");
  Owned<cl_mem> a = bufferOf({1});
  setArgs(kernel, a.get());
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  unsetenv("CLOTHO_CACHE_SIZE");
  CAPTURE_OF(contents, "remarks");
  std::map<std::string, std::string> remarks;
  for (const capture::Named& remark : contents->description.remarks)
    remarks[remark.name] = remark.text;
  EXPECT_TRUE(remarks.contains("CLOTHO_CAPTURE"));
  EXPECT_TRUE(remarks.contains("device"));
  EXPECT_NE(remarks["CLOTHO_CACHE_SIZE"], "77");
}

/// The times of the event are those of the kernel and of what is written behind it.
TEST_F(CaptureTest, ProfilingTimesHaveTheKernelInThem) {
  for (const cl_command_queue_properties order : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_PROFILING_ENABLE | order);
    Owned<cl_kernel> kernel = makeKernel(
        "kernel void timed(global volatile int* a) { for (int i = 0; i < 40000000; ++i) a[0] = i; }", "timed");
    Owned<cl_mem> a = bufferOf({1});
    setArgs(kernel, a.get());
    Owned<cl_event> done;
    const size_t items = 1;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, done.out()), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    std::array<cl_ulong, 4> times{};
    for (cl_uint i = 0; i < times.size(); ++i)
      EXPECT_EQ(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], nullptr),
                CL_SUCCESS);
    EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
    CAPTURE_OF(contents, "timed", order == 0 ? 1 : 2);
    EXPECT_GT(contents->outcome->seconds, 0);
    EXPECT_GE(static_cast<double>(times[3] - times[2]), contents->outcome->seconds * 1e9 * 0.9);
  }
}

TEST_F(CaptureTest, FilesThatTheBuildHasRead) {
  const fs::path include = folder() / "include";
  fs::create_directories(include);
  std::ofstream(include / "of_disk.h") << "#define OF_DISK 9\n";
  Owned<cl_kernel> kernel = makeKernel("#include <of_disk.h>\nkernel void from_file(global int* a) { a[0] = OF_DISK; }",
                                       "from_file", ("-I " + include.string()).c_str());
  Owned<cl_mem> a = bufferOf({1});
  setArgs(kernel, a.get());
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  fs::remove_all(include); // the replay has its own
  CAPTURE_OF(contents, "from_file");
  const auto& files = contents->description.program.units.at(0).files;
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].text, "#define OF_DISK 9\n");
}

TEST_F(CaptureTest, IlWithSpecialisationConstants) {
  std::ifstream file(CLOTHO_SPIRV_MODULES "/add.spv", std::ios::binary);
  const std::string il{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(il.empty());
  cl_int status = CL_SUCCESS;
  Owned<cl_program> program = clCreateProgramWithIL(context_, il.data(), il.size(), &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_uint value = 3;
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 4, sizeof value, &value), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_kernel raw = nullptr;
  ASSERT_EQ(clCreateKernelsInProgram(program, 1, &raw, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel(raw);
  const std::string name = textAnswer(CLOTHO_INFO(clGetKernelInfo, kernel.get(), CL_KERNEL_FUNCTION_NAME));
  const auto count = valueAnswer<cl_uint>(CLOTHO_INFO(clGetKernelInfo, kernel.get(), CL_KERNEL_NUM_ARGS));
  Owned<cl_mem> a = bufferOf(std::vector<cl_int>(64, 2));
  for (cl_uint i = 0; i < count; ++i)
    if (clSetKernelArg(kernel, i, sizeof(cl_mem), one(a).data()) != CL_SUCCESS)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof value, &value), CL_SUCCESS);
  launch(kernel, 16);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, name);
  const capture::Unit& unit = contents->description.program.units.at(0);
  EXPECT_EQ(unit.language, capture::Language::Il);
  EXPECT_EQ(unit.text, il);
  ASSERT_EQ(unit.constants.size(), 1u);
  EXPECT_EQ(unit.constants[0].id, 4u);
}

TEST_F(CaptureTest, BinariesAreKept) {
  Owned<cl_program> program = buildProgram("kernel void of_binary(global int* a) { a[get_global_id(0)] *= 2; }");
  Owned<cl_program> binary = throughBinary(program);
  ASSERT_EQ(clBuildProgram(binary, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel = clCreateKernel(binary, "of_binary", nullptr);
  Owned<cl_mem> a = bufferOf({4, 5, 6, 7});
  setArgs(kernel, a.get());
  launch(kernel, 4);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "of_binary");
  EXPECT_EQ(contents->description.program.units.at(0).language, capture::Language::Binary);
}

TEST_F(CaptureTest, VariablesAtProgramScope) {
  CLOTHO_NEEDS(isCpu()); // the host reaches those of others by no address
  Owned<cl_kernel> kernel = makeKernel(R"(
    global int counter = 5;
    static global long table[4] = {1, 2};
    constant int fixed[2] = {1, 2};
    kernel void variables(global int* a) { counter += fixed[1]; a[0] = table[a[1]]; table[a[1]] = counter; })",
                                       "variables", "-cl-std=CL3.0");
  Owned<cl_mem> a = bufferOf({0, 3});
  setArgs(kernel, a.get());
  launch(kernel, 1);
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "variables", 2);
  const auto& variables = contents->description.variables;
  ASSERT_EQ(variables.size(), 2u);
  EXPECT_EQ(variables[0].name, "counter");
  EXPECT_EQ(variables[1].name, "table");
  EXPECT_EQ(numbers<cl_int>(contents->inputs.at(1)).at(0), 7);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(1)).at(0), 9);
  EXPECT_EQ(numbers<cl_long>(contents->outputs.at(2)).at(3), 9);
}

/// A launch that waits for the application does not hold back the application.
TEST_F(CaptureTest, OutOfOrderBehindAUserEvent) {
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_kernel> kernel =
      makeKernel("kernel void behind_event(global int* a) { a[get_global_id(0)] += 1; }", "behind_event");
  Owned<cl_mem> a = bufferOf(std::vector<cl_int>(8, 1));
  setArgs(kernel, a.get());
  Owned<cl_event> gate = makeUserEvent(), first, second, filled;
  const size_t items = 8;
  const cl_int three = 3;
  const auto enqueue = [&](cl_event after, cl_event* out) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 1, &after, out), CL_SUCCESS);
  };
  enqueue(gate, first.out());
  // What comes after the launch by its event does not change what was captured.
  EXPECT_EQ(
      clEnqueueFillBuffer(queue, a, &three, sizeof three, 0, 8 * sizeof three, 1, one(first).data(), filled.out()),
      CL_SUCCESS);
  enqueue(filled, second.out());
  EXPECT_EQ(valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, first.get(), CL_EVENT_COMMAND_TYPE)),
            static_cast<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL));
  EXPECT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  CAPTURE_OF(former, "behind_event", 1);
  CAPTURE_OF(latter, "behind_event", 2);
  EXPECT_EQ(numbers<cl_int>(former->outputs.at(0)), std::vector<cl_int>(8, 2));
  EXPECT_EQ(numbers<cl_int>(latter->inputs.at(0)), std::vector<cl_int>(8, 3));
  EXPECT_EQ(numbers<cl_int>(latter->outputs.at(0)), std::vector<cl_int>(8, 4));
}

TEST_F(CaptureTest, ALaunchThatIsNeverRunLeavesNothing) {
  Owned<cl_kernel> kernel = makeKernel("kernel void never_run(global int* a) { a[0] += 1; }", "never_run");
  Owned<cl_mem> a = bufferOf({1});
  setArgs(kernel, a.get());
  Owned<cl_event> gate = makeUserEvent(), done;
  const size_t items = 1;
  EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, nullptr, 1, one(gate).data(), done.out()),
            CL_SUCCESS);
  EXPECT_EQ(clSetUserEventStatus(gate, -77), CL_SUCCESS);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(statusOf(done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_FALSE(fs::exists(folder() / "never_run-1.capture"));
  EXPECT_FALSE(fs::exists(folder() / "never_run-1.capture.part"));
}

/// The application finds the same status as without a capture, and the file has the inputs.
TEST_F(CaptureTest, ALaunchThatFails) {
  CLOTHO_NEEDS(survivesFaults());
  Owned<cl_command_queue> outOfOrder = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  Owned<cl_kernel> kernel =
      makeKernel("kernel void failing(global int* a) { a[0] = 1; *(global int*)16 = 1; }", "failing");
  int number = 0;
  for (cl_command_queue queue : {queue_.get(), outOfOrder.get()}) {
    Owned<cl_mem> a = bufferOf({42});
    setArgs(kernel, a.get());
    Owned<cl_event> done;
    const size_t items = 1;
    EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, done.out()), CL_SUCCESS);
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(statusOf(done), CL_OUT_OF_RESOURCES);
    CAPTURE_OF(contents, "failing", ++number);
    ASSERT_TRUE(contents->outcome);
    EXPECT_EQ(static_cast<cl_int>(contents->outcome->status), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(numbers<cl_int>(contents->inputs.at(0)).at(0), 42);
    EXPECT_TRUE(contents->outputs.empty());
  }
}

TEST_F(CaptureTest, SeveralContextsAndThreads) {
  constexpr int kThreads = 4, kLaunches = 5;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([this] {
      Owned<cl_context> context = makeContext();
      Owned<cl_command_queue> queue = clCreateCommandQueue(context, device_, 0, nullptr);
      const char* source = "kernel void of_threads(global int* a) { a[get_global_id(0)] += 1; }";
      Owned<cl_program> program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
      ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
      Owned<cl_kernel> kernel = clCreateKernel(program, "of_threads", nullptr);
      std::vector<cl_int> zeros(1000);
      Owned<cl_mem> a =
          clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, zeros.size() * sizeof(cl_int), zeros.data(), nullptr);
      setArgs(kernel, a.get());
      for (int i = 0; i < kLaunches; ++i)
        launch(kernel, zeros.size(), nullptr, queue);
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    });
  for (std::thread& thread : threads)
    thread.join();
  std::vector<int> seen(kLaunches + 1);
  for (int i = 1; i <= kThreads * kLaunches; ++i) {
    CAPTURE_OF(contents, "of_threads", i);
    const cl_int before = numbers<cl_int>(contents->inputs.at(0)).at(500);
    EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)), std::vector<cl_int>(1000, before + 1));
    ++seen.at(static_cast<size_t>(before) + 1);
  }
  EXPECT_EQ(std::vector<int>(seen.begin() + 1, seen.end()), std::vector<int>(kLaunches, kThreads));
}

TEST_F(CaptureTest, KernelsThatEnqueueOthers) {
  CLOTHO_NEEDS(hasDeviceQueues());
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  Owned<cl_command_queue> onDevice = clCreateCommandQueueWithProperties(context_, device_, properties, nullptr);
  Owned<cl_kernel> kernel = makeKernel(R"(
    kernel void parent(global int* a, queue_t given) {
      enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{ a[get_global_id(0)] = 5; });
      enqueue_kernel(given, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8), ^{ a[8 + get_global_id(0)] = 6; });
    })",
                                       "parent", "-cl-std=CL2.0");
  Owned<cl_mem> a = bufferOf(std::vector<cl_int>(16));
  setArgs(kernel, a.get(), onDevice.get());
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  CAPTURE_OF(contents, "parent");
  EXPECT_EQ(contents->description.arguments.at(1).kind, ArgumentKind::Queue);
  EXPECT_TRUE(contents->description.hasDeviceQueue);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(0), 5);
  EXPECT_EQ(numbers<cl_int>(contents->outputs.at(0)).at(15), 6);
}

/// A ring of four places is written and read around its end.
TEST_F(CaptureTest, PipesKeepTheirPackets) {
  CLOTHO_NEEDS(hasPipes());
  Owned<cl_program> program = buildProgram(R"(
    kernel void piping(write_only pipe int p, global int* a) {
      for (int i = 0; i < a[0]; ++i) { int x = a[1] + i; a[2] += write_pipe(p, &x) == 0; }
    }
    kernel void taking(read_only pipe int p, global int* a) {
      for (int i = 0; i < a[0]; ++i) { int x = 0; a[2] += read_pipe(p, &x) == 0; a[1] = x; }
    })",
                                           "-cl-std=CL2.0");
  Owned<cl_kernel> put = clCreateKernel(program, "piping", nullptr), take = clCreateKernel(program, "taking", nullptr);
  Owned<cl_mem> pipe = clCreatePipe(context_, 0, sizeof(cl_int), 4, nullptr, nullptr);
  const auto run = [&](cl_kernel kernel, cl_int count, cl_int value) {
    Owned<cl_mem> a = bufferOf({count, value, 0});
    setArgs(kernel, pipe.get(), a.get());
    launch(kernel, 1);
    EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  };
  run(put, 3, 10);
  run(take, 2, 0);
  run(put, 9, 20); // three of them find room
  run(take, 9, 0);
  using Numbers = std::vector<cl_int>;
  const auto packets = [](const std::string& contents) {
    const auto count = numbers<cl_ulong>(contents.substr(0, sizeof(cl_ulong))).at(0);
    const Numbers all = numbers<cl_int>(contents.substr(sizeof(cl_ulong)));
    EXPECT_EQ(all.size(), 4u);
    return Numbers(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, all.size())));
  };
  CAPTURE_OF(first, "piping", 1);
  EXPECT_EQ(first->description.memories.at(0).kind, capture::MemoryKind::Pipe);
  EXPECT_EQ(packets(first->inputs.at(0)), Numbers());
  EXPECT_EQ(packets(first->outputs.at(0)), (Numbers{10, 11, 12}));
  CAPTURE_OF(second, "piping", 2);
  EXPECT_EQ(packets(second->inputs.at(0)), Numbers{12});
  EXPECT_EQ(packets(second->outputs.at(0)), (Numbers{12, 20, 21, 22}));
  CAPTURE_OF(third, "taking", 2);
  EXPECT_EQ(packets(third->inputs.at(0)), (Numbers{12, 20, 21, 22}));
  EXPECT_EQ(packets(third->outputs.at(0)), Numbers());
}

/// CLOTHO_CAPTURE has a relative folder here.
class CaptureFolderTest : public CaptureTest {};

TEST_F(CaptureFolderTest, IsTheOneOfTheStart) {
  const fs::path start = fs::current_path();
  Owned<cl_kernel> kernel = makeKernel("kernel void elsewhere(global int* a) { a[0] = 1; }", "elsewhere");
  Owned<cl_mem> a = bufferOf({0});
  setArgs(kernel, a.get());
  fs::current_path("/");
  launch(kernel, 1);
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
  fs::current_path(start);
  EXPECT_FALSE(folder().is_absolute());
  CAPTURE_OF(contents, "elsewhere");
}

} // namespace
} // namespace clotho::test
