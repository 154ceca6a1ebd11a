// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// docs/claims.tsv against the running driver: what the table says the driver has to say, and nothing else.
#include "base/command_buffer_header.hpp"
#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace clotho::test {

namespace {

enum class Type { Text, Bool, Uint, Ulong, Size, Pointer, Version, Other };

struct Query {
  const char* name;
  cl_uint number;
  Type type;
};

// clang-format off
#define QUERY(name, type) {#name, name, Type::type}
constexpr Query kQueries[] = {
    QUERY(CL_DEVICE_TYPE, Ulong), QUERY(CL_DEVICE_VENDOR_ID, Uint), QUERY(CL_DEVICE_MAX_COMPUTE_UNITS, Uint),
    QUERY(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, Uint), QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZE, Size),
    QUERY(CL_DEVICE_MAX_WORK_ITEM_SIZES, Other), QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, Uint),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, Uint), QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, Uint),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, Uint), QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, Uint),
    QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, Uint), QUERY(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, Uint),
    QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, Uint), QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, Uint),
    QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, Uint), QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, Uint),
    QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, Uint), QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, Uint),
    QUERY(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, Uint), QUERY(CL_DEVICE_MAX_CLOCK_FREQUENCY, Uint),
    QUERY(CL_DEVICE_ADDRESS_BITS, Uint), QUERY(CL_DEVICE_MAX_READ_IMAGE_ARGS, Uint),
    QUERY(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, Uint), QUERY(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, Uint),
    QUERY(CL_DEVICE_MAX_MEM_ALLOC_SIZE, Ulong), QUERY(CL_DEVICE_IMAGE2D_MAX_WIDTH, Size),
    QUERY(CL_DEVICE_IMAGE2D_MAX_HEIGHT, Size), QUERY(CL_DEVICE_IMAGE3D_MAX_WIDTH, Size),
    QUERY(CL_DEVICE_IMAGE3D_MAX_HEIGHT, Size), QUERY(CL_DEVICE_IMAGE3D_MAX_DEPTH, Size),
    QUERY(CL_DEVICE_IMAGE_SUPPORT, Bool), QUERY(CL_DEVICE_MAX_PARAMETER_SIZE, Size),
    QUERY(CL_DEVICE_MAX_SAMPLERS, Uint), QUERY(CL_DEVICE_MEM_BASE_ADDR_ALIGN, Uint),
    QUERY(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, Uint), QUERY(CL_DEVICE_SINGLE_FP_CONFIG, Ulong),
    QUERY(CL_DEVICE_DOUBLE_FP_CONFIG, Ulong), QUERY(CL_DEVICE_HALF_FP_CONFIG, Ulong),
    QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, Uint), QUERY(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, Uint),
    QUERY(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, Ulong), QUERY(CL_DEVICE_GLOBAL_MEM_SIZE, Ulong),
    QUERY(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, Ulong), QUERY(CL_DEVICE_MAX_CONSTANT_ARGS, Uint),
    QUERY(CL_DEVICE_LOCAL_MEM_TYPE, Uint), QUERY(CL_DEVICE_LOCAL_MEM_SIZE, Ulong),
    QUERY(CL_DEVICE_ERROR_CORRECTION_SUPPORT, Bool), QUERY(CL_DEVICE_PROFILING_TIMER_RESOLUTION, Size),
    QUERY(CL_DEVICE_ENDIAN_LITTLE, Bool), QUERY(CL_DEVICE_AVAILABLE, Bool), QUERY(CL_DEVICE_COMPILER_AVAILABLE, Bool),
    QUERY(CL_DEVICE_LINKER_AVAILABLE, Bool), QUERY(CL_DEVICE_EXECUTION_CAPABILITIES, Ulong),
    QUERY(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, Ulong), QUERY(CL_DEVICE_NAME, Text), QUERY(CL_DEVICE_VENDOR, Text),
    QUERY(CL_DRIVER_VERSION, Text), QUERY(CL_DEVICE_PROFILE, Text), QUERY(CL_DEVICE_VERSION, Text),
    QUERY(CL_DEVICE_EXTENSIONS, Text), QUERY(CL_DEVICE_PLATFORM, Pointer), QUERY(CL_DEVICE_HOST_UNIFIED_MEMORY, Bool),
    QUERY(CL_DEVICE_OPENCL_C_VERSION, Text), QUERY(CL_DEVICE_BUILT_IN_KERNELS, Text),
    QUERY(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, Size), QUERY(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, Size),
    QUERY(CL_DEVICE_PARENT_DEVICE, Pointer), QUERY(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, Uint),
    QUERY(CL_DEVICE_PARTITION_PROPERTIES, Other), QUERY(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, Ulong),
    QUERY(CL_DEVICE_PARTITION_TYPE, Ulong), QUERY(CL_DEVICE_REFERENCE_COUNT, Uint),
    QUERY(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, Bool), QUERY(CL_DEVICE_PRINTF_BUFFER_SIZE, Size),
    QUERY(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, Uint), QUERY(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, Uint),
    QUERY(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, Size), QUERY(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, Ulong),
    QUERY(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, Uint), QUERY(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, Uint),
    QUERY(CL_DEVICE_MAX_ON_DEVICE_QUEUES, Uint), QUERY(CL_DEVICE_MAX_ON_DEVICE_EVENTS, Uint),
    QUERY(CL_DEVICE_SVM_CAPABILITIES, Ulong), QUERY(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, Size),
    QUERY(CL_DEVICE_MAX_PIPE_ARGS, Uint), QUERY(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, Uint),
    QUERY(CL_DEVICE_PIPE_MAX_PACKET_SIZE, Uint), QUERY(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, Uint),
    QUERY(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, Uint), QUERY(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, Uint),
    QUERY(CL_DEVICE_IL_VERSION, Text), QUERY(CL_DEVICE_MAX_NUM_SUB_GROUPS, Uint),
    QUERY(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, Bool), QUERY(CL_DEVICE_NUMERIC_VERSION, Version),
    QUERY(CL_DEVICE_EXTENSIONS_WITH_VERSION, Other), QUERY(CL_DEVICE_ILS_WITH_VERSION, Other),
    QUERY(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, Other), QUERY(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, Ulong),
    QUERY(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, Ulong), QUERY(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, Bool),
    QUERY(CL_DEVICE_OPENCL_C_ALL_VERSIONS, Other), QUERY(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, Size),
    QUERY(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, Bool),
    QUERY(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, Bool), QUERY(CL_DEVICE_OPENCL_C_FEATURES, Other),
    QUERY(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, Ulong), QUERY(CL_DEVICE_PIPE_SUPPORT, Bool),
    QUERY(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, Text), QUERY(CL_DEVICE_UUID_KHR, Other),
    QUERY(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, Other), QUERY(CL_DEVICE_SPIRV_EXTENSIONS_KHR, Other),
    QUERY(CL_DEVICE_SPIRV_CAPABILITIES_KHR, Other),
    QUERY(CL_DRIVER_UUID_KHR, Other), QUERY(CL_DEVICE_LUID_VALID_KHR, Bool), QUERY(CL_DEVICE_LUID_KHR, Other),
    QUERY(CL_DEVICE_NODE_MASK_KHR, Uint), QUERY(CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR, Version),
    QUERY(CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, Ulong),
    QUERY(CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT, Ulong),
    QUERY(CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, Ulong),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR, Ulong),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, Other),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR, Other),
    QUERY(CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT, Version), QUERY(CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR, Uint), QUERY(CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR, Ulong), QUERY(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, Ulong),
    QUERY(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, Ulong),
    QUERY(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, Ulong),
    QUERY(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, Ulong),
    QUERY(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, Ulong), QUERY(CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, Other),
    QUERY(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, Ulong),
    QUERY(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, Ulong),
    QUERY(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, Ulong),
    QUERY(CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, Uint), QUERY(CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, Other),
    QUERY(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, Ulong),
    // OpenCL 3.1 gave the core these names; the numbers are the older ones.
    QUERY(CL_DEVICE_MAX_WORK_GROUP_SIZES, Other), QUERY(CL_DEVICE_UUID, Other), QUERY(CL_DRIVER_UUID, Other),
    QUERY(CL_DEVICE_LUID_VALID, Bool), QUERY(CL_DEVICE_LUID, Other), QUERY(CL_DEVICE_NODE_MASK, Uint),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES, Ulong),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT, Other),
    QUERY(CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED, Other),
    QUERY(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS, Other), QUERY(CL_DEVICE_SPIRV_EXTENSIONS, Other),
    QUERY(CL_DEVICE_SPIRV_CAPABILITIES, Other), QUERY(CL_DEVICE_PCI_BUS_INFO_KHR, Other),
    QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, Uint), QUERY(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, Uint),
    QUERY(CL_DEVICE_REGISTERS_PER_BLOCK_NV, Uint), QUERY(CL_DEVICE_WARP_SIZE_NV, Uint),
    QUERY(CL_DEVICE_GPU_OVERLAP_NV, Bool), QUERY(CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV, Bool),
    QUERY(CL_DEVICE_INTEGRATED_MEMORY_NV, Bool), QUERY(CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV, Uint),
    QUERY(CL_DEVICE_PCI_BUS_ID_NV, Uint), QUERY(CL_DEVICE_PCI_SLOT_ID_NV, Uint), QUERY(CL_DEVICE_PCI_DOMAIN_ID_NV, Uint)};

