// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "svm.hpp"

namespace clotho::test {

void SharedApi::SetUp() {
  Api::SetUp();
  capabilities_ = ~cl_device_svm_capabilities{0};
  for (cl_device_id device : listAnswer<cl_device_id>(CLOTHO_INFO(clGetContextInfo, context_, CL_CONTEXT_DEVICES)))
    capabilities_ &=
        valueAnswer<cl_device_svm_capabilities>(CLOTHO_INFO(clGetDeviceInfo, device, CL_DEVICE_SVM_CAPABILITIES));
}

void SharedApi::map(void* memory, size_t size, cl_map_flags flags) {
  ASSERT_EQ(clEnqueueSVMMap(queue_, CL_TRUE, flags, memory, size, 0, nullptr, nullptr), CL_SUCCESS);
}

void SharedApi::unmap(void* memory) { ASSERT_EQ(clEnqueueSVMUnmap(queue_, memory, 0, nullptr, nullptr), CL_SUCCESS); }

void SharedApi::launch(cl_kernel kernel, size_t items, size_t local) {
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, local ? &local : nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
}

} // namespace clotho::test
