// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/source_line.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

// DWARF 5, section 6.2: line number information.
namespace clotho::cpu {

namespace {

enum Form : std::uint64_t {
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kData1 = 0x0b,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
};
enum StandardOpcode : std::uint8_t {
  kExtended,
  kCopy,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kSetBasicBlock,
  kConstAddPc,
  kFixedAdvancePc,
  kSetPrologueEnd,
  kSetEpilogueBegin,
  kSetIsa,
};
constexpr std::uint8_t kEndSequence = 1, kSetAddress = 2; // extended opcodes
constexpr std::uint64_t kPath = 1;                        // DW_LNCT_path

/// Reads bytes one after the other. Behind the end there are zeros, and `isWhole` is false from then on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool isWhole() const { return isWhole_; }
  bool isAtEnd() const { return rest_.empty(); }
  template <class T> T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    const std::string_view bytes = part(sizeof value);
    if (bytes.size() == sizeof value) bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string_view part(std::uint64_t size) {
    if (size > rest_.size()) {
      isWhole_ = false;
      size = rest_.size();
    }
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  std::string_view text() {
    const std::string_view bytes = part(std::min(rest_.find('\0'), rest_.size()));
    take<char>();
    return bytes;
  }
  std::uint64_t unsignedLeb() { return leb().first; }
  std::int64_t signedLeb() {
    const auto [bits, count] = leb();
    const bool isNegative = count > 0 && count < 64 && (bits >> (count - 1) & 1) != 0;
    return static_cast<std::int64_t>(isNegative ? bits | ~std::uint64_t{0} << count : bits);
  }

 private:
  /// A number in groups of seven bits, and how many bits there are.
  std::pair<std::uint64_t, unsigned> leb() {
    std::uint64_t bits = 0;
    unsigned count = 0;
    for (std::uint8_t byte = 0x80; (byte & 0x80) && !isAtEnd(); count += 7) {
      byte = take<std::uint8_t>();
      if (count < 64) bits |= std::uint64_t{byte & 0x7fU} << count;
    }
    return {bits, count};
  }

  std::string_view rest_;
  bool isWhole_ = true;
};

std::string_view textAt(std::string_view section, std::uint64_t offset) {
  return offset < section.size() ? Reader(section.substr(offset)).text() : std::string_view();
}

std::string_view sectionOf(std::string_view object, std::string_view name) {
  const auto header = Reader(object).take<Elf64_Ehdr>();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto sectionAt = [&](std::uint64_t index) {
    Reader reader(object);
    reader.part(header.e_shoff);
    reader.part(index * sizeof(Elf64_Shdr));
    return reader.take<Elf64_Shdr>();
  };
  const auto bytesOf = [&](const Elf64_Shdr& section) {
    Reader reader(object);
    reader.part(section.sh_offset);
    return section.sh_type == SHT_NOBITS || (section.sh_flags & SHF_COMPRESSED) ? std::string_view()
                                                                                : reader.part(section.sh_size);
  };
  const std::string_view names = bytesOf(sectionAt(header.e_shstrndx));
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr section = sectionAt(i);
    if (textAt(names, section.sh_name) == name) return bytesOf(section);
  }
  return {};
}

struct Sections {
  std::string_view lines, lineStrings, strings;
};

/// One unit of the line table.
class LineProgram {
 public:
  /// `unit` is what follows its length.
  LineProgram(std::string_view unit, const Sections& sections) : sections_(sections), program_({}) {
    Reader reader(unit);
    isUsable_ = reader.take<std::uint16_t>() == 5 && reader.take<std::uint8_t>() == sizeof(std::uint64_t);
    reader.take<std::uint8_t>(); // size of segment selectors
    Reader header(reader.part(reader.take<std::uint32_t>()));
    program_ = reader;
    leastInstruction_ = header.take<std::uint8_t>();
    header.take<std::uint8_t>(); // most operations of an instruction
    header.take<std::uint8_t>(); // whether rows begin statements
    lineBase_ = header.take<std::int8_t>();
    lineRange_ = header.take<std::uint8_t>();
    const auto opcodes = header.take<std::uint8_t>();
    operandCounts_ = header.part(opcodes == 0 ? 0 : opcodes - 1U);
    readNames(header); // folders
    files_ = readNames(header);
    isUsable_ = isUsable_ && lineRange_ != 0 && opcodes != 0 && header.isWhole();
  }

  std::optional<std::string> find(std::uint64_t address) {
    Row before;
    bool hasBefore = false;
    while (isUsable_ && program_.isWhole() && !program_.isAtEnd()) {
      if (!step()) continue;
      if (hasBefore && before.address <= address && address < row_.address) return nameOf(before);
      before = row_;
      hasBefore = !std::exchange(isEnd_, false);
      if (!hasBefore) row_ = Row();
    }
    return std::nullopt;
  }