#define BIT(name) {#name, name}
const std::map<std::string, std::uint64_t>& bits() {
  static const std::map<std::string, std::uint64_t> kBits = {
      BIT(CL_DEVICE_TYPE_CPU), BIT(CL_DEVICE_TYPE_GPU), BIT(CL_GLOBAL), BIT(CL_LOCAL), BIT(CL_EXEC_KERNEL), BIT(CL_EXEC_NATIVE_KERNEL),
      BIT(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), BIT(CL_QUEUE_PROFILING_ENABLE), BIT(CL_FP_FMA), BIT(CL_FP_DENORM),
      BIT(CL_FP_ROUND_TO_NEAREST), BIT(CL_FP_ROUND_TO_ZERO), BIT(CL_FP_ROUND_TO_INF), BIT(CL_FP_INF_NAN),
      BIT(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT), BIT(CL_DEVICE_ATOMIC_ORDER_RELAXED),
      BIT(CL_DEVICE_ATOMIC_ORDER_ACQ_REL), BIT(CL_DEVICE_ATOMIC_ORDER_SEQ_CST), BIT(CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM),
      BIT(CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP), BIT(CL_DEVICE_ATOMIC_SCOPE_DEVICE),
      BIT(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES), BIT(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
      BIT(CL_DEVICE_SVM_FINE_GRAIN_BUFFER), BIT(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM), BIT(CL_DEVICE_SVM_ATOMICS),
      BIT(CL_DEVICE_QUEUE_SUPPORTED), BIT(CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT),
      BIT(CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT), BIT(CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT),
      BIT(CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT), BIT(CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT),
      BIT(CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT), BIT(CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT),
      BIT(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR), BIT(CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR),
      BIT(CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR), BIT(CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR),
      BIT(CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR), BIT(CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL),
      BIT(CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL), BIT(CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL),
      BIT(CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL), BIT(CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR),
      BIT(CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR),
      BIT(CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR), BIT(CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR),
      BIT(CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR), BIT(CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR),
      BIT(CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR), BIT(CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
      BIT(CL_MUTABLE_DISPATCH_EXEC_INFO_KHR)};
  return kBits;
}
// clang-format on

std::string versionText(cl_version version) {
  return std::to_string(CL_VERSION_MAJOR(version)) + '.' + std::to_string(CL_VERSION_MINOR(version)) + '.' +
         std::to_string(CL_VERSION_PATCH(version));
}

/// A number, or names of bits with + between them.
std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  value = 0;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, '+');) {
    auto bit = bits().find(word);
    EXPECT_NE(bit, bits().end()) << "the test does not know " << word;
    if (bit != bits().end()) value |= bit->second;
  }
  return value;
}

