// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_unified_svm, as far as its draft is published.
#include "base/later_headers.hpp"
#include "svm.hpp"

#include <limits>

namespace clotho::test {

namespace {

using Capabilities = cl_svm_capabilities_khr;
constexpr cl_uint kNone = std::numeric_limits<cl_uint>::max();

class UnifiedSvmTest : public SharedApi {
 protected:
  template <class T> static T function(const char* name) {
    return reinterpret_cast<T>(clGetExtensionFunctionAddressForPlatform(platform_, name));
  }
  void SetUp() override {
    SharedApi::SetUp();
    platformTypes_ =
        listAnswer<Capabilities>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR));
    types_ = listAnswer<Capabilities>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR));
    ASSERT_EQ(types_.size(), platformTypes_.size());
  }
  /// The properties that the type needs.
  std::vector<cl_svm_alloc_properties_khr> needed(cl_uint type) const {
    if (types_[type] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR) return {0};
    return {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, reinterpret_cast<cl_svm_alloc_properties_khr>(device_), 0};
  }
  bool canAllocate(cl_uint type) const {
    if (types_[type] == 0 || (types_[type] & CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR)) return false;
    return has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER) || type != 1;
  }
  template <class T> T info(const void* pointer, cl_svm_pointer_info_khr name, cl_device_id device = nullptr) {
    return valueAnswer<T>(CLOTHO_INFO(pointerInfo, context_, device, pointer, name));
  }

  decltype(&clSVMAllocWithPropertiesKHR) alloc =
      function<decltype(&clSVMAllocWithPropertiesKHR)>("clSVMAllocWithPropertiesKHR");
  decltype(&clSVMFreeWithPropertiesKHR) release =
      function<decltype(&clSVMFreeWithPropertiesKHR)>("clSVMFreeWithPropertiesKHR");
  decltype(&clGetSVMPointerInfoKHR) pointerInfo = function<decltype(&clGetSVMPointerInfoKHR)>("clGetSVMPointerInfoKHR");
  decltype(&clGetSVMSuggestedTypeIndexKHR) suggest =
      function<decltype(&clGetSVMSuggestedTypeIndexKHR)>("clGetSVMSuggestedTypeIndexKHR");
  std::vector<Capabilities> platformTypes_, types_;
};

