// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a trace says of events.
#include "command/traced.hpp"
#include "runtime/objects/event.hpp"
#include "runtime/objects/queue.hpp"

#include <new>

namespace clotho {

namespace {

/// How the application calls a command that is no launch.
const trace::Name& nameOf(cl_command_type type) {
  struct Row {
    cl_command_type type;
    trace::Name name;
  };
  static constinit const Row kRows[] = {
      {CL_COMMAND_READ_BUFFER, trace::Name("read buffer")},
      {CL_COMMAND_READ_BUFFER_RECT, trace::Name("read buffer rect")},
      {CL_COMMAND_WRITE_BUFFER, trace::Name("write buffer")},
      {CL_COMMAND_WRITE_BUFFER_RECT, trace::Name("write buffer rect")},
      {CL_COMMAND_COPY_BUFFER, trace::Name("copy buffer")},
      {CL_COMMAND_COPY_BUFFER_RECT, trace::Name("copy buffer rect")},
      {CL_COMMAND_FILL_BUFFER, trace::Name("fill buffer")},
      {CL_COMMAND_READ_IMAGE, trace::Name("read image")},
      {CL_COMMAND_WRITE_IMAGE, trace::Name("write image")},
      {CL_COMMAND_COPY_IMAGE, trace::Name("copy image")},
      {CL_COMMAND_COPY_IMAGE_TO_BUFFER, trace::Name("copy image to buffer")},
      {CL_COMMAND_COPY_BUFFER_TO_IMAGE, trace::Name("copy buffer to image")},
      {CL_COMMAND_FILL_IMAGE, trace::Name("fill image")},
      {CL_COMMAND_MAP_BUFFER, trace::Name("map buffer")},
      {CL_COMMAND_MAP_IMAGE, trace::Name("map image")},
      {CL_COMMAND_UNMAP_MEM_OBJECT, trace::Name("unmap")},
      {CL_COMMAND_MIGRATE_MEM_OBJECTS, trace::Name("migrate")},
      {CL_COMMAND_SVM_MEMCPY, trace::Name("copy shared memory")},
      {CL_COMMAND_SVM_MEMFILL, trace::Name("fill shared memory")},
      {CL_COMMAND_SVM_MAP, trace::Name("map shared memory")},
      {CL_COMMAND_SVM_UNMAP, trace::Name("unmap shared memory")},
      {CL_COMMAND_SVM_FREE, trace::Name("free shared memory")},
      {CL_COMMAND_SVM_MIGRATE_MEM, trace::Name("migrate shared memory")},
      {CL_COMMAND_NATIVE_KERNEL, trace::Name("native kernel")},
      {CL_COMMAND_MARKER, trace::Name("marker")},
      {CL_COMMAND_BARRIER, trace::Name("barrier")},
  };
  static constinit const trace::Name kOther("command");
  for (const Row& row : kRows)
    if (row.type == type) return row.name;
  return kOther;
}

} // namespace

trace::NameId Event::traceName() const noexcept {
  if (std::get_if<Launch>(&command()) || std::get_if<Sequence>(&command())) return clotho::traceName(command());
  return nameOf(type_).id();
}

void Event::traceEnd(cl_int status) noexcept {
  trace::CommandRun run{.queued = stamps_[Queued],
                        .submitted = stamps_[Submitted],
                        .started = stamps_[Started],
                        .ended = stamps_[Ended],
                        .amount = traceBytes(command()),
                        .id = traceId(),
                        .name = traceName(),
                        .status = status,
                        .ranHere = runsHere()};
  if (const auto* launch = std::get_if<Launch>(&command())) {
    run.isLaunch = true;
    run.amount = static_cast<std::uint64_t>(launch->range.items());
    run.version = launch->kernel->traceVersion();
    const LaunchWork work = workOf(*launch);
    run.flops = work.flops;
    run.bytes = work.bytes;
  }
  trace::add(run);
  if (!tracedWaits_) return;
  for (const trace::CommandId each : *tracedWaits_)
    trace::add(trace::Arrow{.at = run.started ? run.started : run.ended, .from = each, .to = run.id, .isHead = true});
}

void Event::traceSuccessor(const Node& successor) noexcept {
  if (successor.traceId().queue != 0)
    trace::add(trace::Arrow{.at = stamps_[Ended], .from = traceId(), .to = successor.traceId()});
}

void Event::noteTracedWaits(std::span<Event* const> events) noexcept {
  try {
    auto waits = std::make_unique<std::vector<trace::CommandId>>();
    for (const Event* each : events)
      if (each->isTraced()) waits->push_back(each->traceId());
    if (!waits->empty()) tracedWaits_ = std::move(waits);
  } catch (const std::bad_alloc&) {
    // The trace lacks some arrows.
  }
}

} // namespace clotho
