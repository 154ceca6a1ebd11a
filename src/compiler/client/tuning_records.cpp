// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/tuning_records.hpp"

#include "base/folder.hpp"
#include "base/log.hpp"
#include "base/unique_fd.hpp"
#include "compiler/client/cache_files.hpp"
#include "compiler/client/fields.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/client/trusted_folder.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace clotho {

template <Of<TrialFigures> Type, class Visit> void visitFields(Type& figures, Visit&& visit) {
  auto& [gain, error, launches] = figures;
  visitEach(visit, gain, error, launches);
}

constexpr TunedCode::Verdict lastOf(TunedCode::Verdict) { return TunedCode::Verdict::Dropped; }

template <Of<TunedCode> Type, class Visit> void visitFields(Type& code, Visit&& visit) {
  auto& [kernel, version, verdict, figures, width, widthFigures, isWidthKnown, when] = code;
  visitEach(visit, kernel, version, verdict, figures, width, widthFigures, isWidthKnown, when);
}

template <Of<TuningRecords::File> Type, class Visit> void visitFields(Type& file, Visit&& visit) {
  auto& [processor, starts, codes] = file;
  visitEach(visit, processor, starts, codes);
}

namespace {

constexpr std::uint64_t kMagic = 0x64656e75746f6c63; // "clotuned"
constexpr std::uint32_t kFormat = 1;

std::string nameOf(const BuildKey& key) { return key.hex() + std::string(kTuningSuffix); }

std::uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec);
}

/// The disk cache reports why a folder is not used.
UniqueFd open(const std::string& folder, bool create) {
  std::string why;
  return folder.empty() ? UniqueFd() : openTrustedFolder(folder, create, why);
}

std::optional<TuningRecords::File> read(int folder, const BuildKey& program) {
  const std::optional<std::string> bytes = readCacheFile(folder, nameOf(program));
  if (!bytes) return std::nullopt;
  auto file = TuningRecords::decode(&program, *bytes);
  if (!file) CLOTHO_LOG(Cache, Info, "%s is damaged or of another driver, and does not count", nameOf(program).c_str());
  return file;
}

bool isTuningFile(const dirent& item) { return std::string_view(item.d_name).ends_with(kTuningSuffix); }

} // namespace

std::string TrialFigures::text() const {
  if (launches == 0) return "not tried";
  constexpr double kMostError = 4; // Larger errors, beyond a factor of 16, mean that the gain is not known.
  // Formats by hand, since printf would use the locale's decimal point.
  const auto times = [](double logarithm) {
    const long hundredths = std::lround(100 * std::exp2(std::clamp(logarithm, -20.0, 20.0)));
    return std::to_string(hundredths / 100) + '.' + std::to_string(100 + hundredths % 100).substr(1);
  };
  const std::string range =
      error < kMostError ? times(gain - error) + " to " + times(gain + error) : "which varies too much to tell";
  return times(gain) + " times as fast (" + range + ", " + std::to_string(launches) +
         (launches == 1 ? " launch)" : " launches)");
}

std::string TuningRecords::encode(const BuildKey& program, const File& file) {
  ByteWriter payload;
  FieldWriter{payload}(file);
  const BuildKey checksum = hashBytes(payload.bytes());
  ByteWriter out;
  out.u64(kMagic);
  out.u32(kFormat);
  FieldWriter{out}(program.words);
  FieldWriter{out}(checksum.words);
  out.raw(payload.bytes());
  return out.take();
}

std::optional<TuningRecords::File> TuningRecords::decode(const BuildKey* program, std::string_view bytes) {
  constexpr std::size_t kHeader = 8 + 4 + 16 + 16;
  ByteReader header(bytes.substr(0, kHeader));
  const bool isOurs = header.u64() == kMagic && header.u32() == kFormat;
  BuildKey key{}, checksum{};
  FieldReader{header}(key.words);
  FieldReader{header}(checksum.words);
  if (!header.finished() || !isOurs || (program != nullptr && key != *program)) return std::nullopt;
  const std::string_view payload = bytes.substr(kHeader);
  if (hashBytes(payload) != checksum) return std::nullopt;
  ByteReader in(payload);
  File file;
  FieldReader{in}(file);
  if (!in.finished() || file.codes.size() > kMostCodes) return std::nullopt;
  return file;
}

TuningRecord TuningRecords::start(const BuildKey& program) const {
  const UniqueFd folder = open(folder_, false);
  const std::optional<File> file = folder ? read(folder.get(), program) : std::nullopt;
  if (!file) return {};
  // A folder that takes no files would have each process try again.
  if (file->starts % kStarts == kStarts - 1 && countStart(program)) {
    CLOTHO_LOG(Runtime, Info, "what trials have found out before is tried again");
    return {};
  }
  TuningRecord record{file->codes};
  const std::uint64_t time = now();
  // Times in the future come from another clock.
  std::erase_if(record.codes, [&](const TunedCode& code) { return code.when > time || time - code.when > kOldAge; });
  return record;
}

bool TuningRecords::countStart(const BuildKey& program) const {
  const UniqueFd folder = open(folder_, false);
  std::optional<File> file = folder ? read(folder.get(), program) : std::nullopt;
  if (!file) return false;
  ++file->starts;
  return writeCacheFile(folder.get(), nameOf(program), encode(program, *file), {});
}

void TuningRecords::keep(const BuildKey& program, std::string_view processor, const TunedCode& code) const {
  const UniqueFd folder = open(folder_, true);
  if (!folder) return;
  File file = read(folder.get(), program).value_or(File());
  file.processor = processor;
  std::erase_if(file.codes,
                [&](const TunedCode& known) { return known.kernel == code.kernel && known.version == code.version; });
  file.codes.push_back(code);
  file.codes.back().when = now();
  if (file.codes.size() > kMostCodes) file.codes.erase(file.codes.begin());
  if (!writeCacheFile(folder.get(), nameOf(program), encode(program, file), {}))
    CLOTHO_LOG(Cache, Info, "%s takes no files", folder_.c_str());
}

std::vector<TuningRecords::File> TuningRecords::all() const {
  std::vector<File> files;
  const UniqueFd folder = open(folder_, false);
  if (!folder) return files;
  const Folder directory =
      listing(makeFd([&] { return openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  while (const dirent* item = directory ? readdir(directory.get()) : nullptr) { // NOLINT(concurrency-mt-unsafe)
    if (!isTuningFile(*item)) continue;
    const std::optional<std::string> bytes = readCacheFile(folder.get(), item->d_name);
    if (auto file = bytes ? decode(nullptr, *bytes) : std::nullopt) files.push_back(*std::move(file));
  }
  return files;
}

std::size_t TuningRecords::clear() const {
  std::size_t count = 0;
  const UniqueFd folder = open(folder_, false);
  if (!folder) return count;
  const Folder directory =
      listing(makeFd([&] { return openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  while (const dirent* item = directory ? readdir(directory.get()) : nullptr) // NOLINT(concurrency-mt-unsafe)
    if (isTuningFile(*item) && unlinkat(folder.get(), item->d_name, 0) == 0) ++count;
  return count;
}

} // namespace clotho
