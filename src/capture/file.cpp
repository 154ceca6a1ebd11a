// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/file.hpp"

#include "base/file_size_limit.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>
#include <xxhash.h>
#include <zstd.h>

namespace clotho::capture {

namespace {

/// The header of a chunk, before its bytes: section, size, stored size, checksum.
constexpr std::size_t kChunkHeader = 3 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
/// Capturing is to take about as long as copying.
constexpr int kCompressionLevel = 1;
/// No launch has as many bytes, so a file that claims them is damaged.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 42;

std::uint64_t checksum(std::string_view stored, Section section, std::uint32_t size, std::uint64_t index) {
  const std::uint64_t place[3] = {static_cast<std::uint64_t>(section), size, index};
  return XXH3_64bits_withSeed(stored.data(), stored.size(), XXH3_64bits(place, sizeof place));
}

/// Takes the chunks of a file apart.
class Chunks {
 public:
  Chunks(std::string_view bytes, std::string& why) : rest_(bytes), why_(why) {}

  struct Chunk {
    Section section;
    std::string bytes;
  };
  /// False at the end of the file, and if it is damaged, which `why` tells.
  bool next(Chunk& chunk) {
    if (rest_.empty()) return false;
    ByteReader in(rest_);
    const std::uint32_t section = in.u32(), size = in.u32(), stored = in.u32();
    const std::uint64_t sum = in.u64();
    const std::string_view bytes = in.raw(stored);
    if (!in.ok()) return fail("ends early");
    if (section < static_cast<std::uint32_t>(Section::Description) ||
        section > static_cast<std::uint32_t>(Section::End) || size > kChunkBytes || stored > size ||
        checksum(bytes, static_cast<Section>(section), size, index_) != sum)
      return fail("is damaged");
    chunk.section = static_cast<Section>(section);
    if (stored == size) {
      chunk.bytes = bytes;
    } else {
      chunk.bytes.resize(size);
      if (ZSTD_decompress(chunk.bytes.data(), size, bytes.data(), stored) != size) return fail("is damaged");
    }
    rest_.remove_prefix(kChunkHeader + stored);
    ++index_;
    return true;
  }
  bool hasFailed() const { return hasFailed_; }

 private:
  bool fail(const char* what) {
    why_ = "chunk " + std::to_string(index_) + " " + what;
    hasFailed_ = true;
    return false;
  }

