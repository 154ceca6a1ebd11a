// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of programs and kernels that the tests of their own files leave out.
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

namespace clotho::test {

namespace {

constexpr const char* kPlain = "kernel void k(global int* p) { *p = 1; }";

class ErrorsProgramTest : public Api {
 protected:
  /// A source that the compiler has not seen before and that keeps it busy for a while.
  static std::string longSource(int kernels) {
    std::string source = "// " + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()) + "\n";
    for (int i = 0; i < kernels; ++i)
      source += "kernel void k" + std::to_string(i) +
                "(global float* p) { size_t i = get_global_id(0); p[i] = sin(p[i]) + pow(p[i], " + std::to_string(i) +
                ".5f); barrier(CLK_LOCAL_MEM_FENCE); p[i] += exp(p[i + 1]); }\n";
    return source;
  }
  cl_build_status status(cl_program program) {
    cl_build_status status = CL_BUILD_NONE;
    EXPECT_EQ(clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
              CL_SUCCESS);
    return status;
  }
  /// The status of `other` while `work`, which takes options, keeps `program` in progress. On a busy machine the work
  /// may be over too early; then it is done again, with options that no cache knows.
  cl_int during(cl_program program, const std::function<cl_int(const char*)>& work,
                const std::function<cl_int()>& other) {
    for (int attempt = 0; attempt < 10; ++attempt) {
      std::string options = "-DATTEMPT=" + std::to_string(attempts_++);
      std::atomic<bool> ended{false};
      std::thread worker([&] {
        EXPECT_EQ(work(options.c_str()), CL_SUCCESS);
        ended = true;
      });
      while (!ended && status(program) != CL_BUILD_IN_PROGRESS)
        std::this_thread::yield();
      bool inTime = !ended;
      cl_int code = inTime ? other() : CL_SUCCESS;
      inTime = inTime && !ended;
      worker.join();
      if (inTime) return code;
    }
    ADD_FAILURE() << "over too early each time";
    return CL_SUCCESS;
  }
  int attempts_ = 0;
};

TEST_F(ErrorsProgramTest, Handles) {
  Owned<cl_program> owned = makeProgram(kPlain);
  Foreign<cl_program> foreign(device_);
  cl_program gone = owned;
  ASSERT_EQ(clReleaseProgram(owned.take()), CL_SUCCESS);
  for (cl_program bad : {static_cast<cl_program>(foreign), gone}) {
    cl_int code = 1, value = 0;
    cl_uint count = 0;
    EXPECT_EQ(clRetainProgram(bad), CL_INVALID_PROGRAM);
    EXPECT_EQ(clReleaseProgram(bad), CL_INVALID_PROGRAM);
    EXPECT_EQ(clBuildProgram(bad, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_PROGRAM);
    EXPECT_EQ(clCompileProgram(bad, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_PROGRAM);
    EXPECT_EQ(clGetProgramInfo(bad, CL_PROGRAM_SOURCE, 0, nullptr, nullptr), CL_INVALID_PROGRAM);
    EXPECT_EQ(clGetProgramBuildInfo(bad, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, nullptr), CL_INVALID_PROGRAM);
    EXPECT_EQ(clSetProgramReleaseCallback(bad, [](cl_program, void*) {}, nullptr), CL_INVALID_PROGRAM);
    EXPECT_EQ(clSetProgramSpecializationConstant(bad, 0, sizeof value, &value), CL_INVALID_PROGRAM);
    EXPECT_EQ(clCreateKernel(bad, "k", &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_PROGRAM);
    EXPECT_EQ(clCreateKernelsInProgram(bad, 0, nullptr, &count), CL_INVALID_PROGRAM);
  }
}

TEST_F(ErrorsProgramTest, CreatedInNoContext) {
  Foreign<cl_context> foreign(device_);
  cl_int code = 1;
  const cl_uint words[] = {0x07230203, 0x00010000, 0, 1, 0};
  EXPECT_EQ(clCreateProgramWithSource(foreign, 1, const_cast<const char**>(&kPlain), nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  code = 1;
  EXPECT_EQ(clCreateProgramWithIL(foreign, words, sizeof words, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
  code = 1;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(foreign, 1, &device_, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_CONTEXT);
}

TEST_F(ErrorsProgramTest, BuiltInKernelsOnOtherDevices) {
  Foreign<cl_device_id> foreign(device_);
  cl_device_id bad = foreign;
  cl_int code = 1;
  EXPECT_EQ(clCreateProgramWithBuiltInKernels(context_, 1, &bad, "anything", &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
}

TEST_F(ErrorsProgramTest, LinkDevices) {
  Owned<cl_program> program = makeProgram(kPlain);
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  const cl_program list[] = {program};
  Foreign<cl_device_id> foreign(device_);
  cl_device_id bad = foreign;
  cl_int code = 1;
  EXPECT_EQ(clLinkProgram(context_, 1, &bad, nullptr, 1, list, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_DEVICE);
  code = 1;
  EXPECT_EQ(clLinkProgram(context_, 0, &device_, nullptr, 1, list, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
  code = 1;
  EXPECT_EQ(clLinkProgram(context_, 1, nullptr, nullptr, 1, list, nullptr, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_INVALID_VALUE);
}

TEST_F(ErrorsProgramTest, LinkOfNothing) {
  Owned<cl_program> program = makeProgram(kPlain);
  const cl_program list[] = {program};
  struct {
    cl_uint count;
    const cl_program* list;
  } cases[] = {{0, nullptr}, {0, list}, {1, nullptr}};
  for (const auto& c : cases) {
    cl_int code = 1;
    EXPECT_EQ(clLinkProgram(context_, 0, nullptr, nullptr, c.count, c.list, nullptr, nullptr, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_VALUE) << c.count;
  }
}

// Neither 2^62 bytes nor more than an object can have.
TEST_F(ErrorsProgramTest, SourceThatDoesNotFit) {
  if (kSanitized) GTEST_SKIP();
  for (size_t length : {size_t{1} << 62, std::numeric_limits<size_t>::max()}) {
    cl_int code = 1;
    const char* source = kPlain;
    EXPECT_EQ(clCreateProgramWithSource(context_, 1, &source, &length, &code), nullptr);
    EXPECT_EQ(code, CL_OUT_OF_HOST_MEMORY) << length;
  }
}

// The driver of a new process finds no compiler; what it has never seen cannot be in a cache either.
TEST_F(ErrorsProgramTest, WithoutACompiler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* before = std::getenv("CLOTHO_COMPILER");
  std::string old = before ? before : "";
  setenv("CLOTHO_COMPILER", "/nonexistent/clotho-compiler", 1);
  EXPECT_EXIT(
      {
        Owned<cl_program> program = makeProgram(longSource(1).c_str());
        cl_int built = clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
        cl_int compiled = clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr);
        std::fprintf(stderr, "built %d, compiled %d\n", built, compiled);
        std::_Exit(built == CL_COMPILER_NOT_AVAILABLE && compiled == CL_COMPILER_NOT_AVAILABLE ? 0 : 1);
      },
      testing::ExitedWithCode(0), "built -3, compiled -3");
  if (before)
    setenv("CLOTHO_COMPILER", old.c_str(), 1);
  else
    unsetenv("CLOTHO_COMPILER");
}

TEST_F(ErrorsProgramTest, BuildDuringABuild) {
  Owned<cl_program> program = makeProgram(longSource(4).c_str());
  auto build = [&](const char* options) { return clBuildProgram(program, 0, nullptr, options, nullptr, nullptr); };
  EXPECT_EQ(during(program, build, [&] { return build(nullptr); }), CL_INVALID_OPERATION);
}

TEST_F(ErrorsProgramTest, CompileDuringACompile) {
  Owned<cl_program> program = makeProgram(longSource(300).c_str());
  auto compile = [&](const char* options) {
    return clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(during(program, compile, [&] { return compile(nullptr); }), CL_INVALID_OPERATION);
}

// Also when an earlier compilation has left something that could be linked.
TEST_F(ErrorsProgramTest, LinkDuringACompile) {
  Owned<cl_program> program = makeProgram(longSource(300).c_str());
  auto compile = [&](const char* options) {
    return clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr);
  };
  auto link = [&] {
    const cl_program list[] = {program};
    cl_int code = 1;
    Owned<cl_program> linked = clLinkProgram(context_, 0, nullptr, nullptr, 1, list, nullptr, nullptr, &code);
    return code;
  };
  EXPECT_EQ(during(program, compile, link), CL_INVALID_OPERATION);
  EXPECT_EQ(during(program, compile, link), CL_INVALID_OPERATION);
}

TEST_F(ErrorsProgramTest, KernelHandles) {
  Owned<cl_kernel> owned = makeKernel(kPlain, "k");
  Foreign<cl_kernel> foreign(device_);
  cl_kernel gone = owned;
  ASSERT_EQ(clReleaseKernel(owned.take()), CL_SUCCESS);
  for (cl_kernel bad : {static_cast<cl_kernel>(foreign), gone}) {
    cl_mem none = nullptr;
    cl_int code = 1;
    EXPECT_EQ(clRetainKernel(bad), CL_INVALID_KERNEL);
    EXPECT_EQ(clReleaseKernel(bad), CL_INVALID_KERNEL);
    EXPECT_EQ(clSetKernelArg(bad, 0, sizeof none, &none), CL_INVALID_KERNEL);
    EXPECT_EQ(clSetKernelArgSVMPointer(bad, 0, nullptr), CL_INVALID_KERNEL);
    EXPECT_EQ(clSetKernelExecInfo(bad, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, nullptr), CL_INVALID_KERNEL);
    EXPECT_EQ(clCloneKernel(bad, &code), nullptr);
    EXPECT_EQ(code, CL_INVALID_KERNEL);
    EXPECT_EQ(clGetKernelInfo(bad, CL_KERNEL_NUM_ARGS, 0, nullptr, nullptr), CL_INVALID_KERNEL);
    EXPECT_EQ(clGetKernelArgInfo(bad, 0, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_INVALID_KERNEL);
    EXPECT_EQ(clGetKernelWorkGroupInfo(bad, device_, CL_KERNEL_WORK_GROUP_SIZE, 0, nullptr, nullptr),
              CL_INVALID_KERNEL);
    EXPECT_EQ(clGetKernelSubGroupInfo(bad, device_, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, 0, nullptr, nullptr),
              CL_INVALID_KERNEL);
  }
}

} // namespace

} // namespace clotho::test
