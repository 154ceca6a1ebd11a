// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs from SPIR-V before they are built: what is taken, what is refused, and what queries say.
#include "il_programs.hpp"

#include "base/later_headers.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

namespace clotho::test {

void IlApi::SetUp() {
  Api::SetUp();
  CLOTHO_NEEDS(claims("cl_khr_il_program"));
  cl_int status = 1;
  // On the devices of the fixture's context.
  const auto devices = listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES));
  context_ =
      clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), Told::callback, &told_, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  queue_ = makeQueue();
}

void IlApi::TearDown() {
  Api::TearDown();
  // The callback may come until the context is gone.
  told_.willEnd(context_);
  queue_ = {};
  context_ = {};
  EXPECT_TRUE(told_.hasEnded());
}

std::string IlApi::module(const std::string& name) {
  std::ifstream file(CLOTHO_SPIRV_MODULES "/" + name + ".spv", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

Owned<cl_program> IlApi::makeIlProgram(const std::string& il, cl_int expected) {
  cl_int status = 1;
  Owned<cl_program> program = clCreateProgramWithIL(context_, il.data(), il.size(), &status);
  EXPECT_EQ(status, expected) << (status == CL_INVALID_VALUE && expected != status ? told_.next() : "");
  EXPECT_EQ(program != nullptr, expected == CL_SUCCESS);
  return program;
}

void IlApi::expectRefused(const std::string& il, const std::string& why) {
  makeIlProgram(il, CL_INVALID_VALUE);
  const std::string sentence = told_.next();
  EXPECT_NE(sentence.find(why), std::string::npos) << sentence;
  EXPECT_TRUE(sentence.ends_with('.')) << sentence;
}

std::string bytesOf(const std::vector<std::uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)};
}

