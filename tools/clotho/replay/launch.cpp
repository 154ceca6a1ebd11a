// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/launch.hpp"

#include "abi/image.h"
#include "base/later_headers.hpp"
#include "replay/addresses.hpp"
#include "replay/pipes.hpp"
#include "replay/program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>

// An ordinary OpenCL program: what a capture describes is made by calls that any driver has.
namespace clotho::replay {

namespace {

using capture::ArgumentKind;
using capture::Memory;
using capture::MemoryKind;

/// Size of one level of an image, as clEnqueueReadImage takes it.
std::array<std::size_t, 3> regionOf(const capture::Shape& shape, unsigned level) {
  const auto halved = [&](std::uint64_t size) { return std::max<std::size_t>(size >> level, 1); };
  switch (shape.type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: return {halved(shape.width), shape.layers, 1};
  case CL_MEM_OBJECT_IMAGE2D_ARRAY: return {halved(shape.width), halved(shape.height), shape.layers};
  default: return {halved(shape.width), halved(shape.height), halved(shape.depth)};
  }
}

/// The element of an origin that has the level of a mipmap (cl_khr_mipmap_image): the one behind the dimensions.
std::size_t levelPlace(const capture::Shape& shape) {
  switch (shape.type) {
  case CL_MEM_OBJECT_IMAGE1D: return 1;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
  case CL_MEM_OBJECT_IMAGE2D: return 2;
  default: return 3;
  }
}

std::array<cl_sampler_properties, 13> propertiesOf(std::uint64_t number) {
  const auto addressing = [&]() -> cl_addressing_mode {
    switch (number & kSamplerAddressing) {
    case kSamplerClampToEdge: return CL_ADDRESS_CLAMP_TO_EDGE;
    case kSamplerClamp: return CL_ADDRESS_CLAMP;
    case kSamplerRepeat: return CL_ADDRESS_REPEAT;
    case kSamplerMirroredRepeat: return CL_ADDRESS_MIRRORED_REPEAT;
    default: return CL_ADDRESS_NONE;
    }
  };
  const auto filter = [&](std::uint64_t bit) { return number & bit ? CL_FILTER_LINEAR : CL_FILTER_NEAREST; };
  std::array<cl_sampler_properties, 13> properties{
      CL_SAMPLER_NORMALIZED_COORDS, (number & kSamplerNormalised) != 0,
      CL_SAMPLER_ADDRESSING_MODE,   addressing(),
      CL_SAMPLER_FILTER_MODE,       static_cast<cl_sampler_properties>(filter(kSamplerLinear))};
  const float least = static_cast<float>(number >> kSamplerLeastLod & 0xffff) / 256.0F;
  const float largest = static_cast<float>(0xffff - (number >> kSamplerLargestLod & 0xffff)) / 256.0F;
  // Drivers without mipmaps refuse these, so they are there only where they say something.
  if (least != 0.0F || (number >> kSamplerLargestLod) != 0 || (number & kSamplerMipLinear) != 0)
    std::copy_n(std::array<cl_sampler_properties, 6>{CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                                     static_cast<cl_sampler_properties>(filter(kSamplerMipLinear)),
                                                     CL_SAMPLER_LOD_MIN_KHR, std::bit_cast<std::uint32_t>(least),
                                                     CL_SAMPLER_LOD_MAX_KHR, std::bit_cast<std::uint32_t>(largest)}
                    .begin(),
                6, properties.begin() + 6);
  return properties;
}

/// Processor time of all threads of this process, in seconds.
double processorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The texts that drivers tell contexts of this process. Contexts may do so until they are gone, so it stays.
class Inbox {
 public:
  static Inbox& get() {
    static Inbox& inbox = *new Inbox;
    return inbox;
  }

