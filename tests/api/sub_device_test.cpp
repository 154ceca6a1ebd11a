// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-devices (section 4.3). The driver is told to have four compute units, whatever the machine has.
#include "fixture.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sched.h>

namespace clotho::test {

namespace {

using Property = cl_device_partition_property;
using Properties = std::vector<Property>;

constexpr cl_uint kUnits = 4;
constexpr const char* kSquare = "kernel void square(global int* a) { a[get_global_id(0)] *= a[get_global_id(0)]; }";

class SubDeviceTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    CLOTHO_NEEDS(hasSubDevices());
    ASSERT_EQ(units(device_), kUnits) << "CLOTHO_COMPUTE_UNITS is not set for this test";
  }
  void TearDown() override {
    for (cl_device_id device : made_)
      EXPECT_EQ(clReleaseDevice(device), CL_SUCCESS);
    Api::TearDown();
  }

  static cl_uint units(cl_device_id device) {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS));
  }
  static Properties list(cl_device_id device, cl_device_info name) {
    return listAnswer<Property>(CLOTHO_INFO(clGetDeviceInfo, device, name));
  }
  static cl_uint references(cl_device_id device) {
    return valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_REFERENCE_COUNT));
  }
  /// What a call without a list says.
  static cl_int outcome(cl_device_id device, const Properties& properties) {
    cl_uint count = 0;
    return clCreateSubDevices(device, properties.data(), 0, nullptr, &count);
  }
  /// Released at the end of the test.
  std::vector<cl_device_id> partition(cl_device_id device, const Properties& properties) {
    cl_uint count = 0, again = 0;
    EXPECT_EQ(clCreateSubDevices(device, properties.data(), 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> devices(count);
    EXPECT_EQ(clCreateSubDevices(device, properties.data(), count, devices.data(), &again), CL_SUCCESS);
    EXPECT_EQ(again, count);
    made_.insert(made_.end(), devices.begin(), devices.end());
    return devices;
  }
  std::vector<cl_device_id> made_;
};

/// Squares of numbers, computed on `device` of `context`.
void square(cl_context context, cl_device_id device, cl_kernel kernel) {
  cl_int status = 1;
  Owned<cl_command_queue> queue(clCreateCommandQueueWithProperties(context, device, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  std::vector<int> numbers(40'000), results(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  Owned<cl_mem> buffer(clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, numbers.size() * 4, numbers.data(), &status));
  ASSERT_EQ(status, CL_SUCCESS);
  cl_mem handle = buffer;
  EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof handle, &handle), CL_SUCCESS);
  std::size_t global = numbers.size();
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, results.size() * 4, results.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  for (int& number : numbers)
    number *= number;
  EXPECT_EQ(results, numbers);
}

TEST_F(SubDeviceTest, EquallyMakesAsManyAsFit) {
  for (cl_uint size = 1; size < kUnits; ++size) {
    std::vector<cl_device_id> devices = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, Property(size), 0});
    EXPECT_EQ(devices.size(), kUnits / size);
    for (cl_device_id device : devices) {
      EXPECT_EQ(units(device), size);
      EXPECT_EQ(list(device, CL_DEVICE_PARTITION_TYPE), (Properties{CL_DEVICE_PARTITION_EQUALLY, Property(size), 0}));
    }
  }
}

TEST_F(SubDeviceTest, ByCounts) {
  const Properties properties = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  std::vector<cl_device_id> devices = partition(device_, properties);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(units(devices[0]), 1u);
  EXPECT_EQ(units(devices[1]), 2u);
  EXPECT_EQ(list(devices[1], CL_DEVICE_PARTITION_TYPE), properties);
}

