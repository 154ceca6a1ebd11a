// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates of recorded launches, and queries of them (cl_khr_command_buffer_mutable_dispatch).
#include "api/command_buffer.hpp"
#include "api/kernel_arguments.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

using Config = khr::cl_mutable_dispatch_config_khr;

template <class T> void checkList(cl_uint count, const T* list) {
  check((count == 0) == (list == nullptr), CL_INVALID_VALUE, "a list and its length do not agree");
}

void checkField(const Dispatch& dispatch, cl_mutable_dispatch_fields_khr field, bool isUpdated) {
  check(!isUpdated || (dispatch.fields & field), CL_INVALID_OPERATION, "the launch was not recorded to be updated so");
}

bool isUniform(const NDRange& range) {
  for (std::size_t i = 0; i < 3; ++i)
    if (range.global[i] % range.local[i] != 0) return false;
  return true;
}

/// Launches of one command buffer that are being updated. Nothing of it is seen before all of it is known to be right.
class Updates {
 public:
  explicit Updates(CommandBuffer& buffer) : buffer_(buffer) {}

  void add(const Config& config) {
    Change& change = changeOf(config.command);
    Dispatch& dispatch = change.command.dispatch.value();
    check(config.work_dim == 0 || config.work_dim == dispatch.dimensions, CL_INVALID_OPERATION,
          "another number of dimensions than was recorded");
    checkList(config.num_args, config.arg_list);
    checkList(config.num_svm_args, config.arg_svm_list);
    checkList(config.num_exec_infos, config.exec_info_list);
    checkField(dispatch, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, config.global_work_offset != nullptr);
    checkField(dispatch, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, config.global_work_size != nullptr);
    checkField(dispatch, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR, config.local_work_size != nullptr);
    checkField(dispatch, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, config.num_args > 0 || config.num_svm_args > 0);
    checkField(dispatch, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR, config.num_exec_infos > 0);
    setArguments(config, change, dispatch);
    setRange(config, dispatch);
  }

  /// Makes the launches; then all of them take the place of those before.
  void commit() {
    std::vector<CommandBuffer::Update> updates;
    for (Change& change : changes_) {
      Dispatch& dispatch = change.command.dispatch.value();
      const Queue& queue = *buffer_.queues()[change.command.lane];
      const CheckedLaunch checked = checkDispatch(queue, dispatch, /*mayLackArguments=*/true);
      check(!dispatch.hasLocal || isUniform(dispatch.range) == isUniform(checked.range), CL_INVALID_OPERATION,
            "work-groups that were of one size would not be, or the other way round");
      dispatch.range = checked.range;
      Ref<RecordedCommand> command = recordedLaunch(queue, dispatch, checked);
      updates.push_back({change.number, std::move(dispatch), std::move(command)});
    }
    buffer_.update(updates);
  }

 private:
  struct Change {
    std::uint32_t number;
    CommandBuffer::Command command;
    bool ownsState = false; ///< its kernel is a clone made for this update
  };

  /// A command may be named by several elements: the later ones come on top.
  Change& changeOf(cl_mutable_command_khr raw) {
    const Ref<MutableCommand> handle = object(raw);
    check(handle->buffer() == &buffer_, CL_INVALID_MUTABLE_COMMAND_KHR, "the command is one of another command buffer");
    const auto known = std::find_if(changes_.begin(), changes_.end(),
                                    [&](const Change& each) { return each.number == handle->number(); });
    if (known != changes_.end()) return *known;
    return changes_.emplace_back(Change{handle->number(), buffer_.commandOf(*handle)});
  }

  static void setArguments(const Config& config, Change& change, Dispatch& dispatch) {
    if (config.num_args + config.num_svm_args + config.num_exec_infos == 0) return;
    if (!std::exchange(change.ownsState, true)) dispatch.state = make<Kernel>(Kernel::CloneOf{*dispatch.state});
    Kernel& kernel = *dispatch.state;
    for (cl_uint i = 0; i < config.num_args; ++i)
      setArgument(kernel, config.arg_list[i].arg_index, config.arg_list[i].arg_size, config.arg_list[i].arg_value);
    for (cl_uint i = 0; i < config.num_svm_args; ++i)
      setSvmPointer(kernel, config.arg_svm_list[i].arg_index, config.arg_svm_list[i].arg_value);
    for (cl_uint i = 0; i < config.num_exec_infos; ++i)
      setExecInfo(kernel, config.exec_info_list[i].param_name, config.exec_info_list[i].param_value_size,
                  config.exec_info_list[i].param_value);
  }

  static void setRange(const Config& config, Dispatch& dispatch) {
    for (cl_uint i = 0; i < dispatch.dimensions; ++i) {
      if (config.global_work_offset) dispatch.offset[i] = config.global_work_offset[i];
      if (config.global_work_size) dispatch.global[i] = config.global_work_size[i];
      if (config.local_work_size) dispatch.local[i] = config.local_work_size[i];
    }
    if (config.local_work_size) dispatch.hasLocal = true;
  }

  CommandBuffer& buffer_;
  std::vector<Change> changes_;
};

} // namespace

cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr rawBuffer, cl_uint count,
                                              const khr::cl_command_buffer_update_type_khr* types,
                                              const void** configs) {
  return call([&] {
    const Ref<CommandBuffer> buffer = object(rawBuffer);
    check(buffer->state() != CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_INVALID_OPERATION,
          "the command buffer is not finalized");
    check(buffer->isMutable(), CL_INVALID_OPERATION, "the command buffer was not made to be updated");
    checkList(count, types);
    checkList(count, configs);
    Updates updates(*buffer);
    for (cl_uint i = 0; i < count; ++i) {
      check(types[i] == CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, CL_INVALID_VALUE, "unknown type of an update");
      check(configs[i], CL_INVALID_VALUE, "an update that is missing");
      updates.add(*static_cast<const Config*>(configs[i]));
    }
    updates.commit();
  });
}

cl_int CL_API_CALL clGetMutableCommandInfoKHR(cl_mutable_command_khr rawCommand, cl_mutable_command_info_khr name,
                                              size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<MutableCommand> handle = object(rawCommand);
    // Another thread may be releasing the command buffer, whose place in memory another one may have by now.
    const Ref<CommandBuffer> buffer = Ref<CommandBuffer>::ifAlive(handle->buffer());
    check(buffer.get() != nullptr, CL_INVALID_MUTABLE_COMMAND_KHR, "the command buffer is released");
    const CommandBuffer::Command command = buffer->commandOf(*handle);
    const Dispatch& dispatch = command.dispatch.value(); // other commands have no handles
    const auto sizes = [&](const std::array<size_t, 3>& all) { return std::span(all).first(dispatch.dimensions); };
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR: return out.put<cl_command_queue>(buffer->queues()[command.lane].get());
    case CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR: return out.put<cl_command_buffer_khr>(buffer.get());
    case CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR: return out.put<cl_command_type>(command.type);
    case CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR: return out.list<khr::cl_command_properties_khr>(command.propertyList);
    case CL_MUTABLE_DISPATCH_KERNEL_KHR: return out.put<cl_kernel>(dispatch.kernel.get());
    case CL_MUTABLE_DISPATCH_DIMENSIONS_KHR: return out.put<cl_uint>(dispatch.dimensions);
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR: return out.list<size_t>(sizes(dispatch.offset));
    case CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR: return out.list<size_t>(sizes(dispatch.global));
    case CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR: return out.list<size_t>(sizes(dispatch.local));
    default: throw Error{CL_INVALID_VALUE, "unknown cl_mutable_command_info_khr"};
    }
  });
}

} // namespace clotho::api
