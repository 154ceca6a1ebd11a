// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/capture/launch_capture.hpp"

#include "base/clock.hpp"
#include "base/log.hpp"
#include "runtime/capture/captures.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/queue.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <system_error>

namespace clotho {

namespace {

using capture::Section;
using capture::Writer;

/// How many launches of one kernel with the same number may be in a folder, of several processes.
constexpr int kMostFiles = 10'000;

std::string_view viewOf(const std::byte* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// The texels of all levels without the gaps between rows.
std::string packed(const Image& image, const std::byte* base) {
  std::string texels;
  for (cl_uint level = 0; level < image.levelCount(); ++level) {
    const ByteRegion region = image.region(level, {}, image.extent(level));
    for (std::size_t row = 0; row < region.rows * region.slices; ++row)
      texels += viewOf(base + region.rowAt(row), region.rowBytes);
  }
  return texels;
}

/// The packets of a pipe in their order, as a capture has them. Reservations that are not committed end them.
std::string packetsOf(const Pipe& pipe, const std::byte* block) {
  const auto& header = *reinterpret_cast<const PipeHeader*>(block);
  constexpr unsigned kHalf = 32;
  std::uint64_t slot = static_cast<std::uint32_t>(header.read.place), turn = header.read.place >> kHalf;
  std::string packets;
  std::uint64_t count = 0;
  while (count < pipe.maxPackets && (turn << kHalf | slot) != header.written.place) {
    const PipeRun run = header.runs[slot];
    if (run >> kHalf != 2 * turn + 1) break; // not committed yet
    const std::uint64_t length = std::min<std::uint64_t>(static_cast<std::uint32_t>(run), pipe.maxPackets - slot);
    packets += viewOf(block + header.packets + slot * pipe.packetSize, length * pipe.packetSize);
    count += length;
    slot += length;
    if (slot == pipe.maxPackets) {
      slot = 0;
      ++turn;
    }
  }
  std::string result(sizeof count, '\0');
  std::memcpy(result.data(), &count, sizeof count);
  result += packets;
  result.resize(sizeof count + std::size_t{pipe.packetSize} * pipe.maxPackets);
  return result;
}

/// A kernel's name as a part of a file's.
std::string fileNameOf(const std::string& kernel) {
  constexpr std::size_t kLongest = 100;
  std::string name = kernel.substr(0, kLongest);
  for (char& each : name)
    if (!std::isalnum(static_cast<unsigned char>(each))) each = '_';
  return name;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

} // namespace

LaunchCapture::LaunchCapture(Captures& captures, Queue& queue, const Kernel& kernel, const AskedRange& range,
                             std::uint64_t number, const std::string& folder)
    : captures_(captures), queue_(queue), program_(kernel.program()), folder_(folder) {
  description_.launch = number;
  describe(kernel, range);
}

Command LaunchCapture::step(void (*function)(void*) noexcept) {
  HostCall call{function, nullptr, {}};
  call.args.reset(new std::byte[sizeof(void*)]);
  void* const self = this;
  std::memcpy(call.args.get(), static_cast<const void*>(&self), sizeof self);
  for (const Ref<MemoryObject>& memory : memories_)
    if (!memory->parent()) call.operands.push_back({memory, memory->range(), Access::Read});
  return call;
}

/// The capture whose step has these arguments.
LaunchCapture& LaunchCapture::of(const void* args) noexcept {
  void* self;
  std::memcpy(static_cast<void*>(&self), args, sizeof self);
  return *static_cast<LaunchCapture*>(self);
}

Ref<Event> LaunchCapture::submit(std::unique_ptr<LaunchCapture> capture, cl_command_type type, Command&& launch,
                                 WaitList deps) {
  Queue& queue = *capture->queue_;
  const auto inputs = [](void* args) noexcept { of(args).writeInputs(); };
  const auto outputs = [](void* args) noexcept { of(args).writeOutputs(); };
  Command first = capture->step(inputs), second = capture->step(outputs);
  const auto userEvent = [&] { return make<Event>(queue.context(), nullptr, CL_COMMAND_USER, Command(Nothing{})); };
  const Ref<Event> isOver = capture->isOver_ = userEvent(), isWritten = capture->isWritten_ = userEvent();
  const Ref<Event> before = queue.submitTo(kHostHome, CL_COMMAND_NATIVE_KERNEL, std::move(first), deps);
  // The first step knows the capture from here on.
  LaunchCapture* const self = capture.release();
  bool isLeftToFinish = false;
  try {
    const Ref<Event> middle = self->launch_ = queue.submitAfter(queue.home(), type, std::move(launch), *before);
    Event* const over[] = {isOver.get()};
    const Ref<Event> last = queue.submitTo(kHostHome, CL_COMMAND_NATIVE_KERNEL, std::move(second), over);
    Ref<Event> marker = self->marker_ = queue.submitAfter(queue.home(), type, Nothing{}, *isWritten);
    last->addCallback(CL_COMPLETE, [](cl_event event, cl_int status, void* it) { finish(event, status, it); }, self);
    isLeftToFinish = true;
    middle->addCallback(
        CL_COMPLETE, [](cl_event event, cl_int status, void* it) { launchIsOver(event, status, it); }, self);
    return marker;
  } catch (...) {
    isOver->setUserStatus(CL_OUT_OF_HOST_MEMORY);
    isWritten->setUserStatus(CL_OUT_OF_HOST_MEMORY);
    if (!isLeftToFinish) self->abandon();
    throw;
  }
}

/// The second step may begin.
void CL_CALLBACK LaunchCapture::launchIsOver(cl_event, cl_int, void* rawSelf) noexcept {
  const Ref<Event> isOver = static_cast<LaunchCapture*>(rawSelf)->isOver_; // the capture may be gone once it is set
  isOver->setUserStatus(CL_COMPLETE);
}

/// Not all steps are enqueued. Called by that thread and by the end of the first step: the later of them deletes it.
void LaunchCapture::abandon() noexcept {
  if (!isLeft_.exchange(true, std::memory_order_acq_rel)) return;
  if (!path_.empty()) unlink((path_ + ".part").c_str());
  delete this;
}

template <class Use> void LaunchCapture::forEachObject(Use&& use) const {
  for (std::size_t i = 0; i < memories_.size(); ++i) {
    const MemoryObject& memory = *memories_[i];
    const std::byte* bytes = memory.bytesOn(kHostHome);
    if (description_.memories[i].stored == 0)
      use(std::string_view());
    else if (memory.image())
      use(std::string_view(packed(*memory.image(), bytes)));
    else if (memory.pipe())
      use(std::string_view(packetsOf(*memory.pipe(), bytes)));
    else
      use(viewOf(bytes, memory.size()));
  }
}

/// Opens a new file, whose name says the kernel and the number of its launch.
UniqueFd LaunchCapture::create() {
  mkdir(folder_.c_str(), 0777); // or it is there
  const std::string name = folder_ + '/' + fileNameOf(description_.kernel) + '-' + std::to_string(description_.launch);
  for (int i = 1; i < kMostFiles; ++i) {
    path_ = name + (i == 1 ? "" : '.' + std::to_string(i)) + ".capture";
    const std::string part = path_ + ".part";
    UniqueFd file = makeFd([&] { return open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    // A process that had the name before has renamed its file by now.
    if (file && !exists(path_)) return file;
    if (file) unlink(part.c_str());
    if (!file && errno != EEXIST) break;
  }
  return {};
}

/// The shared memory that the launch reaches: by its arguments, by what the application says, and by addresses in that
/// memory and in buffers.
void LaunchCapture::findShared(std::vector<std::string>& bytes) {
  const SharedMemory& shared = queue_->context().sharedMemory();
  const std::vector<SharedMemory::Extent> extents = shared.extents();
  if (extents.empty()) return;
  std::vector<std::uintptr_t> wanted;
  const auto look = [&](std::uintptr_t address) {
    const auto next =
        std::upper_bound(extents.begin(), extents.end(), address,
                         [](std::uintptr_t at, const SharedMemory::Extent& each) { return at < each.begin; });
    if (next == extents.begin() || address >= std::prev(next)->end) return;
    const std::uintptr_t begin = std::prev(next)->begin;
    if (std::find(wanted.begin(), wanted.end(), begin) == wanted.end()) wanted.push_back(begin);
  };
  const std::uintptr_t first = extents.front().begin, last = extents.back().end;
  const auto scan = [&](std::string_view content) {
    for (std::size_t i = 0; i + sizeof(std::uintptr_t) <= content.size(); i += sizeof(std::uintptr_t)) {
      std::uintptr_t word;
      std::memcpy(&word, content.data() + i, sizeof word);
      if (word >= first && word < last) look(word);
    }
  };
  for (const void* pointer : reached_)
    look(reinterpret_cast<std::uintptr_t>(pointer));
  for (const capture::Argument& argument : description_.arguments)
    scan(argument.value);
  forEachObject(scan);
  for (const ProgramVariable& variable : variables_)
    scan(viewOf(variable.address, variable.size));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): pointers are found as numbers
    auto copy = shared.copyAround(reinterpret_cast<const void*>(wanted[i]));
    if (!copy) continue; // freed meanwhile
    scan(copy->bytes);
    description_.shared.push_back({copy->begin, copy->bytes.size(), static_cast<std::uint32_t>(copy->kind)});
    bytes.push_back(std::move(copy->bytes));
  }
}

void LaunchCapture::writeInputs() noexcept {
  try {
    std::vector<std::string> shared;
    findShared(shared);
    Writer out(create(), {});
    if (!out.error().empty()) {
      captures_.complain("no file in folder " + folder_ + ": " + out.error());
      path_.clear();
      return abandon();
    }
    out.begin();
    out.addFields(Section::Description, description_);
    const auto add = [&](std::string_view bytes) {
      hashes_.push_back(capture::pageHashes(bytes));
      out.add(Section::Inputs, bytes);
    };
    forEachObject(add);
    std::for_each(shared.begin(), shared.end(), add);
    for (const ProgramVariable& variable : variables_)
      add(viewOf(variable.address, variable.size));
    position_ = out.position();
    if (!out.error().empty()) {
      captures_.complain(path_ + ": " + out.error());
      unlink((path_ + ".part").c_str());
      path_.clear();
    }
  } catch (...) {
    captures_.complain("no memory to capture a launch");
    if (!path_.empty()) unlink((path_ + ".part").c_str());
    path_.clear();
  }
  began_ = hostTime();
  abandon(); // nothing unless the other steps cannot be enqueued
}

void LaunchCapture::writeOutputs() noexcept {
  const Ref<Event> isWritten = isWritten_;
  const cl_int status = launch_->status();
  if (status < 0)
    writeFailure(status);
  else
    writeResults();
  isWritten->setUserStatus(status);
}

void LaunchCapture::writeResults() noexcept {
  constexpr double kPerSecond = 1e-9;
  const auto between = [&](std::uint64_t begin, std::uint64_t end) {
    return static_cast<double>(end - begin) * kPerSecond;
  };
  outcome_.seconds = between(began_, hostTime());
  const std::uint64_t started = launch_->hasProfiling() ? launch_->profilingTime(CL_PROFILING_COMMAND_START) : 0;
  if (started != 0) outcome_.seconds = between(started, launch_->profilingTime(CL_PROFILING_COMMAND_END));
  if (!path_.empty()) addOutputs();
  // The application's event is the marker's, whose times are to have the kernel in them. That may have started before
  // the marker was enqueued.
  if (started == 0) return;
  marker_->setIssuedWith(*launch_);
  marker_->setTimes(started, queue_->device().now());
}

void LaunchCapture::addOutputs() noexcept {
  try {
    const std::string part = path_ + ".part";
    Writer out(makeFd([&] { return open(part.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }), position_);
    out.addFields(Section::Outcome, outcome_);
    // All pages are known before the first output, so each output is visited twice.
    std::vector<std::string> pages;
    const auto forEach = [&](auto&& use) {
      std::size_t index = 0;
      const auto each = [&](std::string_view bytes) { use(index++, bytes); };
      forEachObject(each);
      for (const capture::Shared& shared : description_.shared) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the description has addresses as numbers
        const auto copy = queue_->context().sharedMemory().copyAround(reinterpret_cast<void*>(shared.address));
        const std::string gone(shared.size, '\0');
        each(copy && copy->bytes.size() == shared.size ? std::string_view(copy->bytes) : std::string_view(gone));
      }
      for (const ProgramVariable& variable : variables_)
        each(viewOf(variable.address, variable.size));
    };
    forEach([&](std::size_t i, std::string_view bytes) {
      pages.push_back(capture::changedPages(bytes, hashes_[i]));
      out.add(Section::Pages, pages.back());
    });
    forEach([&](std::size_t i, std::string_view bytes) {
      capture::forEachChanged(bytes, pages[i], [&](std::string_view run) { out.add(Section::Outputs, run); });
    });
    out.end();
    complete(out.error());
  } catch (...) {
    captures_.complain("no memory to capture the results of a launch");
  }
}

/// Gives the file its name, or removes it. The marker behind the launch is not over yet, so that a program that waits
/// for it and ends finds the file.
void LaunchCapture::complete(const std::string& error) {
  const std::string part = path_ + ".part";
  if (!error.empty())
    captures_.complain(path_ + ": " + error);
  else if (rename(part.c_str(), path_.c_str()) != 0)
    captures_.complain(path_ + ": " + std::generic_category().message(errno));
  else
    CLOTHO_LOG(Runtime, Info, "a launch of kernel '%s' was captured: %s", description_.kernel.c_str(), path_.c_str());
  if (!error.empty()) unlink(part.c_str());
  path_.clear();
}

/// A launch that has failed has no outputs.
void LaunchCapture::writeFailure(cl_int status) noexcept {
  if (path_.empty()) return;
  try {
    const std::string part = path_ + ".part";
    outcome_.status = static_cast<std::uint32_t>(status);
    Writer out(makeFd([&] { return open(part.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC); }), position_);
    out.addFields(Section::Outcome, outcome_);
    out.end();
    complete(out.error());
  } catch (...) {
    captures_.complain("no memory to complete a captured launch");
  }
}

/// The second step is over, or has not run because its operands cannot be brought to the host.
void CL_CALLBACK LaunchCapture::finish(cl_event, cl_int status, void* rawSelf) noexcept {
  const std::unique_ptr<LaunchCapture> self(static_cast<LaunchCapture*>(rawSelf));
  if (status >= 0) return;
  const cl_int launch = self->launch_->status();
  if (launch <= CL_COMPLETE) self->writeFailure(launch < 0 ? launch : status);
  self->isWritten_->setUserStatus(launch < 0 ? launch : status);
}

} // namespace clotho