TEST_F(SubDeviceTest, WhatCannotBePartitioned) {
  EXPECT_EQ(clCreateSubDevices(device_, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {0}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {0x7777, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_EQUALLY, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_EQUALLY, 1, CL_DEVICE_PARTITION_EQUALLY, 1, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_EQUALLY, kUnits, 0}), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_EQUALLY, kUnits + 1, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_COUNTS, 0, 0}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, CL_DEVICE_PARTITION_EQUALLY}), CL_INVALID_VALUE);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_COUNTS, 2, 3, 0, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_COUNTS, -1, 0, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 1, 1, 1, 0, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
  EXPECT_EQ(outcome(device_, {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0x4000, 0}), CL_INVALID_VALUE);
  const Property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id devices[2] = {};
  EXPECT_EQ(clCreateSubDevices(device_, equally, 2, devices, nullptr), CL_INVALID_VALUE) << "four need room for four";
  EXPECT_EQ(devices[0], nullptr);
  Foreign<cl_device_id> foreign(device_);
  EXPECT_EQ(clCreateSubDevices(foreign, equally, 0, nullptr, nullptr), CL_INVALID_DEVICE);
  EXPECT_EQ(clCreateSubDevices(device_, equally, 0, nullptr, nullptr), CL_SUCCESS);

  cl_device_id one = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 1, 0})[0];
  EXPECT_EQ(outcome(one, {CL_DEVICE_PARTITION_EQUALLY, 1, 0}), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(outcome(one, {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0}), CL_DEVICE_PARTITION_FAILED);
  EXPECT_EQ(outcome(one, {CL_DEVICE_PARTITION_EQUALLY, 2, 0}), CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST_F(SubDeviceTest, SaysWhatItIs) {
  EXPECT_EQ(list(device_, CL_DEVICE_PARTITION_TYPE), Properties{0});
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)), kUnits);
  cl_device_id part = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 2, 0})[0];
  EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetDeviceInfo, part, CL_DEVICE_PARENT_DEVICE)), device_);
  EXPECT_EQ(valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, part, CL_DEVICE_PARTITION_MAX_SUB_DEVICES)), 2u);
  EXPECT_EQ(valueAnswer<cl_platform_id>(CLOTHO_INFO(clGetDeviceInfo, part, CL_DEVICE_PLATFORM)), platform_);
  for (cl_device_info name :
       {CL_DEVICE_NAME, CL_DEVICE_EXTENSIONS, CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_GLOBAL_MEM_SIZE,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_OPENCL_C_FEATURES, CL_DEVICE_UUID_KHR})
    EXPECT_EQ(answer(CLOTHO_INFO(clGetDeviceInfo, part, name)), answer(CLOTHO_INFO(clGetDeviceInfo, device_, name)));
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* returned) { return clGetDeviceInfo(part, name, size, value, returned); },
                    CL_DEVICE_PARTITION_TYPE);
  // A part of a part is one of the part.
  std::vector<cl_device_id> parts = partition(part, {CL_DEVICE_PARTITION_EQUALLY, 1, 0});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetDeviceInfo, parts[1], CL_DEVICE_PARENT_DEVICE)), part);
  EXPECT_EQ(list(parts[1], CL_DEVICE_PARTITION_PROPERTIES), Properties{0});
}

