// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialisers and finalizers of SPIR-V modules (SPIR-V, section 3.6; OpenCL 2.2, section 3.2).
#include "il_programs.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace clotho::test {

namespace {

class IlScopeTest : public IlApi {
 protected:
  /// Ends when nothing refers to the program any more, and says whether that came.
  class End {
   public:
    explicit End(cl_program program) { EXPECT_EQ(clSetProgramReleaseCallback(program, callback, this), CL_SUCCESS); }
    bool comes() {
      std::unique_lock lock(mutex_);
      return changed_.wait_for(lock, std::chrono::seconds(60), [this] { return isOver_; });
    }

   private:
    static void CL_CALLBACK callback(cl_program, void* self) {
      auto& end = *static_cast<End*>(self);
      const std::lock_guard lock(end.mutex_);
      end.isOver_ = true;
      end.changed_.notify_all();
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    bool isOver_ = false;
  };

  /// The initialisers leave (5 + 2) * 7: they run in the order of their entry points. The kernel adds 2 each time.
  void checkProgram(Owned<cl_program> program) {
    const std::size_t devices =
        listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES)).size();
    EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES)), "read");
    for (const cl_program_info name : {CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT})
      EXPECT_EQ(valueAnswer<cl_bool>(CLOTHO_INFO(clGetProgramInfo, program, name)), cl_bool{CL_TRUE});
    cl_int status = 1;
    EXPECT_EQ(clCreateKernel(program, "first", &status), nullptr);
    EXPECT_EQ(status, CL_INVALID_KERNEL_NAME);
    Owned<cl_kernel> kernel = clCreateKernel(program, "read", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(sizeof(cl_uint));
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    cl_uint values[2] = {};
    for (cl_uint& value : values) {
      ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
      ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr), CL_SUCCESS);
    }
    EXPECT_EQ(values[0], 49u);
    EXPECT_EQ(values[1], values[0] + 2);

    End end(program);
    testing::internal::CaptureStdout();
    EXPECT_EQ(clReleaseKernel(kernel.take()), CL_SUCCESS);
    EXPECT_EQ(clReleaseProgram(program.take()), CL_SUCCESS);
    const bool came = end.comes();
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(came);
    EXPECT_NE(text.find("done " + std::to_string(values[0] + 4)), std::string::npos) << text;
    EXPECT_EQ(text.size(), devices * std::string("done 49").size()) << text;
  }
};

TEST_F(IlScopeTest, Built) {
  Owned<cl_program> program = makeIlProgram(module("program_scope"));
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
  checkProgram(std::move(program));
}

TEST_F(IlScopeTest, Linked) {
  Owned<cl_program> program = makeIlProgram(module("program_scope"));
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
      << buildLog(program);
  cl_int status = 1;
  const cl_program input = program;
  Owned<cl_program> linked = clLinkProgram(context_, 0, nullptr, nullptr, 1, &input, nullptr, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS) << buildLog(linked);
  checkProgram(std::move(linked));
}

// No command enqueues an initialiser, so the build reports that one needs too much local memory.
TEST_F(IlScopeTest, LocalMemoryOfInitialisers) {
  Owned<cl_program> program = makeIlProgram(module("scope_memory"));
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("local memory"), std::string::npos) << buildLog(program);
  const cl_uint few = 5;
  ASSERT_EQ(clSetProgramSpecializationConstant(program, 1, sizeof few, &few), CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << buildLog(program);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, "read", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_mem> buffer = makeBuffer(sizeof(cl_uint));
  cl_mem raw = buffer;
  ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
  cl_uint value = 0;
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(value, few);
}

} // namespace

} // namespace clotho::test
