// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"
#include "base/log.hpp"
#include "base/spirv.hpp"
#include "runtime/objects/program_binary.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

namespace clotho::api {

namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);

std::vector<Ref<Device>> devicesOfProgram(const Program& program) {
  std::vector<Ref<Device>> devices;
  for (const Program::Build& build : program.builds())
    devices.push_back(build.device);
  return devices;
}

/// With a callback an operation goes on by itself once it has begun, and the call returns at once. The callback keeps
/// the program, and so its handle valid, whatever the application releases before.
Program::Done doneOf(Notify notify, const Ref<Program>& program, void* userData) {
  if (!notify) return {};
  return [notify, program, userData] { notify(program.get(), userData); };
}

constexpr const char* kNotBuilt = "the program is not built for any device";

std::string kernelNames(const std::vector<Program::Build>& builds, size_t& count) {
  std::string names;
  for (const Program::Build& build : builds) {
    if (!build.code) continue;
    for (const BuiltKernel& kernel : build.result->kernels) {
      if (kernel.info.role != KernelRole::Entry) continue;
      names += (names.empty() ? "" : ";") + kernel.info.name;
      ++count;
    }
    return names;
  }
  throw Error{CL_INVALID_PROGRAM_EXECUTABLE, kNotBuilt};
}

/// Whether the runtime is to run something of the executable by itself: known of executables only, as the kernels are
/// (OpenCL 3.0, section 5.8.9).
cl_bool hasRole(const std::vector<Program::Build>& builds, KernelRole role) {
  check(std::ranges::any_of(builds, [](const Program::Build& build) { return build.code != nullptr; }),
        CL_INVALID_PROGRAM_EXECUTABLE, kNotBuilt);
  return std::any_of(builds.begin(), builds.end(),
                     [&](const Program::Build& build) { return build.code && kernelOf(*build.result, role); })
             ? CL_TRUE
             : CL_FALSE;
}

size_t kernelCount(const std::vector<Program::Build>& builds) {
  size_t count = 0;
  kernelNames(builds, count);
  return count;
}

std::string binaryOf(const Program::Build& build) {
  return build.type == CL_PROGRAM_BINARY_TYPE_NONE ? std::string() : encodeBinary(build);
}

void giveBinaries(const std::vector<Program::Build>& builds, InfoSink& out) {
  size_t size = builds.size() * sizeof(unsigned char*);
  check(!out.target() || out.capacity() >= size, CL_INVALID_VALUE, "param_value_size is too small");
  if (auto** targets = static_cast<unsigned char**>(out.target()))
    for (size_t i = 0; i < builds.size(); ++i) {
      if (!targets[i]) continue;
      std::string binary = binaryOf(builds[i]);
      std::memcpy(targets[i], binary.data(), binary.size());
    }
  out.reportSize(size);
}

/// Throws if the IL is not well-formed, or if that cannot be found out. Where there is no compiler to ask, its builds
/// say so.
void checkIl(Context& context, const std::string& il) {
  std::string why = "The bytes are no SPIR-V.";
  if (spirvWords(il)) {
    BuildRequest request;
    request.kind = BuildKind::Check;
    request.il = il;
    if (logEnabled(LogArea::Compiler, LogLevel::Info)) request.options = "-clotho-validate";
    const std::shared_ptr<const BuildResult> result = Process::get().compiler().build(request);
    if (result->status == BuildStatus::Success && !result->log.empty())
      CLOTHO_LOG(Compiler, Info, "clCreateProgramWithIL: %s", result->log.c_str());
    if (result->status == BuildStatus::Success || result->status == BuildStatus::Unavailable) return;
    why = result->log;
    if (result->status != BuildStatus::IllFormed) {
      context.report("clCreateProgramWithIL: " + why, LogLevel::Warn);
      throw Error{CL_OUT_OF_RESOURCES, "the IL could not be checked"};
    }
  }
  context.report("clCreateProgramWithIL: " + why, LogLevel::Warn);
  throw Error{CL_INVALID_VALUE, "the IL is not well-formed"};
}

void checkTakesIl(const Context& context) {
  check(anyClaims(context, claims::rowOf("cl_khr_il_program")), CL_INVALID_OPERATION,
        "no device of the context takes IL");
}

cl_program createFromIl(cl_context rawContext, const void* il, size_t length, cl_int* status, const char* function) {
  return create(
      status,
      [&] {
        const Ref<Context> context = object(rawContext);
        checkTakesIl(*context);
        check(il && length > 0, CL_INVALID_VALUE, "no IL");
        std::string bytes(static_cast<const char*>(il), length);
        checkIl(*context, bytes);
        return handOut(Program::fromIl(*context, std::move(bytes)));
      },
      function);
}

} // namespace