TEST_F(SubDeviceTest, IsCounted) {
  const Property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
  cl_device_id parts[2] = {};
  ASSERT_EQ(clCreateSubDevices(device_, equally, 2, parts, nullptr), CL_SUCCESS);
  EXPECT_EQ(references(parts[0]), 1u);
  EXPECT_EQ(clRetainDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(references(parts[0]), 2u);
  EXPECT_EQ(clReleaseDevice(parts[0]), CL_SUCCESS);

  // The context keeps the first sub-device, and with it the handle; nothing keeps the second one.
  cl_int status = 1;
  Owned<cl_context> context(clCreateContext(nullptr, 1, parts, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  Owned<cl_command_queue> queue(clCreateCommandQueueWithProperties(context, parts[0], nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(references(parts[0]), 1u) << "the application's references alone are counted";
  for (cl_device_id part : parts) {
    EXPECT_EQ(clReleaseDevice(part), CL_SUCCESS);
    // The loader reads the dispatch table of what it is given, which is there still.
    EXPECT_EQ(clReleaseDevice(part), CL_INVALID_DEVICE);
  }
  EXPECT_EQ(clRetainDevice(parts[1]), CL_INVALID_DEVICE);
  EXPECT_EQ(valueAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_DEVICES)), parts[0]);
  EXPECT_EQ(references(parts[0]), 0u);
  EXPECT_EQ(clRetainDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(units(parts[0]), 2u);
  EXPECT_EQ(clReleaseDevice(parts[0]), CL_SUCCESS);
  EXPECT_EQ(clReleaseDevice(parts[0]), CL_INVALID_DEVICE);
  const int number = 5;
  int result = 0;
  Owned<cl_mem> buffer(clCreateBuffer(context, 0, 4, nullptr, &status));
  EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 4, &number, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &result, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(result, number);
}

TEST_F(SubDeviceTest, ParentsAndPartsInOneContext) {
  std::vector<cl_device_id> devices = partition(device_, {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, 0, 0});
  devices.push_back(device_);
  devices.push_back(partition(devices[1], {CL_DEVICE_PARTITION_EQUALLY, 1, 0})[0]);
  cl_int status = 1;
  Owned<cl_context> context(
      clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context, CL_CONTEXT_DEVICES)), devices);
  const char* text = kSquare;
  Owned<cl_program> program(clCreateProgramWithSource(context, 1, &text, nullptr, &status));
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel(clCreateKernel(program, "square", &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (int turn = 0; turn < 3; ++turn)
    for (cl_device_id device : devices)
      square(context, device, kernel);
}

TEST_F(SubDeviceTest, BinariesServeParentsAndParts) {
  Owned<cl_program> built = buildProgram(kSquare);
  std::size_t size = valueAnswer<std::size_t>(CLOTHO_INFO(clGetProgramInfo, built, CL_PROGRAM_BINARY_SIZES));
  std::vector<unsigned char> binary(size);
  unsigned char* target = binary.data();
  ASSERT_EQ(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof target, &target, nullptr), CL_SUCCESS);
  cl_device_id part = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 2, 0})[1];
  cl_int status = 1, ofBinary = 1;
  Owned<cl_context> context(clCreateContext(nullptr, 1, &part, nullptr, nullptr, &status));
  const unsigned char* source = binary.data();
  Owned<cl_program> program(clCreateProgramWithBinary(context, 1, &part, &size, &source, &ofBinary, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  ASSERT_EQ(clBuildProgram(program, 1, &part, "", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel(clCreateKernel(program, "square", &status));
  ASSERT_EQ(status, CL_SUCCESS);
  square(context, part, kernel);
}

TEST_F(SubDeviceTest, WhatIsBuiltForTheParentServesParts) {
  std::vector<cl_device_id> devices = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 2, 0});
  devices.push_back(partition(devices[0], {CL_DEVICE_PARTITION_EQUALLY, 1, 0})[1]);
  devices.push_back(device_);
  cl_int status = 1;
  Owned<cl_context> context(
      clCreateContext(nullptr, cl_uint(devices.size()), devices.data(), nullptr, nullptr, &status));
  const char* text = kSquare;
  Owned<cl_program> program(clCreateProgramWithSource(context, 1, &text, nullptr, &status));
  const auto options = [&](cl_device_id device) {
    return textAnswer(CLOTHO_INFO(clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_OPTIONS));
  };
  ASSERT_EQ(clBuildProgram(program, 1, &device_, "-DA", nullptr, nullptr), CL_SUCCESS);
  for (cl_device_id device : devices)
    EXPECT_EQ(options(device), "-DA");
  ASSERT_EQ(clBuildProgram(program, 1, &devices[0], "-DB", nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(options(devices[0]), "-DB");
  EXPECT_EQ(options(devices[1]), "-DA");
  EXPECT_EQ(options(devices[2]), "-DB") << "the parent's, before the parent's parent's";
  Owned<cl_kernel> kernel(clCreateKernel(program, "square", &status));
  ASSERT_EQ(status, CL_SUCCESS);
  for (cl_device_id device : devices)
    square(context, device, kernel);
}

TEST_F(SubDeviceTest, IsOfNoContextUnlessNamed) {
  cl_device_id part = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 2, 0})[0];
  cl_int status = 1;
  EXPECT_EQ(clCreateCommandQueueWithProperties(context_, part, nullptr, &status), nullptr);
  EXPECT_EQ(status, CL_INVALID_DEVICE);
  // With more platforms than this the first one's devices would do.
  const cl_context_properties ours[] = {CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform_), 0};
  Owned<cl_context> all(clCreateContextFromType(ours, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &status));
  EXPECT_EQ(listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, all, CL_CONTEXT_DEVICES)),
            std::vector<cl_device_id>{device_});
}

