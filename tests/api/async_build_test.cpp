// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fixture.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>

namespace clotho::test {
namespace {

/// Builds with a callback go on by themselves (OpenCL 3.0, sections 5.8.2 to 5.8.4).
class AsyncBuildTest : public Api {
 protected:
  struct Told {
    std::promise<std::thread::id> where;
    std::atomic<cl_program> program = nullptr;

    static void CL_CALLBACK notify(cl_program program, void* data) {
      auto& told = *static_cast<Told*>(data);
      told.program = program;
      told.where.set_value(std::this_thread::get_id());
    }
    std::thread::id wait() {
      auto future = where.get_future();
      if (future.wait_for(std::chrono::seconds(60)) == std::future_status::ready) return future.get();
      ADD_FAILURE() << "no callback came";
      return {};
    }
  };

  template <class T> T buildInfo(cl_program program, cl_program_build_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, name));
  }
  /// A source that no cache has seen.
  std::string freshSource() {
    static std::atomic<int> number{0};
    const auto stamp = std::chrono::steady_clock::now().time_since_epoch().count();
    return "kernel void k(global int* p) { p[get_global_id(0)] = " + std::to_string(++number) + "; } //" +
           std::to_string(stamp);
  }
  cl_int create(cl_program program) {
    cl_int status = 1;
    Owned<cl_kernel> kernel(clCreateKernel(program, "k", &status));
    return status;
  }
};

TEST_F(AsyncBuildTest, TheCallDoesNotWait) {
  // A build takes milliseconds and the query after the call less than one of them: but for bad luck it sees the build
  // in progress. A driver that waits is never seen so.
  bool seen = false;
  for (int attempt = 0; attempt < 50 && !seen; ++attempt) {
    Owned<cl_program> program = makeProgram(freshSource().c_str());
    Told told;
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Told::notify, &told), CL_SUCCESS);
    if (buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS) == CL_BUILD_IN_PROGRESS) {
      const cl_int kernel = create(program), again = clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr);
      seen = kernel == CL_INVALID_PROGRAM_EXECUTABLE && again == CL_INVALID_OPERATION;
    }
    EXPECT_NE(told.wait(), std::this_thread::get_id());
    EXPECT_EQ(told.program, program.get());
    EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_SUCCESS);
    EXPECT_EQ(create(program), CL_SUCCESS);
  }
  EXPECT_TRUE(seen);
}

