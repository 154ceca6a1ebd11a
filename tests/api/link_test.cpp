// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Separate compilation.
#include "fixture.hpp"

namespace clotho::test {

namespace {

constexpr const char* kUser = "int twice(int x);\nkernel void k(global int* p) { *p = twice(*p); }\n";
constexpr const char* kLibrary = "int twice(int x) { return 2 * x; }\n";

class LinkTest : public Api {
 protected:
  Owned<cl_program> compiled(const char* source, const char* options = "") {
    Owned<cl_program> program = makeProgram(source);
    EXPECT_EQ(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS)
        << buildLog(program);
    return program;
  }
  Owned<cl_program> link(const std::vector<cl_program>& programs, const char* options, cl_int* status) {
    *status = 1;
    return clLinkProgram(context_, 0, nullptr, options, static_cast<cl_uint>(programs.size()), programs.data(), nullptr,
                         nullptr, status);
  }
  cl_program_binary_type type(cl_program program) {
    return valueAnswer<cl_program_binary_type>(
        CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BINARY_TYPE));
  }
  void expectTwice(cl_program program) {
    cl_int status = 1, value = 21;
    Owned<cl_kernel> kernel = clCreateKernel(program, "k", &status);
    ASSERT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(4, CL_MEM_COPY_HOST_PTR, &value);
    cl_mem raw = buffer;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    ASSERT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(value, 42);
  }
};

TEST_F(LinkTest, TwoObjects) {
  Owned<cl_program> user = compiled(kUser), library = compiled(kLibrary);
  EXPECT_EQ(type(user), cl_uint{CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT});
  cl_int status;
  EXPECT_EQ(clCreateKernel(user, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  Owned<cl_program> program = link({user, library}, "", &status);
  ASSERT_EQ(status, CL_SUCCESS) << buildLog(program);
  EXPECT_EQ(type(program), cl_uint{CL_PROGRAM_BINARY_TYPE_EXECUTABLE});
  expectTwice(program);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
}

TEST_F(LinkTest, LibraryThroughABinary) {
  cl_int status;
  Owned<cl_program> library = link({compiled(kLibrary)}, "-create-library", &status);
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(type(library), cl_uint{CL_PROGRAM_BINARY_TYPE_LIBRARY});
  EXPECT_EQ(clCreateKernel(library, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
  Owned<cl_program> again = throughBinary(library), user = throughBinary(compiled(kUser));
  EXPECT_EQ(type(again), cl_uint{CL_PROGRAM_BINARY_TYPE_LIBRARY});
  EXPECT_EQ(type(user), cl_uint{CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT});
  EXPECT_EQ(clBuildProgram(user, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_BINARY) << "no executable";
  Owned<cl_program> program = link({user, again}, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS) << buildLog(program);
  expectTwice(program);
  Owned<cl_program> executable = throughBinary(program);
  ASSERT_EQ(clBuildProgram(executable, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
  expectTwice(executable);
}

// A kernel keeps the options that it was compiled with, whatever it is linked to and wherever it comes from.
TEST_F(LinkTest, EachKernelKeepsItsOptions) {
  constexpr float kSmall = 1e-39F; // denormal
  const auto halved = [&](cl_program program, const char* name) {
    cl_int status = 1;
    float value = kSmall;
    Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    Owned<cl_mem> buffer = makeBuffer(sizeof value, CL_MEM_COPY_HOST_PTR, &value);
    cl_mem raw = buffer;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    EXPECT_EQ(clEnqueueTask(queue_, kernel, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr), CL_SUCCESS);
    return value;
  };
  Owned<cl_program> one = compiled("kernel void flushes(global float* p) { *p *= 0.5f; }\n", "-cl-denorms-are-zero");
  Owned<cl_program> other = compiled("kernel void keeps(global float* p) { *p *= 0.5f; }\n");
  cl_int status;
  Owned<cl_program> again = throughBinary(one);
  Owned<cl_program> first = link({again, other}, "", &status), second = link({other, again}, "", &status);
  ASSERT_EQ(status, CL_SUCCESS) << buildLog(second);
  for (cl_program program : {cl_program(first), cl_program(second)}) {
    EXPECT_EQ(halved(program, "flushes"), 0);
    EXPECT_NE(halved(program, "keeps"), 0);
  }
}

TEST_F(LinkTest, EmbeddedHeaders) {
  Owned<cl_program> header = makeProgram("#include \"deeper/other.h\"\nint twice(int x) { return FACTOR * x; }\n");
  Owned<cl_program> other = makeProgram("#define FACTOR 2\n");
  Owned<cl_program> user = makeProgram("#include <folder/twice.h>\nkernel void k(global int* p) { *p = twice(*p); }\n");
  cl_program headers[] = {header, other};
  const char* names[] = {"folder/twice.h", "deeper/other.h"};
  ASSERT_EQ(clCompileProgram(user, 0, nullptr, nullptr, 2, headers, names, nullptr, nullptr), CL_SUCCESS)
      << buildLog(user);
  cl_int status;
  Owned<cl_program> program = link({user}, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS) << buildLog(program);
  expectTwice(program);
}

TEST_F(LinkTest, CompileErrors) {
  Owned<cl_program> program = makeProgram(kUser), wrong = makeProgram("int f() { return }");
  cl_program headers[] = {wrong};
  const char* names[] = {"a.h"};
  int data;
  auto code = [&](cl_program p, const char* options, cl_uint count, const cl_program* list, const char** listNames) {
    return clCompileProgram(p, 0, nullptr, options, count, list, listNames, nullptr, nullptr);
  };
  Foreign<cl_program> foreign(device_);
  Foreign<cl_device_id> foreignDevice(device_);
  cl_device_id bad = foreignDevice;
  EXPECT_EQ(code(foreign, nullptr, 0, nullptr, nullptr), CL_INVALID_PROGRAM);
  EXPECT_EQ(code(program, nullptr, 0, headers, names), CL_INVALID_VALUE);
  EXPECT_EQ(code(program, nullptr, 1, nullptr, names), CL_INVALID_VALUE);
  EXPECT_EQ(code(program, nullptr, 1, headers, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 1, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 0, &device_, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(clCompileProgram(program, 1, &bad, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &data), CL_INVALID_VALUE);
  EXPECT_EQ(code(program, "-no-such-option", 0, nullptr, nullptr), CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(code(wrong, nullptr, 0, nullptr, nullptr), CL_COMPILE_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(wrong).find("error"), std::string::npos);
  Owned<cl_context> otherContext = makeContext();
  cl_int status;
  const char* text = "int g();";
  Owned<cl_program> otherHeader = clCreateProgramWithSource(otherContext, 1, &text, nullptr, &status);
  cl_program otherHeaders[] = {otherHeader};
  EXPECT_EQ(code(program, nullptr, 1, otherHeaders, names), CL_INVALID_CONTEXT);
  Owned<cl_program> built = buildProgram("kernel void k() {}");
  Owned<cl_kernel> kernel = clCreateKernel(built, "k", &status);
  EXPECT_EQ(code(built, nullptr, 0, nullptr, nullptr), CL_INVALID_OPERATION) << "a kernel uses it";
}

TEST_F(LinkTest, LinkErrors) {
  Owned<cl_program> user = compiled(kUser), library = compiled(kLibrary), source = makeProgram(kLibrary);
  cl_program list[] = {user, library};
  cl_int status = 1;
  int data;
  Foreign<cl_context> foreign(device_);
  Foreign<cl_program> notProgram(device_);
  EXPECT_EQ(clLinkProgram(foreign, 0, nullptr, nullptr, 2, list, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  Owned<cl_context> otherContext = makeContext();
  EXPECT_EQ(clLinkProgram(otherContext, 0, nullptr, nullptr, 2, list, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT) << "of the programs";
  EXPECT_EQ(clLinkProgram(context_, 1, nullptr, nullptr, 2, list, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clLinkProgram(context_, 0, nullptr, nullptr, 0, list, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clLinkProgram(context_, 0, nullptr, nullptr, 2, nullptr, nullptr, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clLinkProgram(context_, 0, nullptr, nullptr, 2, list, nullptr, &data, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(link({user, notProgram}, nullptr, &status).get(), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM);
  EXPECT_EQ(link({user, source}, nullptr, &status).get(), nullptr);
  EXPECT_EQ(status, CL_INVALID_OPERATION) << "one of them is not compiled";
  EXPECT_EQ(link({user, library}, "-no-such-option", &status).get(), nullptr);
  EXPECT_EQ(status, CL_INVALID_LINKER_OPTIONS);
}

TEST_F(LinkTest, FailedLinkGivesAProgramWithALog) {
  cl_int status;
  Owned<cl_program> program = link({compiled(kUser)}, nullptr, &status);
  EXPECT_EQ(status, CL_LINK_PROGRAM_FAILURE);
  ASSERT_NE(program.get(), nullptr);
  EXPECT_NE(buildLog(program).find("twice"), std::string::npos) << buildLog(program);
  EXPECT_EQ(clCreateKernel(program, "k", &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

} // namespace

} // namespace clotho::test