std::vector<std::uint32_t> wordsOf(const std::string& bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

namespace {

using IlTest = IlApi;
using Words = std::vector<std::uint32_t>;

constexpr std::size_t kHeader = 5;
constexpr std::uint32_t kOpDecorate = 71, kOpMemoryModel = 14, kOpCapability = 17, kOpTypeVoid = 19;

constexpr std::uint32_t firstWord(std::size_t words, std::uint32_t opcode) {
  return static_cast<std::uint32_t>(words) << 16 | opcode;
}

/// Offset of the first instruction with this opcode; the module's end if it has none.
std::size_t find(const Words& module, std::uint32_t opcode) {
  std::size_t at = kHeader;
  while (at < module.size() && (module[at] & 0xffff) != opcode)
    at += module[at] >> 16;
  return at;
}

void insert(Words& module, std::size_t at, const Words& words) {
  module.insert(module.begin() + static_cast<std::ptrdiff_t>(at), words.begin(), words.end());
}

std::string without(std::string il, std::size_t bytes) { return il.erase(il.size() - bytes); }

TEST_F(IlTest, CreationErrors) {
  const std::string il = module("add");
  cl_int status = 1;
  EXPECT_EQ(clCreateProgramWithIL(context_, nullptr, il.size(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithIL(context_, il.data(), 0, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithIL(Foreign<cl_context>(context_.get()), il.data(), il.size(), &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_CONTEXT);
  Owned<cl_program> program = clCreateProgramWithIL(context_, il.data(), il.size(), nullptr);
  EXPECT_NE(program, nullptr);
}

TEST_F(IlTest, WhatIsNotWellFormed) {
  const std::string good = module("add");
  // CL_INVALID_VALUE, by expectRefused.
  expectRefused("not SPIR-V at all, but some sentence", "no SPIR-V");
  expectRefused(good.substr(0, 16), "no SPIR-V");
  expectRefused(good + "abc", "no SPIR-V");
  expectRefused(without(good, 12), "inside an instruction");
  Words words = wordsOf(good);
  words[0] = 0x07230204;
  expectRefused(bytesOf(words), "no SPIR-V");
  words = wordsOf(good);
  words[kHeader] = firstWord(0, kOpCapability);
  expectRefused(bytesOf(words), "without a length");
  words = wordsOf(good);
  words[3] = 2; // the bound of ids
  expectRefused(bytesOf(words), "not below the bound");
  words = wordsOf(good);
  const std::size_t type = find(words, kOpTypeVoid);
  insert(words, type, {firstWord(2, kOpTypeVoid), words[type + 1]});
  expectRefused(bytesOf(words), "is defined twice");
}

// What cannot be read is found by a build, whose log has the validator's sentence, too.
TEST_F(IlTest, WhatHasNoMeaning) {
  Owned<cl_program> program = makeIlProgram(without(module("add"), 4)); // the end of the last function
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  const std::string log = buildLog(program);
  EXPECT_NE(log.find("a function does not end"), std::string::npos) << log;
  EXPECT_NE(log.find("SPIRV-Tools' validator says: "), std::string::npos) << log;
}

TEST_F(IlTest, WhatIsUnknownHasAName) {
  // An instruction of shaders.
  constexpr std::uint32_t kOpReturn = 253, kOpEmitVertex = 218;
  Words words = wordsOf(module("add"));
  insert(words, find(words, kOpReturn), {firstWord(1, kOpEmitVertex)});
  Owned<cl_program> program = makeIlProgram(bytesOf(words));
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(buildLog(program).find("OpEmitVertex is not known"), std::string::npos) << buildLog(program);
}

// A process that may open no more files has no way to its compiler.
TEST_F(IlTest, WhatCannotBeChecked) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char* before = std::getenv("CLOTHO_CACHE");
  const std::string old = before ? before : "";
  setenv("CLOTHO_CACHE", "0", 1);
  EXPECT_EXIT(
      {
        Owned<cl_program> other = makeIlProgram(module("caller")); // starts the compiler
        const std::string il = module("once");
        // One more file is enough to look at the compiler, and too few for a pair of sockets.
        const int next = dup(STDERR_FILENO);
        close(next);
        rlimit one = {};
        one.rlim_cur = one.rlim_max = static_cast<rlim_t>(next) + 1;
        setrlimit(RLIMIT_NOFILE, &one);
        cl_int status = 1;
        Owned<cl_program> program = clCreateProgramWithIL(context_, il.data(), il.size(), &status);
        std::fprintf(stderr, "status %d\n", status);
        std::_Exit(status == CL_OUT_OF_RESOURCES ? 0 : 1);
      },
      testing::ExitedWithCode(0), "status -5");
  if (before)
    setenv("CLOTHO_CACHE", old.c_str(), 1);
  else
    unsetenv("CLOTHO_CACHE");
}

TEST_F(IlTest, WhatIsOfAnotherEnvironment) {
  const Words good = wordsOf(module("add"));
  for (const std::uint32_t version : {0x00010700u, 0x00020000u, 0x00000900u, 0x00010001u}) {
    Words words = good;
    words[1] = version;
    expectRefused(bytesOf(words), "versions 1.0 to 1.6");
  }
  // Capabilities that OpenCL does not have: an old one, one that is younger than the system's headers, and a number
  // without a name.
  const std::pair<std::uint32_t, const char*> capabilities[] = {
      {2, "capability Geometry (2)"},
      {6230, "capability Subgroup2DBlockTransposeINTEL (6230)"},
      {60000, "capability 60000"}};
  for (const auto& [number, name] : capabilities) {
    Words words = good;
    insert(words, kHeader, {firstWord(2, kOpCapability), number});
    expectRefused(bytesOf(words), name);
  }
  Words words = wordsOf(module("hints")); // which names an extension of the future
  insert(words, kHeader, {firstWord(2, kOpCapability), 2});
  expectRefused(bytesOf(words), "SPV_VENDOR_of_the_future");
  words = good;
  words[find(words, kOpMemoryModel) + 1] = 1; // Physical32
  expectRefused(bytesOf(words), "addressing model");
  words = good;
  words[find(words, kOpMemoryModel) + 2] = 0; // Simple
  expectRefused(bytesOf(words), "memory model");
  words = good;
  constexpr std::uint32_t kOpEntryPoint = 15;
  words[find(words, kOpEntryPoint) + 1] = 5; // GLCompute
  expectRefused(bytesOf(words), "no kernel");
}

TEST_F(IlTest, EachVersion) {
  for (char minor = '0'; minor <= '6'; ++minor)
    makeIlProgram(module(std::string("hints-1.") + minor));
}

TEST_F(IlTest, EitherByteOrder) {
  Words words = wordsOf(module("add"));
  for (std::uint32_t& word : words)
    word = __builtin_bswap32(word);
  Owned<cl_program> program = makeIlProgram(bytesOf(words));
  // Specialisation constants are found, and the bytes stay as they were given.
  const cl_uint value = 1;
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 4, sizeof value, &value), CL_SUCCESS);
  EXPECT_EQ(listAnswer<std::uint32_t>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_IL)), words);
}

TEST_F(IlTest, HintsOfTheFutureAreTolerated) {
  Words words = wordsOf(module("hints"));
  constexpr std::uint32_t kOpEntryPoint = 15, kCacheControls = 6441, kUnknown = 6999;
  const std::uint32_t kernel = words[find(words, kOpEntryPoint) + 2];
  insert(words, find(words, kOpTypeVoid), {firstWord(5, kOpDecorate), kernel, kUnknown, 1, 2});
  insert(words, kHeader, {firstWord(2, kOpCapability), kCacheControls});
  makeIlProgram(bytesOf(words));
}

TEST_F(IlTest, Queries) {
  const std::string il = module("add");
  Owned<cl_program> program = makeIlProgram(il);
  const auto given = listAnswer<char>(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_IL));
  EXPECT_EQ(std::string(given.begin(), given.end()), il);
  EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetProgramInfo, program, CL_PROGRAM_SOURCE)), "");
  char byte = 'x';
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof byte, &byte, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(byte, 'x');
  EXPECT_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof byte, &byte, nullptr),
            CL_INVALID_PROGRAM_EXECUTABLE);
  EXPECT_EQ(valueAnswer<cl_build_status>(CLOTHO_INFO(clGetProgramBuildInfo, program, device_, CL_PROGRAM_BUILD_STATUS)),
            CL_BUILD_NONE);
  // Programs from source have no IL, and nothing is written.
  Owned<cl_program> source = makeProgram("kernel void k() {}");
  size_t size = 1;
  EXPECT_EQ(clGetProgramInfo(source, CL_PROGRAM_IL, sizeof byte, &byte, &size), CL_SUCCESS);
  EXPECT_EQ(size, 0u);
  EXPECT_EQ(byte, 'x');
}