  std::string_view rest_;
  std::string& why_;
  std::uint64_t index_ = 0;
  bool hasFailed_ = false;
};

template <class Fields> bool readFields(std::string_view bytes, Fields& fields) {
  ByteReader in(bytes);
  FieldReader{in}(fields);
  return in.finished();
}

std::size_t pagesOf(std::uint64_t size) { return static_cast<std::size_t>((size + kPageBytes - 1) / kPageBytes); }

/// Cuts the bytes of a section into the objects'.
bool cut(std::string_view bytes, const std::vector<std::uint64_t>& sizes, std::vector<std::string>& contents) {
  for (const std::uint64_t size : sizes) {
    if (size > bytes.size()) return false;
    contents.emplace_back(bytes.substr(0, static_cast<std::size_t>(size)));
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return bytes.empty();
}

/// The outputs, by the inputs and the pages that differ from these.
bool merge(std::string_view pages, std::string_view bytes, const std::vector<std::string>& inputs,
           std::vector<std::string>& outputs) {
  for (const std::string& input : inputs) {
    const std::size_t count = pagesOf(input.size());
    if (pages.size() < count) return false;
    std::string& output = outputs.emplace_back(input);
    for (std::size_t i = 0; i < count; ++i) {
      if (pages[i] == 0) continue;
      const std::size_t size = std::min(kPageBytes, input.size() - i * kPageBytes);
      if (bytes.size() < size) return false;
      bytes.copy(output.data() + i * kPageBytes, size);
      bytes.remove_prefix(size);
    }
    pages.remove_prefix(count);
  }
  return pages.empty() && bytes.empty();
}

/// Whether a buffer over shared memory lies in some that was captured, so that a replay gives it no other bytes.
bool liesInShared(const Memory& memory, const std::vector<Shared>& shared) {
  return std::any_of(shared.begin(), shared.end(), [&](const Shared& each) {
    const std::uint64_t offset = memory.hostAddress - each.address;
    return memory.hostAddress >= each.address && offset < each.size && memory.size <= each.size - offset;
  });
}

/// Whether the contents of a pipe are of its size.
bool isPipe(const Memory& memory) {
  const Shape& shape = memory.shape;
  const std::uint64_t room = memory.stored - sizeof(std::uint64_t);
  return memory.parent == kNone && memory.stored >= sizeof(std::uint64_t) && shape.width != 0 && shape.height != 0 &&
         room % shape.width == 0 && room / shape.width == shape.height;
}

/// References between the parts of a description lead to what is there, and addresses and their pages do not wrap.
bool isConsistent(const Description& description) {
  for (const Shared& shared : description.shared)
    if (shared.size > kMostBytes || shared.address > UINT64_MAX - kMostBytes - kPageBytes) return false;
  const auto& memories = description.memories;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    const Memory& memory = memories[i];
    if (memory.parent != kNone && memory.parent >= i) return false;
    if (memory.kind == MemoryKind::SubBuffer && memory.parent == kNone) return false;
    if (memory.kind == MemoryKind::Pipe && !isPipe(memory)) return false;
    if (memory.kind == MemoryKind::Buffer && memory.isShared && !liesInShared(memory, description.shared)) return false;
  }
  for (const Argument& argument : description.arguments)
    if (argument.kind == ArgumentKind::Memory && argument.number >= memories.size()) return false;
  const NdRange& range = description.range;
  return range.dimensions >= 1 && range.dimensions <= 3 && !description.program.units.empty();
}

} // namespace

std::vector<std::uint64_t> contentSizes(const Description& description) {
  std::vector<std::uint64_t> sizes;
  sizes.reserve(description.memories.size() + description.shared.size() + description.variables.size());
  for (const Memory& memory : description.memories)
    sizes.push_back(memory.stored);
  for (const Shared& shared : description.shared)
    sizes.push_back(shared.size);
  for (const Variable& variable : description.variables)
    sizes.push_back(variable.size);
  return sizes;
}

std::vector<std::uint64_t> pageHashes(std::string_view bytes) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(pagesOf(bytes.size()));
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kPageBytes, bytes.size())))
    hashes.push_back(XXH3_64bits(bytes.data(), std::min(kPageBytes, bytes.size())));
  return hashes;
}

std::string changedPages(std::string_view outputs, std::span<const std::uint64_t> inputs) {
  const std::vector<std::uint64_t> now = pageHashes(outputs);
  std::string pages(now.size(), '\0');
  for (std::size_t i = 0; i < now.size(); ++i)
    pages[i] = now[i] == inputs[i] ? '\0' : '\1';
  return pages;
}

Writer::Writer(UniqueFd file, Position from) : file_(std::move(file)), position_(from) {
  if (!file_) error_ = std::generic_category().message(errno);
}

void Writer::begin() {
  ByteWriter out;
  out.raw(kMagic);
  out.u32(kVersion);
  write(out.bytes());
}

void Writer::add(Section section, std::string_view bytes) {
  for (; !bytes.empty() && error_.empty(); bytes.remove_prefix(std::min(kChunkBytes, bytes.size())))
    addChunk(section, bytes.substr(0, kChunkBytes));
}

void Writer::end() { addChunk(Section::End, {}); }

void Writer::addChunk(Section section, std::string_view bytes) {
  if (!error_.empty()) return;
  std::string_view stored = bytes;
  compressed_.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress(compressed_.data(), compressed_.size(), bytes.data(), bytes.size(), kCompressionLevel);
  if (ZSTD_isError(size) == 0 && size < bytes.size()) stored = std::string_view(compressed_).substr(0, size);
  ByteWriter header;
  header.u32(static_cast<std::uint32_t>(section));
  header.u32(static_cast<std::uint32_t>(bytes.size()));
  header.u32(static_cast<std::uint32_t>(stored.size()));
  header.u64(checksum(stored, section, static_cast<std::uint32_t>(bytes.size()), position_.chunks));
  write(header.bytes());
  write(stored);
  ++position_.chunks;
}