TEST_F(AsyncBuildTest, FailureIsToldByTheStatus) {
  Owned<cl_program> program = makeProgram("kernel void k() { undeclared = 1; }");
  Told built, compiled;
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Told::notify, &built), CL_SUCCESS);
  built.wait();
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
  EXPECT_NE(buildLog(program).find("undeclared"), std::string::npos);
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, Told::notify, &compiled), CL_SUCCESS);
  compiled.wait();
  EXPECT_EQ(buildInfo<cl_build_status>(program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
}

TEST_F(AsyncBuildTest, BadOptionsAreToldAtOnce) {
  auto never = [](cl_program, void*) { ADD_FAILURE() << "a callback for what did not begin"; };
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-nonsense", never, nullptr), CL_INVALID_BUILD_OPTIONS);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, "-nonsense", 0, nullptr, nullptr, never, nullptr),
            CL_INVALID_COMPILER_OPTIONS);
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  const cl_program inputs[] = {program};
  EXPECT_EQ(clLinkProgram(context_, 0, nullptr, "-nonsense", 1, inputs, never, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_LINKER_OPTIONS);
  // What comes after it on the callback thread shows that nothing was on its way.
  Told told;
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", Told::notify, &told), CL_SUCCESS);
  told.wait();
}

TEST_F(AsyncBuildTest, CompileAndLink) {
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  Told compiled, linked;
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, Told::notify, &compiled), CL_SUCCESS);
  compiled.wait();
  cl_int status = 1;
  const cl_program inputs[] = {program};
  Owned<cl_program> whole(clLinkProgram(context_, 0, nullptr, "", 1, inputs, Told::notify, &linked, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  // The link keeps what it needs.
  ASSERT_EQ(clReleaseProgram(program.take()), CL_SUCCESS);
  EXPECT_NE(linked.wait(), std::this_thread::get_id());
  EXPECT_EQ(linked.program, whole.get());
  EXPECT_EQ(create(whole), CL_SUCCESS);
}

TEST_F(AsyncBuildTest, ALinkThatFailsHasALog) {
  Owned<cl_program> program = makeProgram("void nowhere(void); kernel void k() { nowhere(); }");
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  Told linked;
  cl_int status = 1;
  const cl_program inputs[] = {program};
  Owned<cl_program> whole(clLinkProgram(context_, 0, nullptr, "", 1, inputs, Told::notify, &linked, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  linked.wait();
  EXPECT_EQ(buildInfo<cl_build_status>(whole, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
  EXPECT_NE(buildLog(whole).find("nowhere"), std::string::npos);
}

TEST_F(AsyncBuildTest, ReleasedWhileItIsBuilt) {
  std::promise<cl_int> result;
  auto notify = [](cl_program program, void* data) {
    cl_uint devices = 0;
    static_cast<std::promise<cl_int>*>(data)->set_value(
        clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, nullptr));
  };
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, notify, &result), CL_SUCCESS);
  ASSERT_EQ(clReleaseProgram(program.take()), CL_SUCCESS);
  EXPECT_EQ(result.get_future().get(), CL_SUCCESS);
}

/// Keeps the callback thread until it goes out of scope: what is told meanwhile comes later.
class CallbacksHeld {
 public:
  explicit CallbacksHeld(cl_event event) {
    auto wait = [](cl_event, cl_int, void* data) {
      auto& own = *static_cast<CallbacksHeld*>(data);
      own.begun_.set_value();
      own.go_.get_future().wait();
      own.over_.set_value();
    };
    EXPECT_EQ(clSetEventCallback(event, CL_COMPLETE, wait, this), CL_SUCCESS);
    EXPECT_EQ(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
    begun_.get_future().wait();
  }
  ~CallbacksHeld() {
    go_.set_value();
    over_.get_future().wait();
  }

 private:
  std::promise<void> begun_, go_, over_;
};

struct Asked {
  std::promise<cl_int> result;
  static void CL_CALLBACK notify(cl_program program, void* data) {
    cl_uint devices = 0;
    static_cast<Asked*>(data)->result.set_value(
        clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, nullptr));
  }
  cl_int wait() {
    auto future = result.get_future();
    return future.wait_for(std::chrono::seconds(60)) == std::future_status::ready ? future.get() : 1;
  }
};

// The callback may come before clLinkProgram has returned, but not before the handle is good.
TEST_F(AsyncBuildTest, ALinkedProgramIsValidInItsCallback) {
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  struct Retained {
    std::promise<void> over;
    cl_int query = 1, retain = 1;
  };
  auto notify = [](cl_program linked, void* data) {
    auto& seen = *static_cast<Retained*>(data);
    cl_uint references = 0;
    seen.query = clGetProgramInfo(linked, CL_PROGRAM_REFERENCE_COUNT, sizeof references, &references, nullptr);
    seen.retain = clRetainProgram(linked);
    seen.over.set_value();
  };
  const cl_program inputs[] = {program};
  int failures = 0;
  for (int i = 0; i < 300; ++i) {
    Retained seen;
    cl_int status = 1;
    Owned<cl_program> linked(clLinkProgram(context_, 0, nullptr, "", 1, inputs, notify, &seen, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    ASSERT_EQ(seen.over.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
    failures += seen.query != CL_SUCCESS || seen.retain != CL_SUCCESS;
    if (seen.retain != CL_SUCCESS) continue;
    ASSERT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetProgramInfo, linked, CL_PROGRAM_REFERENCE_COUNT)), 2u);
    ASSERT_EQ(clReleaseProgram(linked), CL_SUCCESS);
  }
  EXPECT_EQ(failures, 0);
}

TEST_F(AsyncBuildTest, ReleasedBeforeTheCallbackOfItsLink) {
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  ASSERT_EQ(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  const cl_program inputs[] = {program};
  Owned<cl_event> event = makeUserEvent();
  Asked asked;
  {
    CallbacksHeld held(event);
    cl_int status = 1;
    Owned<cl_program> linked(clLinkProgram(context_, 0, nullptr, "", 1, inputs, Asked::notify, &asked, &status));
    ASSERT_EQ(status, CL_SUCCESS);
  }
  EXPECT_EQ(asked.wait(), CL_SUCCESS);
}

TEST_F(AsyncBuildTest, ReleasedOnceTooOftenWhileItIsBuilt) {
  Owned<cl_event> event = makeUserEvent();
  Asked asked;
  {
    CallbacksHeld held(event);
    const cl_program program = makeProgram(freshSource().c_str()).take();
    ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, Asked::notify, &asked), CL_SUCCESS);
    EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT)), 1u)
        << "the build is no reference of the application's";
    EXPECT_EQ(clReleaseProgram(program), CL_SUCCESS);
    EXPECT_EQ(clReleaseProgram(program), CL_INVALID_PROGRAM);
  }
  EXPECT_EQ(asked.wait(), CL_SUCCESS);
}

TEST_F(AsyncBuildTest, ManyAtOnce) {
  constexpr int kCount = 40; // more than there are threads for
  std::vector<Owned<cl_program>> programs;
  std::vector<Told> told(kCount);
  for (Told& one : told) {
    programs.push_back(makeProgram(freshSource().c_str()));
    ASSERT_EQ(clBuildProgram(programs.back(), 0, nullptr, nullptr, Told::notify, &one), CL_SUCCESS);
  }
  for (int i = 0; i < kCount; ++i) {
    told[static_cast<std::size_t>(i)].wait();
    EXPECT_EQ(create(programs[static_cast<std::size_t>(i)]), CL_SUCCESS);
  }
}

TEST_F(AsyncBuildTest, TheCallbackMayBuildAndLaunch) {
  std::promise<cl_int> result;
  std::function<void(cl_program)> work = [&](cl_program program) {
    cl_int status = 1;
    Owned<cl_kernel> kernel(clCreateKernel(program, "k", &status));
    Owned<cl_program> other = buildProgram(freshSource().c_str());
    Owned<cl_mem> buffer = makeBuffer(4);
    const cl_mem raw = buffer;
    const std::size_t one = 1;
    clSetKernelArg(kernel, 0, sizeof raw, static_cast<const void*>(&raw));
    status |= clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
    result.set_value(status | clFinish(queue_));
  };
  auto notify = [](cl_program program, void* data) { (*static_cast<std::function<void(cl_program)>*>(data))(program); };
  Owned<cl_program> program = makeProgram(freshSource().c_str());
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, nullptr, notify, &work), CL_SUCCESS);
  auto future = result.get_future();
  ASSERT_EQ(future.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_EQ(future.get(), CL_SUCCESS);
}

} // namespace
} // namespace clotho::test
