// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ICD loaders ask of a driver (cl_khr_icd), followed here step by step without one: how they find it, what they
// look up by name, what they read of its handles, and what layers do with its dispatch table.
#include "counting_layer.hpp"

#include <CL/cl_layer.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace clotho::test {

namespace {

/// A folder of .icd files that is gone at the end.
class IcdFolder {
 public:
  IcdFolder() : path_(std::filesystem::temp_directory_path() / ("clotho-icd-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~IcdFolder() { std::filesystem::remove_all(path_); }
  void add(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A driver's platform as a loader keeps it.
struct Found {
  void* library;
  cl_platform_id platform;
  const cl_icd_dispatch* table;
  std::string suffix;
};

const cl_icd_dispatch* tableOf(const void* handle) { return *static_cast<const cl_icd_dispatch* const*>(handle); }

/// The steps of a loader; drivers that fail one of them are left out, as loaders do.
class Loader {
 public:
  /// RTLD_NOW is the Khronos loader's way, RTLD_LAZY ocl-icd's.
  static int mode() {
    const char* mode = std::getenv("CLOTHO_TEST_DLOPEN");
    return (mode && std::string(mode) == "lazy" ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL;
  }
  void addFolder(const std::filesystem::path& folder) {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".icd") files.insert(entry.path());
    for (const std::filesystem::path& file : files) {
      std::ifstream in(file);
      std::string line;
      std::getline(in, line);
      if (!line.empty()) addLibrary(line);
    }
  }
  void addLibrary(const std::string& name) {
    void* library = dlopen(name.c_str(), mode());
    if (!library) return;
    for (const Found& found : found_)
      if (found.library == library) return;
    auto address =
        reinterpret_cast<decltype(&clGetExtensionFunctionAddress)>(dlsym(library, "clGetExtensionFunctionAddress"));
    auto platformInfo = reinterpret_cast<decltype(&clGetPlatformInfo)>(dlsym(library, "clGetPlatformInfo"));
    if (!address || !platformInfo) return;
    auto platformIds = reinterpret_cast<clIcdGetPlatformIDsKHR_fn>(address("clIcdGetPlatformIDsKHR"));
    cl_uint count = 0;
    if (!platformIds || platformIds(0, nullptr, &count) != CL_SUCCESS) return;
    std::vector<cl_platform_id> platforms(count);
    if (platformIds(count, platforms.data(), nullptr) != CL_SUCCESS) return;
    for (cl_platform_id platform : platforms) {
      const cl_icd_dispatch* table = platform ? tableOf(platform) : nullptr;
      if (!table) continue;
      // The Khronos loader asks through the table, ocl-icd the function that it has looked up.
      std::string extensions = text(table->clGetPlatformInfo, platform, CL_PLATFORM_EXTENSIONS);
      std::string suffix = text(table->clGetPlatformInfo, platform, CL_PLATFORM_ICD_SUFFIX_KHR);
      EXPECT_EQ(extensions, text(platformInfo, platform, CL_PLATFORM_EXTENSIONS));
      EXPECT_EQ(suffix, text(platformInfo, platform, CL_PLATFORM_ICD_SUFFIX_KHR));
      std::istringstream words(extensions);
      bool known = false;
      for (std::string word; words >> word;)
        known |= word == "cl_khr_icd";
      if (known && !suffix.empty()) found_.push_back({library, platform, table, suffix});
    }
  }
  const std::vector<Found>& found() const { return found_; }

 private:
  static std::string text(decltype(&clGetPlatformInfo) query, cl_platform_id platform, cl_platform_info name) {
    size_t size = 0;
    if (query(platform, name, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
    std::string text(size, 'x');
    if (query(platform, name, size, text.data(), nullptr) != CL_SUCCESS || text.back() != '\0') return {};
    text.pop_back();
    return text;
  }
  std::vector<Found> found_;
};

class LoaderTest : public testing::Test {
 protected:
  void SetUp() override {
    Loader loader;
    loader.addLibrary(CLOTHO_DRIVER);
    ASSERT_EQ(loader.found().size(), 1u) << (dlopen(CLOTHO_DRIVER, RTLD_NOW) ? "refused" : dlerror());
    driver_ = loader.found()[0];
  }
  Found driver_{};
};

/// One object of every kind, made through a table, and what a program does with them.
struct Objects {
  const cl_icd_dispatch& cl;
  cl_device_id device = nullptr;
  std::vector<cl_device_id> parts;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_mem buffer = nullptr, part = nullptr;
  cl_program program = nullptr, compiled = nullptr, linked = nullptr;
  cl_kernel kernel = nullptr, clone = nullptr;
  cl_event user = nullptr, launch = nullptr;

  Objects(const cl_icd_dispatch& table, cl_platform_id platform) : cl(table) {
    cl_int status = 1;
    EXPECT_EQ(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_uint count = 0;
    EXPECT_EQ(cl.clCreateSubDevices(device, halves, 0, nullptr, &count), CL_SUCCESS);
    parts.resize(count);
    EXPECT_EQ(cl.clCreateSubDevices(device, halves, count, parts.data(), nullptr), CL_SUCCESS);
    context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    queue = cl.clCreateCommandQueueWithProperties(context, device, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const cl_buffer_region region = {0, 64};
    part = cl.clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const char* source = "kernel void k(global int* out) { out[get_global_id(0)] = 3 * get_global_id(0); }";
    program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    EXPECT_EQ(cl.clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    compiled = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &status);
    EXPECT_EQ(cl.clCompileProgram(compiled, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    linked = cl.clLinkProgram(context, 0, nullptr, "", 1, &compiled, nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    kernel = cl.clCreateKernel(program, "k", &status);
    EXPECT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(cl.clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    clone = cl.clCloneKernel(kernel, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    user = cl.clCreateUserEvent(context, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    const size_t items = 16;
    EXPECT_EQ(cl.clEnqueueNDRangeKernel(queue, clone, 1, nullptr, &items, nullptr, 1, &user, &launch), CL_SUCCESS);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  std::vector<void*> handles() const {
    std::vector<void*> all = {device,   context, queue,  buffer, part, program,
                              compiled, linked,  kernel, clone,  user, launch};
    all.insert(all.end(), parts.begin(), parts.end());
    return all;
  }
  /// Lets the launch go, looks at what it has computed, and releases everything.
  void finish() const {
    EXPECT_EQ(cl.clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    EXPECT_EQ(cl.clWaitForEvents(1, &launch), CL_SUCCESS);
    cl_int seen[16] = {};
    EXPECT_EQ(cl.clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof seen, seen, 0, nullptr, nullptr), CL_SUCCESS);
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(seen[i], 3 * i);
    for (cl_event event : {user, launch})
      EXPECT_EQ(cl.clReleaseEvent(event), CL_SUCCESS);
    for (cl_kernel each : {kernel, clone})
      EXPECT_EQ(cl.clReleaseKernel(each), CL_SUCCESS);
    for (cl_program each : {program, compiled, linked})
      EXPECT_EQ(cl.clReleaseProgram(each), CL_SUCCESS);
    for (cl_mem each : {part, buffer})
      EXPECT_EQ(cl.clReleaseMemObject(each), CL_SUCCESS);
    EXPECT_EQ(cl.clReleaseCommandQueue(queue), CL_SUCCESS);
    EXPECT_EQ(cl.clReleaseContext(context), CL_SUCCESS);
    for (cl_device_id each : parts)
      EXPECT_EQ(cl.clReleaseDevice(each), CL_SUCCESS);
  }
};

class Layer {
 public:
  Layer() : library_(dlopen(CLOTHO_COUNTING_LAYER, RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << CLOTHO_COUNTING_LAYER;
  }
  template <class Function> Function* function(const char* name) const {
    void* address = dlsym(library_, name);
    EXPECT_NE(address, nullptr) << name;
    return reinterpret_cast<Function*>(address);
  }
  /// The layer's table above `below`, as a loader makes it.
  const cl_icd_dispatch* above(const cl_icd_dispatch& below) const {
    cl_layer_api_version version = 0;
    EXPECT_EQ(
        function<decltype(clGetLayerInfo)>("clGetLayerInfo")(CL_LAYER_API_VERSION, sizeof version, &version, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(version, cl_layer_api_version{CL_LAYER_API_VERSION_100});
    const cl_icd_dispatch* table = nullptr;
    cl_uint entries = 0;
    EXPECT_EQ(function<decltype(clInitLayer)>("clInitLayer")(sizeof below / sizeof(void*), &below, &entries, &table),
              CL_SUCCESS);
    EXPECT_EQ(entries, sizeof below / sizeof(void*));
    return table;
  }
  unsigned long calls(const char* name) const { return function<CountingLayerCalls>(kCountingLayerCalls)(name); }

 private:
  void* library_;
};

TEST_F(LoaderTest, IsFoundInAFolderAmongOthers) {
  IcdFolder folder;
  folder.add("10-gone.icd", "/nowhere/libnothing.so\n");
  folder.add("20-no-driver.icd", "libm.so.6\n");
  folder.add("30-empty.icd", "");
  folder.add("40-clotho.icd", CLOTHO_DRIVER "\n");
  folder.add("50-again.icd", CLOTHO_DRIVER); // and without an end of line
  folder.add("60-no-library.icd", folder.path() / "40-clotho.icd");
  folder.add("other.txt", CLOTHO_DRIVER "\n");
  Loader loader;
  loader.addFolder(folder.path());
  ASSERT_EQ(loader.found().size(), 1u);
  EXPECT_EQ(loader.found()[0].platform, driver_.platform);
  EXPECT_EQ(loader.found()[0].suffix, "CLOTHO");
}

TEST_F(LoaderTest, NamesThatLoadersLookUpAndNoOthers) {
  for (const char* name : {"clGetExtensionFunctionAddress", "clGetPlatformInfo", "clIcdGetPlatformIDsKHR",
                           "clGetExtensionFunctionAddressForPlatform"})
    EXPECT_NE(dlsym(driver_.library, name), nullptr) << name;
  // What has a loader's name would be found in the wrong library.
  for (const char* name : {"clGetPlatformIDs", "clCreateContext", "clEnqueueNDRangeKernel", "clSetKernelArg"}) {
    Dl_info where{};
    if (void* address = dlsym(driver_.library, name); address && dladdr(address, &where))
      EXPECT_EQ(std::string(where.dli_fname).find("libclotho.so"), std::string::npos) << name;
  }
  auto address = reinterpret_cast<decltype(&clGetExtensionFunctionAddress)>(
      dlsym(driver_.library, "clGetExtensionFunctionAddress"));
  EXPECT_EQ(address("clIcdGetPlatformIDsKHR"), dlsym(driver_.library, "clIcdGetPlatformIDsKHR"));
  // A driver with these has its table filled by the loader (cl_khr_icd 2), which this one does not want.
  EXPECT_EQ(address("clIcdGetFunctionAddressForPlatformKHR"), nullptr);
  EXPECT_EQ(address("clIcdSetPlatformDispatchDataKHR"), nullptr);
  EXPECT_EQ(address(nullptr), nullptr);
}

TEST_F(LoaderTest, EverySlotOfTheTableIsAFunctionOfTheDriver) {
  const auto* slots = reinterpret_cast<void* const*>(driver_.table);
  for (std::size_t i = 0; i < sizeof *driver_.table / sizeof(void*); ++i) {
    ASSERT_NE(slots[i], nullptr) << i;
    Dl_info where{};
    ASSERT_NE(dladdr(slots[i], &where), 0) << i;
    EXPECT_TRUE(std::filesystem::equivalent(where.dli_fname, CLOTHO_DRIVER)) << i << ' ' << where.dli_fname;
  }
}

TEST_F(LoaderTest, EveryHandleBeginsWithTheTable) {
  Objects objects(*driver_.table, driver_.platform);
  EXPECT_EQ(objects.parts.size(), 2u) << "CLOTHO_COMPUTE_UNITS is not set for this test";
  for (std::size_t i = 0; i < objects.handles().size(); ++i) {
    ASSERT_NE(objects.handles()[i], nullptr) << i;
    EXPECT_EQ(tableOf(objects.handles()[i]), driver_.table) << i;
  }
  objects.finish();
}

TEST_F(LoaderTest, LayersStandBetween) {
  Layer layer;
  const cl_icd_dispatch* table = layer.above(*driver_.table);
  ASSERT_NE(table, nullptr);
  struct {
    const char* function;
    unsigned long expected;
  } const cases[] = {{"clCreateContext", 1},        {"clCreateSubDevices", 2}, {"clReleaseDevice", 2},
                     {"clEnqueueNDRangeKernel", 1}, {"clReleaseProgram", 3},   {"clSetUserEventStatus", 1},
                     {"clCloneKernel", 1},          {"clEnqueueSVMMemcpy", 0}};
  std::vector<unsigned long> before;
  for (const auto& each : cases)
    before.push_back(layer.calls(each.function));
  Objects objects(*table, driver_.platform);
  objects.finish();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(layer.calls(cases[i].function) - before[i], cases[i].expected) << cases[i].function;
}

// Tools that trace put a table of their own into the handles; the driver does not mind what is there.
TEST_F(LoaderTest, HandlesMayBeGivenAnotherTable) {
  Layer layer;
  const cl_icd_dispatch* table = layer.above(*driver_.table);
  ASSERT_NE(table, nullptr);
  unsigned long before = layer.calls("clGetCommandQueueInfo");
  Objects objects(*driver_.table, driver_.platform);
  for (void* handle : objects.handles())
    if (handle != objects.device) *static_cast<const cl_icd_dispatch**>(handle) = table;
  cl_context context = nullptr;
  EXPECT_EQ(tableOf(objects.queue)
                ->clGetCommandQueueInfo(objects.queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(context, objects.context);
  EXPECT_EQ(layer.calls("clGetCommandQueueInfo"), before + 1);
  objects.finish();
  // Objects that come after, perhaps in the same places, have the driver's again.
  Objects others(*driver_.table, driver_.platform);
  for (void* handle : others.handles())
    EXPECT_EQ(tableOf(handle), driver_.table);
  others.finish();
}

} // namespace

} // namespace clotho::test
