// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/printf_arena.hpp"

#include "base/not_cancelled.hpp"
#include "base/reserved_memory.hpp"
#include "command/node.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace clotho::cpu {

PrintfArena* PrintfArenas::acquire() noexcept {
  {
    ShortLockScope scope(lock_);
    if (PrintfArena* arena = free_) {
      free_ = arena->nextFree;
      return arena;
    }
  }
  constexpr std::size_t kSize = sizeof(PrintfArena) + sizeof(PrintfBuffer) + kPrintfBufferSize;
  ReservedMemory memory = ReservedMemory::reserve(kSize);
  if (!memory.base()) return nullptr;
  if (!memory.makeUsable(0, memory.size())) {
    memory.release();
    return nullptr;
  }
  auto* buffer = reinterpret_cast<PrintfBuffer*>(memory.base() + sizeof(PrintfArena));
  buffer->capacity = kPrintfBufferSize;
  return new (memory.base()) PrintfArena{nullptr, buffer, nullptr};
}

void PrintfArenas::printAndRelease(PrintfArena& arena, std::span<const PrintfFormat> formats,
                                   const StringMemory& strings, Node& node) noexcept {
  PrintfBuffer& buffer = *arena.buffer;
  std::size_t used = std::min<std::uint64_t>(buffer.used, buffer.capacity);
  if (used) {
    const NotCancelled here;
    try {
      std::string text;
      {
        ClassicLocale locale;
        formatRecords({buffer.data, used}, formats, strings, text);
      }
      if (!text.empty()) node.print(text);
    } catch (const std::exception&) {
      // Without memory for the text it is lost; the launch itself has done its work.
    }
    std::memset(buffer.data, 0, used);
    buffer.used = 0;
  }
  ShortLockScope scope(lock_);
  arena.nextFree = free_;
  free_ = &arena;
}

} // namespace clotho::cpu