TEST_F(UnifiedSvmTest, TypesOfDevicesHaveWhatThePlatformHas) {
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_SUCCESS);
  std::vector<cl_device_id> devices(count);
  ASSERT_EQ(clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), CL_SUCCESS);
  for (cl_device_id device : devices) {
    const auto own =
        listAnswer<Capabilities>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR));
    ASSERT_EQ(own.size(), platformTypes_.size());
    for (size_t i = 0; i < own.size(); ++i)
      EXPECT_TRUE(own[i] == 0 || (own[i] & platformTypes_[i]) == platformTypes_[i]);
  }
  const auto svm =
      valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_SVM_CAPABILITIES));
  EXPECT_EQ(types_[1] != 0, (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0);
  EXPECT_EQ(types_.back() != 0, (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0);
  EXPECT_EQ((types_[1] & CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR) != 0, (svm & CL_DEVICE_SVM_ATOMICS) != 0);
}

TEST_F(UnifiedSvmTest, AllocateUseAndAsk) {
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global uint* p) { p[get_global_id(0)] += 3; }", "k");
  for (cl_uint type = 0; type < types_.size(); ++type) {
    if (!canAllocate(type)) continue;
    const auto properties = needed(type);
    cl_int status = 1;
    auto* memory = static_cast<cl_uint*>(alloc(context_, properties.data(), type, 4000, &status));
    ASSERT_EQ(status, CL_SUCCESS) << type;
    const cl_uint one = 1;
    ASSERT_EQ(clEnqueueSVMMemFill(queue_, memory, &one, 4, 4000, 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArgSVMPointer(kernel, 0, memory + 100), CL_SUCCESS);
    launch(kernel, 100);
    std::vector<cl_uint> host(1000);
    ASSERT_EQ(clEnqueueSVMMemcpy(queue_, CL_TRUE, host.data(), memory, 4000, 0, nullptr, nullptr), CL_SUCCESS);
    for (size_t i = 0; i < 1000; ++i)
      ASSERT_EQ(host[i], i >= 100 && i < 200 ? 4u : 1u);
    if (types_[type] & CL_SVM_CAPABILITY_HOST_READ_KHR) EXPECT_EQ(memory[150], 4u);

    for (const cl_uint* inside : {memory, memory + 999}) {
      EXPECT_EQ(info<cl_uint>(inside, CL_SVM_INFO_TYPE_INDEX_KHR), type);
      EXPECT_EQ(info<Capabilities>(inside, CL_SVM_INFO_CAPABILITIES_KHR, device_), types_[type]);
      const auto any = info<Capabilities>(inside, CL_SVM_INFO_CAPABILITIES_KHR);
      EXPECT_EQ(any & platformTypes_[type], platformTypes_[type]);
      EXPECT_EQ(info<void*>(inside, CL_SVM_INFO_BASE_PTR_KHR), memory);
      EXPECT_EQ(info<size_t>(inside, CL_SVM_INFO_SIZE_KHR), 4000u);
      EXPECT_EQ(info<cl_bitfield>(inside, CL_SVM_INFO_ACCESS_FLAGS_KHR), 0u);
      EXPECT_EQ(info<cl_device_id>(inside, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR),
                properties.size() > 1 ? device_ : nullptr);
      EXPECT_EQ(listAnswer<cl_svm_alloc_properties_khr>(
                    CLOTHO_INFO(pointerInfo, context_, nullptr, inside, CL_SVM_INFO_PROPERTIES_KHR)),
                properties);
    }
    EXPECT_EQ(release(context_, nullptr, 0, memory), CL_SUCCESS);
    EXPECT_EQ(info<cl_uint>(memory, CL_SVM_INFO_TYPE_INDEX_KHR), kNone);
  }
}

TEST_F(UnifiedSvmTest, AllProperties) {
  const cl_svm_alloc_properties_khr properties[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
                                                    reinterpret_cast<cl_svm_alloc_properties_khr>(device_),
                                                    CL_SVM_ALLOC_ACCESS_FLAGS_KHR,
                                                    CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR,
                                                    CL_SVM_ALLOC_ALIGNMENT_KHR,
                                                    65536,
                                                    0};
  for (cl_uint type = 0; type < types_.size(); ++type) {
    if (!canAllocate(type)) continue;
    cl_int status = 1;
    void* memory = alloc(context_, properties, type, 10, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 65536, 0u);
    EXPECT_EQ(info<cl_bitfield>(memory, CL_SVM_INFO_ACCESS_FLAGS_KHR),
              cl_bitfield{CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR});
    EXPECT_EQ(release(context_, nullptr, 0, memory), CL_SUCCESS);
  }
}

TEST_F(UnifiedSvmTest, KnowsWhatOthersAllocate) {
  Svm<char> coarse = allocate<char>(64);
  EXPECT_EQ(info<cl_uint>(coarse.get(), CL_SVM_INFO_TYPE_INDEX_KHR), 0u);
  if (has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
    Svm<char> fine = allocate<char>(64, CL_MEM_SVM_FINE_GRAIN_BUFFER);
    EXPECT_EQ(info<cl_uint>(fine.get(), CL_SVM_INFO_TYPE_INDEX_KHR), 1u);
  }
  int here = 0;
  for (const void* unknown : {static_cast<const void*>(nullptr), static_cast<const void*>(&here)})
    for (cl_device_id device : {static_cast<cl_device_id>(nullptr), device_}) {
      EXPECT_EQ(info<cl_uint>(unknown, CL_SVM_INFO_TYPE_INDEX_KHR, device), kNone);
      EXPECT_EQ(info<Capabilities>(unknown, CL_SVM_INFO_CAPABILITIES_KHR, device), 0u);
      EXPECT_EQ(info<cl_bitfield>(unknown, CL_SVM_INFO_ACCESS_FLAGS_KHR, device), 0u);
      EXPECT_EQ(info<void*>(unknown, CL_SVM_INFO_BASE_PTR_KHR, device), nullptr);
      EXPECT_EQ(info<size_t>(unknown, CL_SVM_INFO_SIZE_KHR, device), 0u);
      EXPECT_EQ(info<cl_device_id>(unknown, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, device), nullptr);
      size_t size = 1;
      EXPECT_EQ(pointerInfo(context_, device, unknown, CL_SVM_INFO_PROPERTIES_KHR, 0, nullptr, &size), CL_SUCCESS);
      EXPECT_EQ(size, 0u);
    }
  checkInfoProtocol([&](cl_uint name, size_t size, void* value,
                        size_t* ret) { return pointerInfo(context_, nullptr, coarse.get(), name, size, value, ret); },
                    CL_SVM_INFO_SIZE_KHR);
}

TEST_F(UnifiedSvmTest, Suggestions) {
  const cl_svm_alloc_properties_khr ofDevice[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
                                                  reinterpret_cast<cl_svm_alloc_properties_khr>(device_), 0};
  Capabilities all = 0;
  cl_uint index = 0;
  for (Capabilities caps : types_) {
    all |= caps;
    if (caps == 0) continue;
    ASSERT_EQ(suggest(context_, caps, 0, ofDevice, 100, &index), CL_SUCCESS);
    ASSERT_LT(index, types_.size());
    EXPECT_EQ(types_[index] & caps, caps);
    ASSERT_EQ(suggest(context_, 0, caps, ofDevice, 100, &index), CL_SUCCESS);
    EXPECT_EQ(types_[index] & caps, caps);
  }
  for (unsigned bit = 0; bit < 64; ++bit) {
    const Capabilities one = Capabilities{1} << bit;
    ASSERT_EQ(suggest(context_, one, 0, ofDevice, 100, &index), CL_SUCCESS);
    if (all & one)
      EXPECT_TRUE(index < types_.size() && (types_[index] & one));
    else
      EXPECT_EQ(index, kNone);
  }
  Foreign<cl_context> foreign(context_.get());
  EXPECT_EQ(suggest(foreign, 0, 0, nullptr, 100, &index), CL_INVALID_CONTEXT);
  EXPECT_EQ(suggest(context_, 0, 0, nullptr, 100, nullptr), CL_INVALID_VALUE);
}

TEST_F(UnifiedSvmTest, Errors) {
  Foreign<cl_context> foreign(context_.get());
  Foreign<cl_device_id> noDevice(device_);
  cl_int status = 1;
  const auto fails = [&](cl_context context, const cl_svm_alloc_properties_khr* properties, cl_uint type, size_t size,
                         cl_int expected) {
    EXPECT_EQ(alloc(context, properties, type, size, &status), nullptr);
    EXPECT_EQ(status, expected);
  };
  const auto most = valueAnswer<cl_ulong>(CLOTHO_INFO(clGetDeviceInfo, device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  fails(foreign, nullptr, 0, 64, CL_INVALID_CONTEXT);
  fails(context_, nullptr, static_cast<cl_uint>(types_.size()), 64, CL_INVALID_VALUE);
  fails(context_, nullptr, static_cast<cl_uint>(types_.size()) - 1, 64, CL_INVALID_VALUE); // the system's
  fails(context_, nullptr, 0, 0, CL_INVALID_BUFFER_SIZE);
  fails(context_, nullptr, 0, most + 1, CL_INVALID_BUFFER_SIZE);
  fails(context_, nullptr, 2, 64, CL_INVALID_PROPERTY); // of no device
  if (!has(CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) fails(context_, nullptr, 1, 64, CL_INVALID_OPERATION);
  const cl_svm_alloc_properties_khr unknown[] = {CL_SVM_INFO_SIZE_KHR, 1, 0};
  const cl_svm_alloc_properties_khr twice[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 1, CL_SVM_ALLOC_ALIGNMENT_KHR, 1, 0};
  const cl_svm_alloc_properties_khr alignment[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 3, 0};
  const cl_svm_alloc_properties_khr tooMuch[] = {CL_SVM_ALLOC_ALIGNMENT_KHR, 131072, 0};
  const cl_svm_alloc_properties_khr flags[] = {CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1 << 4, 0};
  const cl_svm_alloc_properties_khr device[] = {
      CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR,
      reinterpret_cast<cl_svm_alloc_properties_khr>(static_cast<cl_device_id>(noDevice)), 0};
  for (const cl_svm_alloc_properties_khr* bad : {unknown, twice, alignment, tooMuch, flags})
    fails(context_, bad, 0, 64, CL_INVALID_PROPERTY);
  fails(context_, device, 0, 64, CL_INVALID_DEVICE);

  void* memory = alloc(context_, nullptr, 0, 64, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  const cl_svm_free_properties_khr some[] = {1, 1, 0}, none[] = {0};
  EXPECT_EQ(release(foreign, nullptr, 0, memory), CL_INVALID_CONTEXT);
  EXPECT_EQ(release(context_, some, 0, memory), CL_INVALID_PROPERTY);
  EXPECT_EQ(release(context_, nullptr, 1, memory), CL_INVALID_VALUE);
  EXPECT_EQ(release(context_, nullptr, 0, static_cast<char*>(memory) + 1), CL_INVALID_VALUE);
  EXPECT_EQ(release(context_, nullptr, 0, nullptr), CL_SUCCESS);
  EXPECT_EQ(release(context_, none, 0, memory), CL_SUCCESS);
  Owned<cl_kernel> kernel = makeKernel("kernel void k(global int* g) {}", "k");
  const cl_bool yes = CL_TRUE;
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof yes, &yes), CL_SUCCESS);
  EXPECT_EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, 1, &yes), CL_INVALID_VALUE);
}

} // namespace

} // namespace clotho::test
