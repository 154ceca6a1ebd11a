// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of pipes, and what is asked of them.
#include "api/parse.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

/// Whether one device of the context at least has pipes of such packets; 0: pipes at all.
bool anyDeviceTakes(const Context& context, cl_uint packetSize) {
  const auto& devices = context.devices();
  return std::any_of(devices.begin(), devices.end(), [&](const Ref<Device>& device) {
    const PipeLimits& limits = device->properties().pipes;
    return limits.areSupported && packetSize <= limits.packetSize;
  });
}

/// Section 5.4.1: kernels read or write a pipe as their arguments say, and the host never does.
cl_mem_flags pipeFlags(cl_mem_flags flags) {
  constexpr cl_mem_flags kAll = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
  check(!(flags & ~kAll), CL_INVALID_VALUE, "a flag that pipes do not have");
  return flags ? flags : kAll;
}

} // namespace

cl_mem CL_API_CALL clCreatePipe(cl_context rawContext, cl_mem_flags flags, cl_uint packetSize, cl_uint maxPackets,
                                const cl_pipe_properties* properties, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    check(anyDeviceTakes(*context, 0), CL_INVALID_OPERATION, "no device of the context has pipes");
    flags = pipeFlags(flags);
    check(!properties, CL_INVALID_VALUE, "there are no properties of pipes");
    check(packetSize > 0 && maxPackets > 0, CL_INVALID_PIPE_SIZE, "a pipe without packets, or packets without bytes");
    check(anyDeviceTakes(*context, packetSize), CL_INVALID_PIPE_SIZE,
          "larger than CL_DEVICE_PIPE_MAX_PACKET_SIZE of all devices");
    return handOut(make<MemoryObject>(*context, flags, Pipe{packetSize, maxPackets}));
  });
}

cl_int CL_API_CALL clGetPipeInfo(cl_mem rawPipe, cl_pipe_info name, size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<MemoryObject> memory = object(rawPipe);
    const Pipe* pipe = memory->pipe();
    check(pipe, CL_INVALID_MEM_OBJECT, "not a pipe");
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_PIPE_PACKET_SIZE: return out.put<cl_uint>(pipe->packetSize);
    case CL_PIPE_MAX_PACKETS: return out.put<cl_uint>(pipe->maxPackets);
    case CL_PIPE_PROPERTIES: checkFollows30(); return out.list<cl_pipe_properties>({}); // clCreatePipe takes none
    default: throw Error{CL_INVALID_VALUE, "unknown cl_pipe_info"};
    }
  });
}

} // namespace clotho::api
