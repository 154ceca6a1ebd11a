// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

constexpr const char* kTwoKernels = "kernel void one(global int* p) { p[get_global_id(0)] = 1; }\n"
                                    "kernel void two(global int* p, int v) { p[get_global_id(0)] = v; }\n";

class ProgramTest : public Api {
 protected:
  cl_int build(cl_program program, const char* options = nullptr) {
    return clBuildProgram(program, 1, &device_, options, nullptr, nullptr);
  }
  template <class T> T buildInfo(cl_program program, cl_program_build_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, name));
  }
  std::string optionsOf(cl_program program) {
    return textAnswer(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_OPTIONS));
  }
  std::vector<unsigned char> binary(cl_program program) {
    auto sizes = listAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
    EXPECT_EQ(sizes.size(), 1u);
    std::vector<unsigned char> bytes(sizes.at(0));
    unsigned char* pointers[] = {bytes.data()};
    size_t size = 0;
    EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointers, pointers, &size), CL_SUCCESS);
    EXPECT_EQ(size, sizeof pointers);
    return bytes;
  }
  Owned<cl_program> fromBinary(const std::vector<unsigned char>& bytes, cl_int* status, cl_int* binaryStatus) {
    const unsigned char* pointer = bytes.data();
    size_t size = bytes.size();
    return clCreateProgramWithBinary(context_, 1, &device_, &size, &pointer, binaryStatus, status);
  }
  /// Runs kernel "two" and checks what it writes.
  void checkRuns(cl_program program) {
    cl_int status;
    Owned<cl_kernel> kernel = clCreateKernel(program, "two", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(64);
    cl_mem raw = buffer;
    cl_int value = 321, seen[16] = {};
    size_t global = 16;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof value, &value), CL_SUCCESS);
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 64, seen, 0, nullptr, nullptr), CL_SUCCESS);
    for (cl_int v : seen)
      EXPECT_EQ(v, 321);
  }
};

TEST_F(ProgramTest, SourceErrors) {
  const char* good = "kernel void k() {}";
  const char* list[] = {good, nullptr};
  cl_int status = 1;
  EXPECT_EQ(clCreateProgramWithSource(context_, 0, list, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(context_, 1, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(context_, 2, list, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  Foreign<cl_context> foreign(device_);
  EXPECT_EQ(clCreateProgramWithSource(foreign, 1, list, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
}

TEST_F(ProgramTest, SourceIsConcatenated) {
  const char* parts[] = {"kernel void XXX", "k(", "global int* p) {}YYY"};
  size_t lengths[] = {12, 0, 17};
  cl_int status = 1;
  Owned<cl_program> program = clCreateProgramWithSource(context_, 3, parts, lengths, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_SOURCE)), "kernel void k(global int* p) {}");
  EXPECT_EQ(build(program), CL_SUCCESS) << buildLog(program);
}

TEST_F(ProgramTest, InfoBeforeTheBuild) {
  Owned<cl_program> program = makeProgram(kTwoKernels);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT)), 1u);
  EXPECT_EQ(valueAnswer<cl_context>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_CONTEXT)), context_.get());
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES)), 1u);
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_DEVICES)),
            std::vector<cl_device_id>{device_});
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_SOURCE)), kTwoKernels);
  EXPECT_TRUE(answer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_IL)).empty());
  EXPECT_EQ(listAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES)),
            std::vector<size_t>{0});
  size_t size;
  for (const cl_program_info name : {CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES,
                                     CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT})
    EXPECT_EQ(clGetProgramInfo(program, name, 0, nullptr, &size), CL_INVALID_PROGRAM_EXECUTABLE) << name;
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_NONE);
  EXPECT_EQ(buildInfo<cl_program_binary_type>(program, CL_PROGRAM_BINARY_TYPE), cl_uint{CL_PROGRAM_BINARY_TYPE_NONE});
  EXPECT_EQ(optionsOf(program), "");
  EXPECT_EQ(buildLog(program), "");
  checkInfoProtocol([&](cl_uint name, size_t bytes, void* value,
                        size_t* ret) { return clGetProgramInfo(program, name, bytes, value, ret); },
                    CL_PROGRAM_SOURCE);
  checkInfoProtocol([&](cl_uint name, size_t bytes, void* value,
                        size_t* ret) { return clGetProgramBuildInfo(program, device_, name, bytes, value, ret); },
                    CL_PROGRAM_BUILD_STATUS);
}