  static void CL_CALLBACK onReport(const char* text, const void*, std::size_t, void* inbox) {
    auto& self = *static_cast<Inbox*>(inbox);
    const std::lock_guard lock(self.mutex_);
    self.texts_.emplace_back(text);
  }
  static void CL_CALLBACK onEnd(cl_event, cl_int, void* inbox) {
    auto& self = *static_cast<Inbox*>(inbox);
    const std::lock_guard lock(self.mutex_);
    ++self.ends_;
    self.changed_.notify_all();
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    texts_.clear();
  }
  /// The texts since `clear`, once Clotho has told all of a complete event: its callbacks run in order.
  std::vector<std::string> textsUntil(const cl_icd_dispatch& calls, cl_event event) {
    std::unique_lock lock(mutex_);
    const unsigned end = ends_ + 1;
    lock.unlock();
    require(calls.clSetEventCallback(event, CL_COMPLETE, onEnd, this), "clSetEventCallback");
    lock.lock();
    changed_.wait(lock, [&] { return ends_ == end; });
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> texts_;
  unsigned ends_ = 0;
};

class Session {
 public:
  Session(const capture::Contents& contents, const Driver& driver, const Settings& settings)
      : contents_(contents), description_(contents.description), driver_(driver), calls_(driver.calls()),
        settings_(settings), context_{calls_, makeContext()}, shared_(description_.shared, driver, context_) {}