/// The table's columns of what devices say today, one for each kind of device.
enum Column { Cpu, Nvidia, Bare, Cluster, kColumns };

struct Row {
  std::string kind, name, today[kColumns], due, then;
};

std::vector<Row> readTable() {
  std::vector<Row> rows;
  std::ifstream file(CLOTHO_CLAIMS_TABLE);
  EXPECT_TRUE(file.good()) << CLOTHO_CLAIMS_TABLE;
  bool header = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (std::exchange(header, false)) continue;
    std::vector<std::string> fields(1);
    for (char c : line)
      if (c == '\t')
        fields.emplace_back();
      else
        fields.back() += c;
    EXPECT_EQ(fields.size(), 8u) << line;
    if (fields.size() == 8)
      rows.push_back({fields[0], fields[1], {fields[2], fields[3], fields[4], fields[5]}, fields[6], fields[7]});
  }
  return rows;
}

/// Rows of these kinds hold instead of those without it, or beside them, with CLOTHO_OPENCL_VERSION=3.1.
constexpr char kOf31[] = "-3.1";

bool is31() {
  const char* version = std::getenv("CLOTHO_OPENCL_VERSION");
  return version && version == std::string("3.1");
}

void expectValue(const std::string& expected, std::uint64_t value, const std::string& name) {
  if (expected.rfind(">=", 0) == 0)
    EXPECT_GE(value, number(expected.substr(2))) << name;
  else if (expected != "any")
    EXPECT_EQ(value, number(expected)) << name;
}

