// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/messages.hpp"
#include "command/storage.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace clotho::node {

/// A memory object of a program, as its node knows it: bytes that lie in one place.
class RemoteObject final : public MemoryView {
 public:
  RemoteObject(Ref<Storage> storage, std::uint64_t begin, std::size_t size, bool isReadOnly)
      : MemoryView(std::move(storage), begin, size, isReadOnly) {}
};

/// The memory of a session: a window of addresses, of which the program uses pieces. Everything that a message says of
/// memory is looked up here before it is used.
class Memory {
 public:
  /// Memory of this process, at addresses that the program has chosen; `isReserved()` is false if something is there.
  Memory(std::uint64_t window, std::uint64_t size);
  /// So much of a device's own memory; `isReserved()` is false if it has not so much.
  Memory(DeviceMemory& device, std::uint64_t size);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool isReserved() const { return isReserved_; }
  std::uint64_t window() const { return window_; }
  /// Gives memory to a piece of the window. False if that cannot be.
  bool use(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// Takes it away again. Nothing that uses it is under way.
  void free(std::uint64_t address) noexcept EXCLUDES(mutex_);

  /// Bytes of one piece; throws CL_INVALID_VALUE if it has no such bytes.
  std::byte* at(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// Puts bytes there; throws like at(), or CL_OUT_OF_RESOURCES if the device fails.
  void write(std::uint64_t address, std::string_view bytes) EXCLUDES(mutex_);
  /// Bytes of a copy for a device that orders commands by itself; null for others. Throws like at().
  Ref<MemoryView> operand(std::uint64_t address, std::uint64_t size) EXCLUDES(mutex_);
  /// What launches know of an argument; the same object for the same argument. Throws like at().
  Ref<RemoteObject> object(const cluster::ArgumentObject& object) EXCLUDES(mutex_);

 private:
  struct Key {
    std::uint64_t begin, size, isReadOnly;
    auto operator<=>(const Key&) const = default;
  };
  /// What the program has asked for, and the objects in it.
  struct Piece {
    std::uint64_t size = 0;
    Ref<Storage> storage;
    std::map<Key, Ref<RemoteObject>> objects;
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  /// The piece with all of these bytes.
  Piece& pieceWith(std::uint64_t address, std::uint64_t size, std::uint64_t& begin) REQUIRES(mutex_);

  DeviceMemory* const device_ = nullptr; ///< null: the memory is this process's
  void* const allocation_ = nullptr;     ///< of the device, in which the window begins on a page
  const std::uint64_t window_, size_;
  bool isReserved_ = false;
  HostMemory none_{0}; ///< storages are made over memory that there is
  const Ref<Homes> homes_;
  Mutex mutex_;
  Pieces pieces_ GUARDED_BY(mutex_);
};

} // namespace clotho::node