  ~Session() {
    if (queue_) calls_.clFinish(queue_);
    if (kernel_) calls_.clReleaseKernel(kernel_);
    for (cl_sampler sampler : samplers_)
      calls_.clReleaseSampler(sampler);
    for (auto memory = memories_.rbegin(); memory != memories_.rend(); ++memory)
      calls_.clReleaseMemObject(*memory);
    if (deviceQueue_) calls_.clReleaseCommandQueue(deviceQueue_);
    if (queue_) calls_.clReleaseCommandQueue(queue_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result run() {
    shared_.addTo(relocation_);
    makeQueue();
    makeMemories();
    program_ = buildProgram(description_, driver_, context_, settings_.options);
    cl_int status = CL_SUCCESS;
    kernel_ = calls_.clCreateKernel(program_.program.get(), description_.kernel.c_str(), &status);
    require(status, "clCreateKernel");
    noteRemarks();
    for (std::size_t i = 0; i < description_.arguments.size(); ++i)
      setArgument(static_cast<cl_uint>(i));
    setReached();
    writeInputs();
    Inbox::get().clear();
    result_.seconds.push_back(launch());
    if (result_.status < 0) return std::move(result_);
    readOutputs();
    if (settings_.samples > 0) takeTimes();
    return std::move(result_);
  }

 private:
  cl_context makeContext() const {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(driver_.platform()),
        description_.initializedMemory != 0 ? cl_context_properties{CL_CONTEXT_MEMORY_INITIALIZE_KHR} : 0,
        static_cast<cl_context_properties>(description_.initializedMemory), 0};
    cl_int status = CL_SUCCESS;
    const cl_device_id device = driver_.device();
    const cl_context context =
        calls_.clCreateContext(properties, 1, &device, driver_.isClotho() ? Inbox::onReport : nullptr,
                               driver_.isClotho() ? &Inbox::get() : nullptr, &status);
    require(status, "clCreateContext");
    return context;
  }

  void makeQueue() {
    cl_int status = CL_SUCCESS;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    queue_ = calls_.clCreateCommandQueueWithProperties(context_, driver_.device(), properties, &status);
    require(status, "clCreateCommandQueueWithProperties");
    const bool isWanted = std::any_of(description_.arguments.begin(), description_.arguments.end(),
                                      [](const auto& each) { return each.kind == ArgumentKind::Queue; });
    if (!isWanted && !description_.hasDeviceQueue) return;
    const cl_queue_properties onDevice[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT,
        0};
    deviceQueue_ = calls_.clCreateCommandQueueWithProperties(context_, driver_.device(), onDevice, &status);
    require(status, "clCreateCommandQueueWithProperties for a queue on the device");
  }

  void makeMemories() {
    for (const Memory& memory : description_.memories) {
      memories_.push_back(memory.kind == MemoryKind::Image  ? makeImage(memory)
                          : memory.kind == MemoryKind::Pipe ? makePipe(memory)
                                                            : makeBuffer(memory));
      if (memory.deviceAddress != 0 && memory.parent == capture::kNone) {
        cl_mem_device_address_ext address = 0;
        require(
            calls_.clGetMemObjectInfo(memories_.back(), CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, nullptr),
            "clGetMemObjectInfo for a buffer's address on the device");
        relocation_.add(memory.deviceAddress, memory.size, address);
      }
    }
  }

  cl_mem makeBuffer(const Memory& memory) {
    cl_int status = CL_SUCCESS;
    cl_mem buffer = nullptr;
    if (memory.kind == MemoryKind::SubBuffer) {
      const cl_buffer_region region{memory.origin, memory.size};
      buffer = calls_.clCreateSubBuffer(memories_[memory.parent],
                                        memory.flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR} &
                                            ~cl_mem_flags{CL_MEM_ALLOC_HOST_PTR},
                                        CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
      require(status, "clCreateSubBuffer");
      return buffer;
    }
    cl_mem_flags flags = withoutHostRules(memory.flags);
    void* host = nullptr;
    if (memory.isShared) {
      host = reinterpret_cast<void*>(relocation_.apply(memory.hostAddress)); // NOLINT(performance-no-int-to-ptr)
    } else if (settings_.isGuarded || (flags & CL_MEM_USE_HOST_PTR) != 0) {
      flags = (flags & ~cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}) | CL_MEM_USE_HOST_PTR;
      host = blocks_.emplace_back(memory.size, memory.hostAddress, settings_.isGuarded).bytes();
    }
    if (memory.deviceAddress != 0) {
      const cl_mem_properties properties[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
      buffer = calls_.clCreateBufferWithProperties(context_, properties, flags, memory.size, host, &status);
    } else {
      buffer = calls_.clCreateBuffer(context_, flags, memory.size, host, &status);
    }
    require(status, "clCreateBuffer");
    return buffer;
  }

  /// The replay writes and reads what the application did not.
  static cl_mem_flags withoutHostRules(cl_mem_flags flags) {
    return flags & ~cl_mem_flags{CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY};
  }

  cl_mem makeImage(const Memory& memory) {
    const capture::Shape& shape = memory.shape;
    const cl_image_format format{shape.channelOrder, shape.channelType};
    cl_image_desc desc{};
    desc.image_type = shape.type;
    desc.image_width = shape.width;
    desc.image_height = shape.height;
    desc.image_depth = shape.depth;
    desc.image_array_size = shape.layers;
    desc.num_mip_levels = shape.levels;
    if (memory.parent != capture::kNone) {
      desc.mem_object = memories_[memory.parent];
      // An image of an image has that one's pitch, and may not name it.
      const bool isOfBuffer = description_.memories[memory.parent].kind != MemoryKind::Image;
      desc.image_row_pitch = isOfBuffer && shape.type == CL_MEM_OBJECT_IMAGE2D ? shape.rowPitch : 0;
    }
    const cl_mem_flags flags = withoutHostRules(memory.flags) & ~cl_mem_flags{CL_MEM_USE_HOST_PTR};
    cl_int status = CL_SUCCESS;
    const cl_mem image = calls_.clCreateImage(context_, flags, &format, &desc, nullptr, &status);
    require(status, "clCreateImage");
    return image;
  }

  cl_mem makePipe(const Memory& memory) const {
    cl_int status = CL_SUCCESS;
    const cl_mem pipe = calls_.clCreatePipe(context_, 0, static_cast<cl_uint>(memory.shape.width),
                                            static_cast<cl_uint>(memory.shape.height), nullptr, &status);
    require(status, "clCreatePipe");
    return pipe;
  }

  void setArgument(cl_uint index) {
    const capture::Argument& argument = description_.arguments[index];
    const auto set = [&](std::size_t size, const void* value) {
      require(calls_.clSetKernelArg(kernel_, index, size, value), "clSetKernelArg");
    };
    switch (argument.kind) {
    case ArgumentKind::Value: {
      std::string value = argument.value;
      relocation_.apply(value);
      return set(value.size(), value.data());
    }
    case ArgumentKind::Null: return set(sizeof(cl_mem), nullptr);
    case ArgumentKind::Memory: return set(sizeof(cl_mem), &memories_[argument.number]);
    case ArgumentKind::Local: return set(argument.number, nullptr);
    case ArgumentKind::Queue: return set(sizeof deviceQueue_, &deviceQueue_);
    case ArgumentKind::Sampler: {
      cl_int status = CL_SUCCESS;
      const auto properties = propertiesOf(argument.number);
      const cl_sampler sampler = calls_.clCreateSamplerWithProperties(context_, properties.data(), &status);
      require(status, "clCreateSamplerWithProperties");
      samplers_.push_back(sampler);
      return set(sizeof sampler, &sampler);
    }
    case ArgumentKind::Pointer: {
      const auto* pointer =
          reinterpret_cast<const void*>(relocation_.apply(argument.number)); // NOLINT(performance-no-int-to-ptr)
      return require(calls_.clSetKernelArgSVMPointer(kernel_, index, pointer), "clSetKernelArgSVMPointer");
    }
    case ArgumentKind::DevicePointer: {
      using Set = cl_int(CL_API_CALL*)(cl_kernel, cl_uint, cl_mem_device_address_ext);
      const auto call = reinterpret_cast<Set>(driver_.extension("clSetKernelArgDevicePointerEXT"));
      if (!call) throw Failure("the driver has no addresses of devices (cl_ext_buffer_device_address)");
      return require(call(kernel_, index, relocation_.apply(argument.number)), "clSetKernelArgDevicePointerEXT");
    }
    }
  }

  /// Names the memory that the kernel reaches beside its arguments: all shared memory of the capture.
  void setReached() {
    std::vector<void*> pointers;
    for (std::size_t i = 0; i < description_.shared.size(); ++i)
      pointers.push_back(shared_.at(i));
    if (!pointers.empty())
      require(calls_.clSetKernelExecInfo(kernel_, CL_KERNEL_EXEC_INFO_SVM_PTRS, pointers.size() * sizeof(void*),
                                         pointers.data()),
              "clSetKernelExecInfo");
    const cl_bool yes = CL_TRUE; // a device without it refuses, and has no such memory then
    if (description_.usesSystemMemory)
      calls_.clSetKernelExecInfo(kernel_, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes);
  }

  void noteRemarks() {
    for (const capture::Named& remark : description_.remarks)
      if (remark.name == "not captured") result_.remarks.push_back("not captured: " + remark.text);
    if (relocation_.isNeeded())
      result_.remarks.emplace_back("memory that the kernel knows by addresses lies elsewhere now: words that look like "
                                   "such addresses were changed");
    if (std::count(program_.settable.begin(), program_.settable.end(), true) !=
        static_cast<std::ptrdiff_t>(description_.variables.size()))
      result_.remarks.emplace_back("some variables at program scope begin with their initial values, not the captured "
                                   "ones: no source can name them");
    for (cl_uint i = 0; i < description_.arguments.size(); ++i) {
      char name[256] = {};
      if (calls_.clGetKernelArgInfo(kernel_, i, CL_KERNEL_ARG_TYPE_NAME, sizeof name - 1, name, nullptr) != CL_SUCCESS)
        name[0] = '\0';
      result_.types.emplace_back(name);
    }
  }

  /// Gives memory objects, shared memory and variables the bytes that they had before the launch.
  void writeInputs() {
    std::size_t content = 0;
    for (std::size_t i = 0; i < description_.memories.size(); ++i, ++content)
      if (description_.memories[i].stored != 0) writeMemory(i, moved(content));
    for (std::size_t i = 0; i < description_.shared.size(); ++i, ++content)
      shared_.write(queue_, i, moved(content));
    for (std::size_t i = 0; i < description_.variables.size(); ++i, ++content)
      if (program_.settable[i]) writeVariable(i, moved(content));
    require(calls_.clFinish(queue_), "clFinish");
  }

  std::string moved(std::size_t content) const {
    std::string bytes = contents_.inputs[content];
    relocation_.apply(bytes);
    return bytes;
  }

  void writeMemory(std::size_t index, std::string bytes) {
    const Memory& memory = description_.memories[index];
    if (memory.kind == MemoryKind::Pipe) return fillPipe(driver_, context_, queue_, memories_[index], memory, bytes);
    if (memory.kind == MemoryKind::Buffer) {
      if (bytes.empty()) return;
      return require(calls_.clEnqueueWriteBuffer(queue_, memories_[index], CL_TRUE, 0, bytes.size(), bytes.data(), 0,
                                                 nullptr, nullptr),
                     "clEnqueueWriteBuffer");
    }
    forEachLevel(index, bytes, [&](const std::size_t* origin, const std::size_t* region, char* texels) {
      require(calls_.clEnqueueWriteImage(queue_, memories_[index], CL_TRUE, origin, region, 0, 0, texels, 0, nullptr,
                                         nullptr),
              "clEnqueueWriteImage");
    });
  }

  std::string readMemory(std::size_t index) {
    const Memory& memory = description_.memories[index];
    if (memory.kind == MemoryKind::Pipe) return readPipe(driver_, context_, queue_, memories_[index], memory);
    std::string bytes(memory.stored, '\0');
    if (memory.kind == MemoryKind::Buffer) {
      if (!bytes.empty())
        require(calls_.clEnqueueReadBuffer(queue_, memories_[index], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                           nullptr),
                "clEnqueueReadBuffer");
      return bytes;
    }
    forEachLevel(index, bytes, [&](const std::size_t* origin, const std::size_t* region, char* texels) {
      require(calls_.clEnqueueReadImage(queue_, memories_[index], CL_TRUE, origin, region, 0, 0, texels, 0, nullptr,
                                        nullptr),
              "clEnqueueReadImage");
    });
    return bytes;
  }

  template <class Use> void forEachLevel(std::size_t index, std::string& bytes, Use&& use) const {
    const Memory& memory = description_.memories[index];
    // The driver's size of a texel is what it copies, whatever the capture says.
    std::size_t done = 0, texelBytes = 0;
    require(calls_.clGetImageInfo(memories_[index], CL_IMAGE_ELEMENT_SIZE, sizeof texelBytes, &texelBytes, nullptr),
            "clGetImageInfo");
    for (unsigned level = 0; level < std::max(memory.shape.levels, 1U); ++level) {
      std::size_t origin[4] = {};
      if (memory.shape.levels > 1) origin[levelPlace(memory.shape)] = level;
      const auto region = regionOf(memory.shape, level);
      const std::size_t size = region[0] * region[1] * region[2] * texelBytes;
      if (size > bytes.size() - done) throw Failure("an image has not the size that its capture says");
      use(origin, region.data(), bytes.data() + done);
      done += size;
    }
  }

  /// Runs one of the kernels that copy a variable.
  void copyVariable(const std::string& name, cl_mem bytes, std::size_t size) {
    cl_int status = CL_SUCCESS;
    const cl_kernel kernel = calls_.clCreateKernel(program_.program.get(), name.c_str(), &status);
    require(status, "clCreateKernel for a variable");
    require(calls_.clSetKernelArg(kernel, 0, sizeof bytes, &bytes), "clSetKernelArg for a variable");
    require(calls_.clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel for a variable");
    require(calls_.clFinish(queue_), "clFinish");
    calls_.clReleaseKernel(kernel);
  }
  void writeVariable(std::size_t index, std::string bytes) {
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = calls_.clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status);
    require(status, "clCreateBuffer");
    copyVariable(setterOf(index), buffer, bytes.size());
    calls_.clReleaseMemObject(buffer);
  }
  std::string readVariable(std::size_t index) {
    std::string bytes(description_.variables[index].size, '\0');
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = calls_.clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes.size(), nullptr, &status);
    require(status, "clCreateBuffer");
    copyVariable(getterOf(index), buffer, bytes.size());
    require(calls_.clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    calls_.clReleaseMemObject(buffer);
    return bytes;
  }

  void enqueue(cl_command_queue queue, cl_event* event) {
    const capture::NdRange& range = description_.range;
    std::size_t offset[3], global[3], local[3];
    std::copy_n(range.offset, 3, offset);
    std::copy_n(range.global, 3, global);
    std::copy_n(range.local, 3, local);
    require(calls_.clEnqueueNDRangeKernel(queue, kernel_, range.dimensions, range.hasOffset ? offset : nullptr, global,
                                          range.hasLocal ? local : nullptr, 0, nullptr, event),
            "clEnqueueNDRangeKernel");
  }

  /// How long it took, by the device's clock.
  double launch() {
    cl_event event = nullptr;
    enqueue(queue_, &event);
    calls_.clWaitForEvents(1, &event);
    require(calls_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(cl_int), &result_.status, nullptr),
            "clGetEventInfo");
    cl_ulong begin = 0, end = 0;
    calls_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr);
    calls_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    if (driver_.isClotho()) result_.reports = Inbox::get().textsUntil(calls_, event);
    calls_.clReleaseEvent(event);
    return static_cast<double>(end - begin) * 1e-9;
  }