class ClaimsTest : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    rows_ = readTable();
    ASSERT_GT(rows_.size(), 150u);
  }
  /// What the table claims today in rows of one kind: name and value.
  std::map<std::string, std::string> claimed(const std::string& kind, Column column) {
    std::map<std::string, std::string> result, of31;
    for (const Row& row : rows_)
      if (row.today[column] != "-" && (row.kind == kind || row.kind == kind + kOf31))
        (row.kind == kind ? result : of31)[row.name] = row.today[column];
    if (!is31()) return result;
    of31.merge(result);
    return of31;
  }
  static std::map<std::string, std::string> versions(cl_device_id device, cl_device_info name,
                                                     bool keyIsVersion = false) {
    std::map<std::string, std::string> result;
    for (const cl_name_version& entry : listAnswer<cl_name_version>(CLOTHO_INFO(clGetDeviceInfo, device, name)))
      result[keyIsVersion ? versionText(entry.version) : entry.name] = versionText(entry.version);
    return result;
  }
  static std::vector<cl_device_id> devices() {
    cl_uint count = 0;
    EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> all(count);
    EXPECT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, all.data(), nullptr), CL_SUCCESS);
    return all;
  }
  static std::string nameOf(cl_device_id device) {
    return textAnswer(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_NAME));
  }
  static Column columnOf(cl_device_id device) {
    constexpr cl_uint kVendor = 0x10de;
    const bool isGpu =
        valueAnswer<cl_device_type>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_TYPE)) == CL_DEVICE_TYPE_GPU;
    if (isGpu && valueAnswer<cl_uint>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_VENDOR_ID)) == kVendor)
      return Nvidia;
    if (isOfNode(device)) return Cluster;
    return nameOf(device).ends_with(" (bare)") ? Bare : Cpu;
  }
  /// Calls `compare(device, column)` for each device.
  template <class Compare> static void forEachDevice(Compare&& compare) {
    for (cl_device_id device : devices()) {
      SCOPED_TRACE(nameOf(device));
      compare(device, columnOf(device));
    }
  }
  void checkAgreement(Column column);
  std::vector<Row> rows_;
};

TEST_F(ClaimsTest, TableIsWellFormed) {
  std::set<std::pair<std::string, std::string>> seen;
  const std::set<std::string> kinds = {"platform", "platform-3.1", "opencl-c", "opencl-c-3.1",
                                       "feature",  "extension",    "query",    "query-3.1"};
  for (const Row& row : rows_) {
    EXPECT_TRUE(kinds.contains(row.kind)) << row.kind;
    EXPECT_TRUE(seen.emplace(row.kind, row.name).second) << row.name << " stands there twice";
    EXPECT_FALSE(row.due.empty()) << row.name;
    if (row.due == "now" || row.due.rfind("never", 0) == 0)
      EXPECT_EQ(row.today[Cpu], row.then) << row.name << ": what is due now is claimed now";
    else
      EXPECT_NE(row.today[Cpu], row.then) << row.name << ": due later, yet there already";
  }
}

TEST_F(ClaimsTest, Extensions) {
  forEachDevice([&](cl_device_id device, Column column) {
    EXPECT_EQ(claimed("extension", column), versions(device, CL_DEVICE_EXTENSIONS_WITH_VERSION));
  });
}

TEST_F(ClaimsTest, Features) {
  forEachDevice([&](cl_device_id device, Column column) {
    EXPECT_EQ(claimed("feature", column), versions(device, CL_DEVICE_OPENCL_C_FEATURES));
  });
}

TEST_F(ClaimsTest, LanguageVersions) {
  forEachDevice([&](cl_device_id device, Column column) {
    EXPECT_EQ(claimed("opencl-c", column), versions(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, true));
  });
}