void Writer::write(std::string_view bytes) {
  if (error_.empty() && !isWithinFileSizeLimit(position_.bytes + bytes.size()))
    error_ = "files may not be as large (RLIMIT_FSIZE)";
  while (error_.empty() && !bytes.empty()) {
    const ssize_t size = retryInterrupted([&] { return ::write(file_.get(), bytes.data(), bytes.size()); });
    if (size <= 0) {
      error_ = size < 0 ? std::generic_category().message(errno) : "no bytes were written";
    } else {
      bytes.remove_prefix(static_cast<std::size_t>(size));
      position_.bytes += static_cast<std::uint64_t>(size);
    }
  }
}

std::optional<Contents> parse(std::string_view bytes, std::string& why) {
  const auto fail = [&](const char* what) {
    why = what;
    return std::nullopt;
  };
  if (!bytes.starts_with(kMagic)) return fail("no captured launch");
  bytes.remove_prefix(kMagic.size());
  ByteReader header(bytes);
  const std::uint32_t version = header.u32();
  if (!header.ok()) return fail("the file ends early");
  if (version == 0 || version > kVersion) return fail("a captured launch of a newer version of Clotho");
  std::string damage;
  std::string sections[static_cast<std::size_t>(Section::End) + 1];
  const auto of = [&](Section section) -> std::string& { return sections[static_cast<std::size_t>(section)]; };
  Chunks chunks(bytes.substr(sizeof version), why);
  Section last = Section::Description;
  for (Chunks::Chunk chunk; chunks.next(chunk);) {
    if (chunk.section < last || last == Section::End) {
      damage = "sections are not in their order";
      break;
    }
    last = chunk.section;
    of(last) += chunk.bytes;
    if (of(last).size() > kMostBytes) return fail("too many bytes");
  }
  if (chunks.hasFailed()) damage = std::exchange(why, {});
  const auto failBy = [&](const char* what) { return fail(damage.empty() ? what : damage.c_str()); };

  Contents contents;
  if (!readFields(of(Section::Description), contents.description) || !isConsistent(contents.description))
    return failBy("the description makes no sense");
  const std::vector<std::uint64_t> sizes = contentSizes(contents.description);
  if (!cut(of(Section::Inputs), sizes, contents.inputs))
    return failBy("the inputs are not of the size that the description says");
  if (last <= Section::Inputs && damage.empty()) return contents; // the process has ended during the launch
  Outcome outcome;
  if (damage.empty() && last != Section::End) damage = "the file ends early";
  if (damage.empty() && !readFields(of(Section::Outcome), outcome)) damage = "the outcome makes no sense";
  const bool hasOutputs = static_cast<std::int32_t>(outcome.status) >= 0;
  if (damage.empty() && hasOutputs &&
      !merge(of(Section::Pages), of(Section::Outputs), contents.inputs, contents.outputs))
    damage = "the outputs are not of the size that the description says";
  contents.damage = damage;
  if (damage.empty())
    contents.outcome = outcome;
  else
    contents.outputs.clear();
  return contents;
}

bool write(const std::string& path, const Contents& contents, std::string& why) {
  const std::string unfinished = path + ".part";
  Writer out(makeFd([&] { return open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }), {});
  out.begin();
  out.addFields(Section::Description, contents.description);
  for (const std::string& input : contents.inputs)
    out.add(Section::Inputs, input);
  if (contents.outcome) {
    out.addFields(Section::Outcome, *contents.outcome);
    std::vector<std::string> pages;
    for (std::size_t i = 0; i < contents.outputs.size(); ++i) {
      pages.push_back(changedPages(contents.outputs[i], pageHashes(contents.inputs[i])));
      out.add(Section::Pages, pages.back());
    }
    for (std::size_t i = 0; i < contents.outputs.size(); ++i)
      forEachChanged(contents.outputs[i], pages[i], [&](std::string_view bytes) { out.add(Section::Outputs, bytes); });
    out.end();
  }
  why = out.error();
  if (why.empty() && rename(unfinished.c_str(), path.c_str()) != 0) why = std::generic_category().message(errno);
  if (!why.empty()) unlink(unfinished.c_str());
  return why.empty();
}

} // namespace clotho::capture