/// The processors that each thread of this process may use, by /proc.
std::vector<std::string> allowedCpus() {
  std::vector<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("Cpus_allowed_list:", 0) == 0) found.push_back(line.substr(line.find_last_of(" \t") + 1));
  }
  return found;
}

TEST_F(SubDeviceTest, RunsOnItsProcessorsOnly) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "one processor serves all units";
  int first = 0, last = 0; // of the first unit and of the second
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE && seen < 2; ++cpu)
    if (CPU_ISSET(cpu, &mine)) (seen++ ? last : first) = cpu;
  const std::string own = std::to_string(last);
  // Which processors these are is no matter of where the calling thread happens to be bound.
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::vector<std::string> before = allowedCpus();
  cl_device_id second = partition(device_, {CL_DEVICE_PARTITION_EQUALLY, 1, 0})[1];
  ASSERT_EQ(sched_setaffinity(0, sizeof mine, &mine), 0);
  cl_int status = 1;
  Owned<cl_context> context(clCreateContext(nullptr, 1, &second, nullptr, nullptr, &status));
  const char* text = kSquare;
  Owned<cl_program> program(clCreateProgramWithSource(context, 1, &text, nullptr, &status));
  ASSERT_EQ(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
  Owned<cl_kernel> kernel(clCreateKernel(program, "square", &status));
  square(context, second, kernel);
  const std::vector<std::string> threads = allowedCpus();
  const auto bound = std::count(threads.begin(), threads.end(), own);
  EXPECT_GE(bound, 1);
  EXPECT_LE(bound, std::count(before.begin(), before.end(), own) + 1);

  // The next share of the same unit takes the same threads.
  cl_device_id again = nullptr;
  for (int turn = 0; turn < 20; ++turn) {
    const Property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 0, 0};
    ASSERT_EQ(clCreateSubDevices(device_, counts, 1, &again, nullptr), CL_SUCCESS);
    Owned<cl_context> other(clCreateContext(nullptr, 1, &again, nullptr, nullptr, &status));
    Owned<cl_program> same(clCreateProgramWithSource(other, 1, &text, nullptr, &status));
    ASSERT_EQ(clBuildProgram(same, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    Owned<cl_kernel> its(clCreateKernel(same, "square", &status));
    square(other, again, its);
    EXPECT_EQ(clReleaseDevice(again), CL_SUCCESS);
  }
  // Not some for each turn; a few others may come and go meanwhile when the machine is busy.
  EXPECT_LE(allowedCpus().size(), threads.size() + 10);
}

TEST_F(SubDeviceTest, ByWhatUnitsShare) {
  const auto domains = valueAnswer<cl_device_affinity_domain>(
      CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_PARTITION_AFFINITY_DOMAIN));
  const Properties schemes = list(device_, CL_DEVICE_PARTITION_PROPERTIES);
  const bool isClaimed =
      std::find(schemes.begin(), schemes.end(), CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) != schemes.end();
  EXPECT_EQ(isClaimed, domains != 0);
  EXPECT_EQ((domains & CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) != 0, domains != 0);
  for (cl_device_affinity_domain domain = 1; domain <= CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE; domain *= 2) {
    const Properties properties = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, Property(domain), 0};
    if (!(domains & domain)) {
      EXPECT_EQ(outcome(device_, properties), isClaimed ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE) << domain;
      continue;
    }
    std::vector<cl_device_id> devices = partition(device_, properties);
    EXPECT_GT(devices.size(), 1u);
    cl_uint total = 0;
    for (cl_device_id device : devices) {
      total += units(device);
      const Properties type = list(device, CL_DEVICE_PARTITION_TYPE);
      ASSERT_EQ(type.size(), 3u);
      EXPECT_NE(type[1], CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE) << "the domain that was found";
      EXPECT_TRUE(domains & cl_device_affinity_domain(type[1]));
    }
    EXPECT_LE(total, kUnits);
  }
}

} // namespace

} // namespace clotho::test