/// The words of `text` that `other` has, too.
std::string commonWords(const std::string& text, const std::string& other) {
  std::istringstream words(text);
  std::string common;
  for (std::string word; words >> word;)
    if ((' ' + other + ' ').find(' ' + word + ' ') != std::string::npos) common += (common.empty() ? "" : " ") + word;
  return common;
}

TEST_F(ClaimsTest, Platform) {
  const std::map<std::string, cl_platform_info> names = {{"CL_PLATFORM_NAME", CL_PLATFORM_NAME},
                                                         {"CL_PLATFORM_VENDOR", CL_PLATFORM_VENDOR},
                                                         {"CL_PLATFORM_VERSION", CL_PLATFORM_VERSION},
                                                         {"CL_PLATFORM_PROFILE", CL_PLATFORM_PROFILE},
                                                         {"CL_PLATFORM_EXTENSIONS", CL_PLATFORM_EXTENSIONS},
                                                         {"CL_PLATFORM_ICD_SUFFIX_KHR", CL_PLATFORM_ICD_SUFFIX_KHR}};
  std::map<std::string, std::string> table = claimed("platform", columnOf(device_));
  // The platform has the extensions that all of its devices have.
  for (cl_device_id device : devices())
    table["CL_PLATFORM_EXTENSIONS"] =
        commonWords(table["CL_PLATFORM_EXTENSIONS"], claimed("platform", columnOf(device))["CL_PLATFORM_EXTENSIONS"]);
  for (const auto& [name, value] : table) {
    if (auto found = names.find(name); found != names.end())
      EXPECT_EQ(textAnswer(CLOTHO_INFO(clGetPlatformInfo, platform_, found->second)), value) << name;
    else if (name == "CL_PLATFORM_NUMERIC_VERSION")
      EXPECT_EQ(
          versionText(valueAnswer<cl_version>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_NUMERIC_VERSION))),
          value);
    else if (name == "CL_PLATFORM_HOST_TIMER_RESOLUTION")
      expectValue(value,
                  valueAnswer<cl_ulong>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_HOST_TIMER_RESOLUTION)),
                  name);
    else
      ADD_FAILURE() << "the test does not know " << name;
  }
}

/// What a device with a memory of its own says otherwise.
std::string ofFarDevice(cl_device_info name, const std::string& near) {
  switch (name) {
  case CL_DEVICE_HOST_UNIFIED_MEMORY:
  case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL: return "0";
  case CL_DEVICE_SVM_CAPABILITIES: return "CL_DEVICE_SVM_COARSE_GRAIN_BUFFER";
  case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
  case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    return "CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL+CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL";
  default: return near;
  }
}

/// Compares the answer to one query with what the table expects.
void compareAnswer(cl_device_id device, const Query& query, const std::string& expected) {
  auto call = CLOTHO_INFO(clGetDeviceInfo, device, query.number);
  switch (query.type) {
  case Type::Text:
    if (std::string text = textAnswer(call); expected != "any") EXPECT_EQ(text, expected) << query.name;
    break;
  case Type::Version: EXPECT_EQ(versionText(valueAnswer<cl_version>(call)), expected) << query.name; break;
  case Type::Bool:
  case Type::Uint: expectValue(expected, valueAnswer<cl_uint>(call), query.name); break;
  case Type::Ulong: expectValue(expected, valueAnswer<cl_ulong>(call), query.name); break;
  case Type::Size: expectValue(expected, valueAnswer<size_t>(call), query.name); break;
  case Type::Pointer:
    expectValue(expected, reinterpret_cast<std::uintptr_t>(valueAnswer<void*>(call)), query.name);
    break;
  case Type::Other:
    EXPECT_EQ(expected, "any") << query.name;
    answer(call);
    break;
  }
}

TEST_F(ClaimsTest, Queries) {
  std::set<std::string> inTable, inTest;
  for (const Row& row : rows_)
    if (row.kind.rfind("query", 0) == 0) inTable.insert(row.name);
  for (const Query& query : kQueries)
    inTest.insert(query.name);
  EXPECT_EQ(inTable, inTest);
  forEachDevice([&](cl_device_id device, Column column) {
    const std::map<std::string, std::string> table = claimed("query", column);
    for (const Query& query : kQueries) {
      const auto row = table.find(query.name);
      if (row == table.end())
        EXPECT_EQ(clGetDeviceInfo(device, query.number, 0, nullptr, nullptr), CL_INVALID_VALUE) << query.name;
      else
        compareAnswer(device, query,
                      column == Cpu && isFar(device) ? ofFarDevice(query.number, row->second) : row->second);
    }
  });
}