cl_program CL_API_CALL clCreateProgramWithIL(cl_context rawContext, const void* il, size_t length, cl_int* status) {
  return createFromIl(rawContext, il, length, status, "clCreateProgramWithIL");
}

cl_program CL_API_CALL clCreateProgramWithILKHR(cl_context rawContext, const void* il, size_t length, cl_int* status) {
  return createFromIl(rawContext, il, length, status, "clCreateProgramWithILKHR");
}

cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program rawProgram, cl_uint id, size_t size,
                                                      const void* value) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    checkTakesIl(program->context());
    check(program->origin() == Program::Origin::Il, CL_INVALID_PROGRAM, "the program was not created from IL");
    check(value, CL_INVALID_VALUE, "no value");
    program->specialise(id, {static_cast<const char*>(value), size});
  });
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context rawContext, cl_uint count, const char** strings,
                                                 const size_t* lengths, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    check(count > 0 && strings, CL_INVALID_VALUE, "no source");
    std::string source;
    for (cl_uint i = 0; i < count; ++i) {
      check(strings[i], CL_INVALID_VALUE, "one of the strings is null");
      if (lengths && lengths[i])
        source.append(strings[i], lengths[i]);
      else
        source.append(strings[i]);
    }
    // Lengths that count the terminator would leave it in the middle.
    std::erase(source, '\0');
    return handOut(make<Program>(*context, std::move(source)));
  });
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context rawContext, cl_uint count, const cl_device_id* list,
                                                 const size_t* lengths, const unsigned char** binaries,
                                                 cl_int* binaryStatus, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    check(list && count > 0, CL_INVALID_VALUE, "no devices");
    check(lengths && binaries, CL_INVALID_VALUE, "no binaries");
    for (cl_uint i = 0; i < count; ++i)
      check(context->has(*object(list[i])), CL_INVALID_DEVICE, "a device does not belong to the context");
    std::vector<Program::Build> parsed;
    std::optional<Error> failure;
    for (cl_uint i = 0; i < count; ++i) {
      cl_int code = CL_SUCCESS;
      try {
        check(binaries[i] && lengths[i] > 0, CL_INVALID_VALUE, "one of the binaries is empty");
        parsed.push_back(decodeBinary({reinterpret_cast<const char*>(binaries[i]), lengths[i]}, object(list[i])));
      } catch (const Error& error) {
        code = error.code;
        if (!failure) failure = error;
      }
      if (binaryStatus) binaryStatus[i] = code;
    }
    if (failure) throw *failure;
    return handOut(make<Program>(*context, std::move(parsed)));
  });
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context rawContext, cl_uint count, const cl_device_id* list,
                                                         const char* names, cl_int* status) {
  return create(status, [&]() -> cl_program {
    const Ref<Context> context = object(rawContext);
    check(list && count > 0, CL_INVALID_VALUE, "no devices");
    check(names, CL_INVALID_VALUE, "no kernel names");
    return handOut(Program::ofBuiltInKernels(*context, devicesOf(context->devices(), count, list), names));
  });
}

cl_int CL_API_CALL clRetainProgram(cl_program rawProgram) {
  return call([&] { retain(rawProgram); });
}

cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program rawProgram, Program::ReleaseCallback function,
                                               void* userData) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    // Since 3.0 this belongs to clean-up kernels, which programs of OpenCL C never have.
    check(!follows30() || !program->isOpenclCOnly(), CL_INVALID_OPERATION, "OpenCL C has no clean-up kernels");
    check(function, CL_INVALID_VALUE, "no function");
    program->addReleaseCallback(function, userData);
  });
}

cl_int CL_API_CALL clReleaseProgram(cl_program rawProgram) {
  return call([&] { release(rawProgram); });
}

cl_int CL_API_CALL clBuildProgram(cl_program rawProgram, cl_uint count, const cl_device_id* list, const char* options,
                                  Notify notify, void* userData) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    check(notify || !userData, CL_INVALID_VALUE, "user data without a callback");
    std::vector<Ref<Device>> devices = devicesOf(devicesOfProgram(*program), count, list);
    cl_int status = program->build(devices, options ? std::optional<std::string>(options) : std::nullopt,
                                   doneOf(notify, program, userData));
    check(status == CL_SUCCESS, status, "the build failed: see the build log");
  });
}