TEST_F(ProgramTest, InfoAfterTheBuild) {
  Owned<cl_program> program = makeProgram(kTwoKernels);
  const char* options = "  -DA=\"b c\"   -cl-mad-enable ";
  ASSERT_EQ(build(program, options), CL_SUCCESS) << buildLog(program);
  EXPECT_EQ(optionsOf(program), options) << "verbatim";
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
  EXPECT_EQ(buildInfo<cl_program_binary_type>(program, CL_PROGRAM_BINARY_TYPE),
            cl_uint{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(buildInfo<size_t>(program, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE), 0u);
  EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS)), 2u);
  std::string names = textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES));
  EXPECT_TRUE(names == "one;two" || names == "two;one") << names;
  EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT)),
            cl_uint{CL_FALSE});
  EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT)),
            cl_uint{CL_FALSE});
}

TEST_F(ProgramTest, BuildInfoErrors) {
  Owned<cl_program> program = makeProgram(kTwoKernels);
  Foreign<cl_program> foreign(device_);
  cl_build_status status;
  EXPECT_EQ(clGetProgramBuildInfo(foreign, device_, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
            CL_INVALID_PROGRAM);
  EXPECT_EQ(clGetProgramBuildInfo(program, nullptr, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
            CL_INVALID_DEVICE);
  EXPECT_EQ(clGetProgramInfo(foreign, CL_PROGRAM_SOURCE, 0, nullptr, nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(clRetainProgram(foreign), CL_INVALID_PROGRAM);
  EXPECT_EQ(clReleaseProgram(foreign), CL_INVALID_PROGRAM);
}

TEST_F(ProgramTest, BuildErrors) {
  Owned<cl_program> program = makeProgram(kTwoKernels);
  Foreign<cl_program> foreign(device_);
  int data;
  EXPECT_EQ(build(foreign), CL_INVALID_PROGRAM);
  EXPECT_EQ(clBuildProgram(program, 0, &device_, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clBuildProgram(program, 1, &device_, nullptr, nullptr, &data), CL_INVALID_VALUE);
  Foreign<cl_device_id> foreignDevice(device_);
  cl_device_id bad = foreignDevice;
  EXPECT_EQ(clBuildProgram(program, 1, &bad, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(build(program, "-no-such-option"), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
  EXPECT_NE(buildLog(program), "");
  cl_device_id twice[] = {device_, device_};
  EXPECT_EQ(clBuildProgram(program, 2, twice, nullptr, nullptr, nullptr), CL_SUCCESS);
}

TEST_F(ProgramTest, FailedBuildHasALogWithLineAndColumn) {
  Owned<cl_program> program = makeProgram("kernel void k() {\n  int x = ;\n}\n");
  EXPECT_EQ(build(program, "-DSOMETHING"), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
  EXPECT_EQ(buildInfo<cl_program_binary_type>(program, CL_PROGRAM_BINARY_TYPE), cl_uint{CL_PROGRAM_BINARY_TYPE_NONE});
  EXPECT_EQ(optionsOf(program), "-DSOMETHING");
  EXPECT_NE(buildLog(program).find(":2:11: error"), std::string::npos) << buildLog(program);
  cl_int status = 1;
  EXPECT_EQ(clCreateKernel(program, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(ProgramTest, BuildAgain) {
  Owned<cl_program> program = makeProgram("kernel void k(global int* p) { *p = VALUE; }");
  EXPECT_EQ(build(program), CL_BUILD_PROGRAM_FAILURE);
  ASSERT_EQ(build(program, "-DVALUE=1"), CL_SUCCESS) << buildLog(program);
  Owned<cl_mem> buffer = makeBuffer(4);
  for (int value : {2, 3}) {
    ASSERT_EQ(build(program, ("-DVALUE=" + std::to_string(value)).c_str()), CL_SUCCESS);
    cl_int status;
    Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(build(program, "-DVALUE=9"), CL_INVALID_OPERATION) << "a kernel uses it";
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    cl_int seen = 0;
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(seen, value);
  }
}

// The kernel object and the program may go, and even be built anew, while a launch still waits to run.
TEST_F(ProgramTest, LaunchesKeepTheirCode) {
  Owned<cl_program> program = makeProgram("kernel void k(global int* p) { *p = VALUE; }");
  ASSERT_EQ(build(program, "-DVALUE=5"), CL_SUCCESS) << buildLog(program);
  cl_int status, seen = 0;
  Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = makeBuffer(4);
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  Owned<cl_event> gate = makeUserEvent();
  cl_event wait = gate;
  ASSERT_EQ(clEnqueueTask(queue_, kernel, 1, &wait, nullptr), CL_SUCCESS);
  ASSERT_EQ(clReleaseKernel(kernel.take()), CL_SUCCESS);
  ASSERT_EQ(build(program, "-DVALUE=6"), CL_SUCCESS);
  ASSERT_EQ(clReleaseProgram(program.take()), CL_SUCCESS);
  ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &seen, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(seen, 5);
}

struct Notified {
  std::atomic<int> count{0};
  cl_program program = nullptr;
};

TEST_F(ProgramTest, NotifyIsCalledForSuccessAndFailure) {
  auto notify = [](cl_program program, void* data) {
    static_cast<Notified*>(data)->program = program;
    static_cast<Notified*>(data)->count++;
  };
  auto waitFor = [](Notified& notified) {
    for (int i = 0; i < 20000 && !notified.count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  Notified good, bad;
  Owned<cl_program> program = makeProgram(kTwoKernels), wrong = makeProgram("kernel void k() { x = 1; }");
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, notify, &good), CL_SUCCESS);
  waitFor(good);
  EXPECT_EQ(good.count, 1);
  EXPECT_EQ(good.program, program.get());
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
  cl_int code = clBuildProgram(wrong, 0, nullptr, nullptr, notify, &bad);
  EXPECT_TRUE(code == CL_SUCCESS || code == CL_BUILD_PROGRAM_FAILURE) << code;
  waitFor(bad);
  EXPECT_EQ(bad.count, 1);
  EXPECT_EQ(buildInfo<cl_build_status>(wrong, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
}

TEST_F(ProgramTest, BinaryRoundTrip) {
  Owned<cl_program> program = buildProgram(kTwoKernels, "-cl-kernel-arg-info -DX");
  std::vector<unsigned char> bytes = binary(program);
  ASSERT_FALSE(bytes.empty());
  cl_int status = 1, binaryStatus = 1;
  Owned<cl_program> again = fromBinary(bytes, &status, &binaryStatus);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(binaryStatus, CL_SUCCESS);
  EXPECT_EQ(buildInfo<cl_build_status>(again, CL_PROGRAM_BUILD_STATUS), CL_BUILD_NONE);
  EXPECT_EQ(buildInfo<cl_program_binary_type>(again, CL_PROGRAM_BINARY_TYPE),
            cl_uint{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, again, CL_PROGRAM_SOURCE)), "");
  EXPECT_EQ(binary(again), bytes);
  EXPECT_EQ(clCreateKernel(again, "two", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE) << "binaries have to be built as well";
  ASSERT_EQ(build(again), CL_SUCCESS) << buildLog(again);
  EXPECT_EQ(optionsOf(again), "-cl-kernel-arg-info -DX") << "as it was built at first";
  checkRuns(again);
  EXPECT_EQ(clCompileProgram(again, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  Owned<cl_kernel> kernel = clCreateKernel(again, "two", &status);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelArgInfo, kernel, 1, CL_KERNEL_ARG_NAME)), "v");
}

TEST_F(ProgramTest, NullEntriesOfBinariesAreSkipped) {
  Owned<cl_program> program = buildProgram(kTwoKernels);
  unsigned char* pointers[] = {nullptr};
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointers, pointers, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof pointers - 1, pointers, nullptr), CL_INVALID_VALUE);
}

TEST_F(ProgramTest, BinaryErrors) {
  std::vector<unsigned char> bytes = binary(buildProgram(kTwoKernels));
  const unsigned char* pointer = bytes.data();
  const unsigned char* none = nullptr;
  size_t size = bytes.size(), zero = 0;
  cl_int status = 1, binaryStatus = 1;
  auto create = [&](cl_context context, cl_uint count, const cl_device_id* devices, const size_t* sizes,
                    const unsigned char** pointers) {
    Owned<cl_program> program =
        clCreateProgramWithBinary(context, count, devices, sizes, pointers, &binaryStatus, &status);
    EXPECT_EQ(program.get() == nullptr, status != CL_SUCCESS);
    return status;
  };
  Foreign<cl_context> foreign(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  cl_device_id bad = foreignDevice;
  EXPECT_EQ(create(foreign, 1, &device_, &size, &pointer), CL_INVALID_CONTEXT);
  EXPECT_EQ(create(context_, 0, &device_, &size, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(create(context_, 1, nullptr, &size, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(create(context_, 1, &device_, nullptr, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(create(context_, 1, &device_, &size, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(create(context_, 1, &bad, &size, &pointer), CL_INVALID_DEVICE);
  EXPECT_EQ(create(context_, 1, &device_, &zero, &pointer), CL_INVALID_VALUE);
  EXPECT_EQ(binaryStatus, CL_INVALID_VALUE);
  EXPECT_EQ(create(context_, 1, &device_, &size, &none), CL_INVALID_VALUE);
  EXPECT_EQ(binaryStatus, CL_INVALID_VALUE);
}

TEST_F(ProgramTest, DamagedBinariesAreRefused) {
  const std::vector<unsigned char> bytes = binary(buildProgram(kTwoKernels));
  auto expectRefused = [&](const std::vector<unsigned char>& damaged, size_t where) {
    cl_int status = 1, binaryStatus = 1;
    Owned<cl_program> program = fromBinary(damaged, &status, &binaryStatus);
    EXPECT_EQ(program.get(), nullptr) << where;
    EXPECT_EQ(status, CL_INVALID_BINARY) << where;
    EXPECT_EQ(binaryStatus, CL_INVALID_BINARY) << where;
  };
  for (size_t length : {size_t{1}, size_t{7}, size_t{20}, size_t{28}, size_t{100}, bytes.size() / 2, bytes.size() - 1})
    expectRefused({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}, length);
  for (size_t i = 0; i < bytes.size(); i += i < 64 ? 1 : bytes.size() / 50) {
    std::vector<unsigned char> damaged = bytes;
    damaged[i] ^= 0x10;
    expectRefused(damaged, i);
  }
  std::vector<unsigned char> longer = bytes;
  longer.push_back(0);
  expectRefused(longer, bytes.size());
  expectRefused(std::vector<unsigned char>(4096, 0x7f), 0);
}

TEST_F(ProgramTest, KernelsKeepTheProgram) {
  Owned<cl_program> program = buildProgram(kTwoKernels);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "one", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  cl_program raw = program.take();
  EXPECT_EQ(clReleaseProgram(raw), CL_SUCCESS);
  EXPECT_EQ(clReleaseProgram(raw), CL_INVALID_PROGRAM);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME)), "one");
}

} // namespace

} // namespace clotho::test