TEST_F(ClaimsTest, NoQueryIsAnsweredThatTheTableLacks) {
  forEachDevice([&](cl_device_id device, Column column) {
    const std::map<std::string, std::string> table = claimed("query", column);
    std::set<cl_uint> known;
    for (const Query& query : kQueries)
      if (table.contains(query.name)) known.insert(query.number);
    for (cl_uint number = 0x1000; number < 0x1200; ++number) {
      size_t size = 0;
      cl_int status = clGetDeviceInfo(device, number, 0, nullptr, &size);
      EXPECT_EQ(status, known.contains(number) ? CL_SUCCESS : CL_INVALID_VALUE) << std::hex << number;
    }
  });
}

// Claims that follow from each other (OpenCL 3.0, table 5 and section 6.2.1 of OpenCL C).
TEST_F(ClaimsTest, ClaimsAgreeWithEachOther) {
  for (const Column column : {Cpu, Nvidia, Bare}) {
    SCOPED_TRACE(column);
    checkAgreement(column);
  }
}

void ClaimsTest::checkAgreement(Column column) {
  std::map<std::string, std::string> features = claimed("feature", column), extensions = claimed("extension", column),
                                     queries = claimed("query", column);
  auto has = [&](const char* feature) { return features.contains(feature); };
  auto is = [&](const char* query) { return number(queries[query]) != 0; };
  auto bit = [&](const char* query, std::uint64_t mask) { return (number(queries[query]) & mask) != 0; };
  EXPECT_EQ(has("__opencl_c_images"), is("CL_DEVICE_IMAGE_SUPPORT"));
  EXPECT_EQ(has("__opencl_c_fp64"), is("CL_DEVICE_DOUBLE_FP_CONFIG"));
  EXPECT_EQ(has("__opencl_c_fp64"), extensions.contains("cl_khr_fp64"));
  EXPECT_EQ(is("CL_DEVICE_HALF_FP_CONFIG"), extensions.contains("cl_khr_fp16"));
  EXPECT_EQ(has("__opencl_c_generic_address_space"), is("CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"));
  EXPECT_EQ(has("__opencl_c_program_scope_global_variables"), is("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE"));
  EXPECT_EQ(has("__opencl_c_pipes"), is("CL_DEVICE_PIPE_SUPPORT"));
  EXPECT_EQ(has("__opencl_c_device_enqueue"), is("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"));
  EXPECT_EQ(has("__opencl_c_subgroups"), is("CL_DEVICE_MAX_NUM_SUB_GROUPS"));
  EXPECT_EQ(has("__opencl_c_work_group_collective_functions"), is("CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT"));
  EXPECT_EQ(has("__opencl_c_atomic_order_seq_cst"),
            bit("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", CL_DEVICE_ATOMIC_ORDER_SEQ_CST));
  EXPECT_EQ(has("__opencl_c_atomic_scope_device"),
            bit("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", CL_DEVICE_ATOMIC_SCOPE_DEVICE));
  EXPECT_EQ(has("__opencl_c_atomic_scope_all_devices"),
            bit("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES", CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES));
  for (const char* name :
       {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics", "cl_khr_global_int32_extended_atomics",
        "cl_khr_local_int32_base_atomics", "cl_khr_local_int32_extended_atomics"})
    EXPECT_TRUE(extensions.contains(name)) << name << " is core";
  EXPECT_EQ(queries.contains("CL_DEVICE_PCI_BUS_INFO_KHR"), extensions.contains("cl_khr_pci_bus_info"));
  EXPECT_EQ(queries.contains("CL_DEVICE_WARP_SIZE_NV"), extensions.contains("cl_nv_device_attribute_query"));
  if (column != Cpu) return;
  // What is core since OpenCL 3.1, which cannot be asked for before it is there.
  for (const char* name :
       {"cl_khr_device_uuid", "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product", "cl_khr_spirv_queries",
        "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate", "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative", "cl_khr_suggested_local_work_size"})
    EXPECT_TRUE(extensions.contains(name)) << name << " is core since 3.1";
  EXPECT_TRUE(bit("CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES", CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED));
}

} // namespace

} // namespace clotho::test