cl_int CL_API_CALL clCompileProgram(cl_program rawProgram, cl_uint count, const cl_device_id* list, const char* options,
                                    cl_uint headerCount, const cl_program* rawHeaders, const char** headerNames,
                                    Notify notify, void* userData) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    check(notify || !userData, CL_INVALID_VALUE, "user data without a callback");
    if (program->origin() == Program::Origin::Il) { // whose headers are ignored
      headerCount = 0;
      rawHeaders = nullptr;
      headerNames = nullptr;
    }
    check((headerCount > 0) == (rawHeaders != nullptr) && (headerCount > 0) == (headerNames != nullptr),
          CL_INVALID_VALUE, "header programs, their names and their number do not agree");
    std::vector<Ref<Device>> devices = devicesOf(devicesOfProgram(*program), count, list);
    std::vector<Header> headers;
    for (cl_uint i = 0; i < headerCount; ++i) {
      const Ref<Program> header = object(rawHeaders[i]);
      check(&header->context() == &program->context(), CL_INVALID_CONTEXT, "a header is of another context");
      check(headerNames[i], CL_INVALID_VALUE, "a header without a name");
      headers.push_back({headerNames[i], header->source()});
    }
    cl_int status =
        program->compile(devices, options ? options : "", std::move(headers), doneOf(notify, program, userData));
    check(status == CL_SUCCESS, status, "the compilation failed: see the build log");
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context rawContext, cl_uint count, const cl_device_id* list,
                                     const char* options, cl_uint inputCount, const cl_program* rawInputs,
                                     Notify notify, void* userData, cl_int* status) {
  // A link that fails gives a program too, for the sake of its log (section 5.8.4).
  cl_int linkStatus = CL_SUCCESS;
  cl_program linked = create(status, [&] {
    const Ref<Context> context = object(rawContext);
    check(notify || !userData, CL_INVALID_VALUE, "user data without a callback");
    check(inputCount > 0 && rawInputs, CL_INVALID_VALUE, "no programs to link");
    std::vector<Ref<Device>> devices = devicesOf(context->devices(), count, list);
    std::vector<Ref<Program>> inputs;
    for (cl_uint i = 0; i < inputCount; ++i) {
      inputs.push_back(object(rawInputs[i]));
      check(&inputs.back()->context() == context.get(), CL_INVALID_CONTEXT, "a program is of another context");
    }
    std::function<void(Program&)> done;
    if (notify) done = [=](Program& program) { notify(&program, userData); };
    return Program::link(*context, devices, options ? options : "", inputs, linkStatus, std::move(done));
  });
  if (linked && status) *status = linkStatus;
  return linked;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program rawProgram, cl_program_info name, size_t size, void* value,
                                    size_t* sizeReturned) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    InfoSink out(size, value, sizeReturned);
    std::vector<Program::Build> builds = program->builds();
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: return out.put<cl_uint>(program->apiRefs());
    case CL_PROGRAM_CONTEXT: return out.put<cl_context>(&program->context());
    case CL_PROGRAM_NUM_DEVICES: return out.put<cl_uint>(static_cast<cl_uint>(builds.size()));
    case CL_PROGRAM_DEVICES: {
      std::vector<cl_device_id> devices;
      devices.reserve(builds.size());
      for (const Program::Build& build : builds)
        devices.push_back(build.device.get());
      return out.list<cl_device_id>(devices);
    }
    case CL_PROGRAM_SOURCE:
      return out.text(program->origin() == Program::Origin::Source ? std::string_view(program->source()) : "");
    case CL_PROGRAM_IL: return out.list<char>(program->il());
    case CL_PROGRAM_BINARY_SIZES: {
      std::vector<size_t> sizes;
      sizes.reserve(builds.size());
      for (const Program::Build& build : builds)
        sizes.push_back(binaryOf(build).size());
      return out.list<size_t>(sizes);
    }
    case CL_PROGRAM_BINARIES: return giveBinaries(builds, out);
    case CL_PROGRAM_NUM_KERNELS: return out.put<size_t>(kernelCount(builds));
    case CL_PROGRAM_KERNEL_NAMES: {
      size_t count = 0;
      return out.text(kernelNames(builds, count));
    }
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: return out.put<cl_bool>(hasRole(builds, KernelRole::Initialiser));
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return out.put<cl_bool>(hasRole(builds, KernelRole::CleanUp));
    default: throw Error{CL_INVALID_VALUE, "unknown cl_program_info"};
    }
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program rawProgram, cl_device_id rawDevice, cl_program_build_info name,
                                         size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<Program> program = object(rawProgram);
    Program::Build build = program->buildFor(*object(rawDevice));
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS: return out.put<cl_build_status>(build.status);
    case CL_PROGRAM_BUILD_OPTIONS: return out.text(build.status == CL_BUILD_NONE ? "" : build.options);
    case CL_PROGRAM_BUILD_LOG: return out.text(build.log);
    case CL_PROGRAM_BINARY_TYPE: return out.put<cl_program_binary_type>(build.type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
      return out.put<size_t>(build.result ? build.result->globalVariableBytes : 0);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_program_build_info"};
    }
  });
}

} // namespace clotho::api
