// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "capture/capture.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The file of a captured launch: a magic number, a version, and chunks. A chunk has at most kChunkBytes of one
/// section, compressed, and a checksum that also depends on its place, so that chunks cannot be lost or change places.
namespace clotho::capture {

inline constexpr std::string_view kMagic = "\x93"
                                           "CLCAP\r\n";
/// Version 1 had no pipes.
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
/// The unit in which outputs are compared with inputs: pages that are as they were are not in the file again.
inline constexpr std::size_t kPageBytes = 4096;

enum class Section : std::uint32_t { Description = 1, Inputs, Outcome, Pages, Outputs, End };

/// Hashes of the pages of some contents.
std::vector<std::uint64_t> pageHashes(std::string_view bytes);

/// Appends to a file. Errors are kept: the first one is what `error` says, and later calls do nothing.
class Writer {
 public:
  /// The place at which an earlier writer of the same file has stopped.
  struct Position {
    std::uint64_t chunks = 0, bytes = 0;
  };
  /// Begins the file, or goes on at `from` if that is not its beginning.
  Writer(UniqueFd file, Position from);

  void begin();
  void add(Section section, std::string_view bytes);
  template <class Fields> void addFields(Section section, const Fields& fields) {
    ByteWriter out;
    FieldWriter{out}(fields);
    add(section, out.bytes());
  }
  void end();
  Position position() const { return position_; }
  /// Empty if all has gone well.
  const std::string& error() const { return error_; }

 private:
  void addChunk(Section section, std::string_view bytes);
  void write(std::string_view bytes);

  UniqueFd file_;
  Position position_;
  std::string compressed_;
  std::string error_;
};

/// A capture that has been read, or is to be written.
struct Contents {
  Description description;
  std::vector<std::string> inputs;  ///< by contentSizes
  std::optional<Outcome> outcome;   ///< none if the process ended during the launch
  std::vector<std::string> outputs; ///< as the inputs; empty if the launch has failed
  std::string damage;               ///< of the file behind its inputs, which costs the outcome; not written
};

/// Reads what is in a file. On failure, `why` says what is wrong with it. A file that is cut or damaged behind its
/// inputs still has these.
std::optional<Contents> parse(std::string_view bytes, std::string& why);
/// Writes a file with these contents; the way back.
bool write(const std::string& path, const Contents& contents, std::string& why);

/// For each page of an object's outputs, whether it differs from the inputs, which had these hashes: a byte, 0 or 1.
std::string changedPages(std::string_view outputs, std::span<const std::uint64_t> inputs);

/// Calls `use` with the bytes of each run of changed pages.
template <class Use> void forEachChanged(std::string_view outputs, std::string_view pages, Use&& use) {
  for (std::size_t begin = pages.find('\1'); begin != std::string_view::npos;) {
    const std::size_t end = std::min(pages.find('\0', begin), pages.size());
    use(outputs.substr(begin * kPageBytes, (end - begin) * kPageBytes));
    begin = pages.find('\1', end);
  }
}

} // namespace clotho::capture