TEST_F(IlTest, SpecialisationErrors) {
  Owned<cl_program> program = makeIlProgram(module("add"));
  const std::uint64_t value = 0;
  const std::size_t sizes[] = {1, 1, 2, 4, 8, 4, 8, 1}; // of the constants with ids 1 to 8
  for (cl_uint id = 1; id <= std::size(sizes); ++id)
    for (std::size_t size = 0; size <= sizeof value; ++size)
      EXPECT_EQ(clSetProgramSpecializationConstant(program, id, size, &value),
                size == sizes[id - 1] ? CL_SUCCESS : CL_INVALID_VALUE)
          << id << ' ' << size;
  EXPECT_EQ(clSetProgramSpecializationConstant(program, 4, 4, nullptr), CL_INVALID_VALUE);
  for (const cl_uint id : {0u, 9u, ~0u})
    EXPECT_EQ(clSetProgramSpecializationConstant(program, id, 4, &value), CL_INVALID_SPEC_ID);
  Owned<cl_program> source = makeProgram("kernel void k() {}");
  EXPECT_EQ(clSetProgramSpecializationConstant(source, 1, 4, &value), CL_INVALID_PROGRAM);
}

TEST_F(IlTest, ExtensionFunction) {
  auto* const function = reinterpret_cast<decltype(&clCreateProgramWithIL)>(
      clGetExtensionFunctionAddressForPlatform(platform_, "clCreateProgramWithILKHR"));
  ASSERT_NE(function, nullptr);
  const std::string il = module("add");
  cl_int status = 1;
  Owned<cl_program> program = function(context_, il.data(), il.size(), &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_NE(program, nullptr);
  EXPECT_EQ(function(context_, il.data(), 3, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_VALUE);
  EXPECT_NE(told_.next(), "");
}

TEST_F(IlTest, SpirvQueries) {
  CLOTHO_NEEDS(claims("cl_khr_spirv_queries"));
  const auto capabilities =
      listAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SPIRV_CAPABILITIES_KHR));
  // What the environment of OpenCL 2.2 requires.
  for (const cl_uint required : {4, 5, 6, 7, 8, 10, 11, 13, 14, 17, 18, 19, 20, 22, 38, 39, 43, 44, 46, 47, 58, 60})
    EXPECT_NE(std::ranges::find(capabilities, required), capabilities.end()) << required;
  const auto names = [&](cl_device_info query) {
    std::vector<std::string> texts;
    for (const char* each : listAnswer<const char*>(CLOTHO_INFO(clGetDeviceInfo, device_, query)))
      texts.emplace_back(each);
    return texts;
  };
  const auto sets = names(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR);
  EXPECT_NE(std::ranges::find(sets, "OpenCL.std"), sets.end());
  // A module that declares all capabilities, with the extensions that some of them come with, is taken.
  Words words = wordsOf(module("hints-1.6"));
  constexpr std::uint32_t kOpExtension = 10;
  for (const std::string& extension : names(CL_DEVICE_SPIRV_EXTENSIONS_KHR)) {
    EXPECT_EQ(extension.substr(0, 4), "SPV_");
    Words text(extension.size() / 4 + 1);
    std::memcpy(text.data(), extension.data(), extension.size());
    text.insert(text.begin(), firstWord(text.size() + 1, kOpExtension));
    insert(words, find(words, kOpExtension), text);
  }
  for (const cl_uint capability : capabilities)
    insert(words, kHeader, {firstWord(2, kOpCapability), capability});
  makeIlProgram(bytesOf(words));
}

TEST_F(IlTest, CompilationErrors) {
  // A library has no source and no IL, a binary neither.
  Owned<cl_program> built = buildProgram("kernel void k() {}");
  Owned<cl_program> binary = throughBinary(built);
  EXPECT_EQ(clCompileProgram(binary, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_OPERATION);
  Owned<cl_program> program = makeIlProgram(module("library"));
  EXPECT_EQ(clCompileProgram(program, 0, nullptr, "-cl-no-such-option", 0, nullptr, nullptr, nullptr, nullptr),
            CL_INVALID_COMPILER_OPTIONS);
  EXPECT_EQ(clBuildProgram(program, 0, nullptr, "-cl-no-such-option", nullptr, nullptr), CL_INVALID_BUILD_OPTIONS);
}

} // namespace

} // namespace clotho::test