  /// Runs the launch for a while: in time, and in processor time, of which there is little on a busy machine. What the
  /// driver builds and tries meanwhile needs both. A launch on another device may take hardly any of the host's
  /// processors.
  template <class Run> void settle(Run&& run) const {
    constexpr double kPatience = 10; // in times of the time that is wanted
    const double begin = processorTime();
    for (double spent = 0; spent < settings_.settle ||
                           (processorTime() - begin < settings_.settle && spent < kPatience * settings_.settle);)
      spent += run();
  }

  /// A sample is the mean of as many launches one behind the other as take a while, by the host's clock: as a program
  /// sees it that keeps the device busy. Threads wake up before a sample and look for more work behind it, which counts
  /// as processor time, so a sample is long beside that.
  void takeTimes() {
    constexpr double kSample = 25e-3;
    cl_int status = CL_SUCCESS;
    const cl_command_queue queue =
        calls_.clCreateCommandQueueWithProperties(context_, driver_.device(), nullptr, &status);
    require(status, "clCreateCommandQueueWithProperties");
    const auto secondsOf = [&](unsigned launches) {
      const auto begin = std::chrono::steady_clock::now();
      for (unsigned i = 0; i < launches; ++i)
        enqueue(queue, nullptr);
      calls_.clFinish(queue);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    settle([&] { return secondsOf(1); });
    const double before = processorTime();
    double once = secondsOf(1);
    once = std::max(once, processorTime() - before); // of several threads, where the device is the host's processor
    const auto launches = static_cast<unsigned>(std::clamp(std::ceil(kSample / once), 1.0, 1000.0));
    result_.seconds.clear();
    const double begin = processorTime();
    for (unsigned i = 0; i < settings_.samples; ++i)
      result_.seconds.push_back(secondsOf(launches) / launches);
    result_.processorSeconds = (processorTime() - begin) / launches / settings_.samples;
    calls_.clReleaseCommandQueue(queue);
  }

  void readOutputs() {
    std::size_t content = 0;
    for (std::size_t i = 0; i < description_.memories.size(); ++i, ++content)
      result_.outputs.push_back(description_.memories[i].stored != 0 ? readMemory(i) : std::string());
    for (std::size_t i = 0; i < description_.shared.size(); ++i, ++content)
      result_.outputs.push_back(shared_.read(queue_, i));
    // A variable that was not set cannot be compared, so it stays as it was captured.
    for (std::size_t i = 0; i < description_.variables.size(); ++i, ++content)
      result_.outputs.push_back(program_.settable[i]         ? readVariable(i)
                                : !contents_.outputs.empty() ? contents_.outputs[content]
                                                             : contents_.inputs[content]);
    for (std::string& bytes : result_.outputs)
      relocation_.undo(bytes);
  }

  const capture::Contents& contents_;
  const capture::Description& description_;
  const Driver& driver_;
  const cl_icd_dispatch& calls_;
  const Settings& settings_;
  struct Context {
    const cl_icd_dispatch& calls;
    cl_context handle;
    ~Context() { calls.clReleaseContext(handle); }
    operator cl_context() const { return handle; }
  };
  const Context context_;
  std::deque<HostBlock> blocks_;
  SharedMemory shared_;
  Relocation relocation_;
  cl_command_queue queue_ = nullptr, deviceQueue_ = nullptr;
  std::vector<cl_mem> memories_;
  std::vector<cl_sampler> samplers_;
  BuiltProgram program_;
  cl_kernel kernel_ = nullptr;
  Result result_;
};

} // namespace

Result run(const capture::Contents& contents, const Driver& driver, const Settings& settings) {
  return Session(contents, driver, settings).run();
}

} // namespace clotho::replay