 private:
  struct Row {
    std::uint64_t address = 0, file = 1, line = 1;
  };

  /// The paths of a table of folders or files.
  std::vector<std::string_view> readNames(Reader& header) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> format(header.take<std::uint8_t>());
    for (auto& [content, form] : format) {
      content = header.unsignedLeb();
      form = header.unsignedLeb();
    }
    std::vector<std::string_view> names;
    if (format.empty()) return names;
    for (std::uint64_t left = header.unsignedLeb(); left > 0 && header.isWhole(); --left)
      for (auto [content, form] : format) {
        const std::string_view text = readForm(header, form);
        if (content == kPath) names.push_back(text);
      }
    return names;
  }

  /// The text, if it is one.
  std::string_view readForm(Reader& reader, std::uint64_t form) const {
    switch (form) {
    case kString: return reader.text();
    case kLineStrp: return textAt(sections_.lineStrings, reader.take<std::uint32_t>());
    case kStrp: return textAt(sections_.strings, reader.take<std::uint32_t>());
    case kUdata: reader.unsignedLeb(); break;
    case kBlock: reader.part(reader.unsignedLeb()); break;
    case kData1: reader.part(1); break;
    case kData2: reader.part(2); break;
    case kData4: reader.part(4); break;
    case kData8: reader.part(8); break;
    case kData16: reader.part(16); break;
    default: reader.part(UINT64_MAX); break; // of unknown size: nothing behind it can be read
    }
    return {};
  }

  /// True when the table has a row more.
  bool step() {
    const auto opcode = program_.take<std::uint8_t>();
    const std::uint64_t firstSpecial = operandCounts_.size() + 1;
    if (opcode >= firstSpecial) {
      advanceBySpecial(opcode - firstSpecial);
      row_.line +=
          static_cast<std::uint64_t>(lineBase_ + static_cast<std::int64_t>((opcode - firstSpecial) % lineRange_));
      return true;
    }
    switch (opcode) {
    case kExtended: return stepExtended(Reader(program_.part(program_.unsignedLeb())));
    case kCopy: return true;
    case kAdvancePc: row_.address += program_.unsignedLeb() * leastInstruction_; break;
    case kAdvanceLine: row_.line += static_cast<std::uint64_t>(program_.signedLeb()); break;
    case kSetFile: row_.file = program_.unsignedLeb(); break;
    case kConstAddPc: advanceBySpecial(UINT8_MAX - firstSpecial); break;
    case kFixedAdvancePc: row_.address += program_.take<std::uint16_t>(); break;
    default: // columns and so on
      for (auto left = static_cast<std::uint8_t>(operandCounts_[opcode - 1U]); left > 0; --left)
        program_.unsignedLeb();
    }
    return false;
  }

  bool stepExtended(Reader operation) {
    const auto opcode = operation.take<std::uint8_t>();
    if (opcode == kSetAddress) row_.address = operation.take<std::uint64_t>();
    isEnd_ = opcode == kEndSequence;
    return isEnd_;
  }

  void advanceBySpecial(std::uint64_t adjusted) { row_.address += adjusted / lineRange_ * leastInstruction_; }

  /// Line 0 is code that no line of the source stands for.
  std::string nameOf(const Row& row) const {
    if (row.line == 0 || row.file >= files_.size()) return {};
    return std::string(files_[row.file]) + ":" + std::to_string(row.line);
  }

  const Sections sections_;
  bool isUsable_ = false, isEnd_ = false;
  std::uint8_t leastInstruction_ = 0, lineRange_ = 0;
  std::int8_t lineBase_ = 0;
  std::string_view operandCounts_;
  std::vector<std::string_view> files_;
  Reader program_;
  Row row_;
};

} // namespace

std::string sourceLineOf(std::string_view object, std::uint64_t address) {
  const Sections sections{sectionOf(object, ".debug_line"), sectionOf(object, ".debug_line_str"),
                          sectionOf(object, ".debug_str")};
  constexpr std::uint32_t kLongForm = 0xfffffff0; // DWARF of 64 bits, which we do not write
  for (Reader reader(sections.lines); !reader.isAtEnd() && reader.isWhole();) {
    const auto length = reader.take<std::uint32_t>();
    if (length >= kLongForm) break;
    if (std::optional<std::string> found = LineProgram(reader.part(length), sections).find(address)) return *found;
  }
  return {};
}

} // namespace clotho::cpu
