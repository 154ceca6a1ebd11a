// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/cache_entry.hpp"

#include "base/bytes.hpp"
#include "compiler/client/protocol.hpp"

#include <cstddef>
#include <cstring>
#include <zstd.h>

namespace clotho {

namespace {

constexpr std::uint32_t kFormatVersion = 1;
constexpr std::uint64_t kEntryMagic = 0x7972746e656f6c63;    // "cloentry"
constexpr std::uint64_t kManifestMagic = 0x73656d616e6f6c63; // "clonames"
constexpr std::uint64_t kMaxPortable = std::uint64_t{1} << 30;

/// The end of an entry. The checksum covers everything before it.
struct Footer {
  std::uint64_t magic;
  std::uint32_t formatVersion;
  std::uint32_t protocolVersion;
  std::uint64_t objectSize;
  std::uint64_t descriptionSize;
  std::uint64_t portableSize; // compressed
  std::uint64_t portableRawSize;
  BuildKey key;
  BuildKey checksum;
};
static_assert(sizeof(Footer) == 80 && offsetof(Footer, checksum) == 64);

/// Checksum of an entry. The object and the rest are hashed separately, since they are written from two buffers.
BuildKey checksumOf(std::string_view object, std::string_view rest) {
  BuildKey parts[2] = {hashBytes(object), hashBytes(rest)};
  return hashBytes({reinterpret_cast<const char*>(parts), sizeof parts});
}

std::optional<std::string> decompress(std::string_view packed, std::uint64_t size) {
  if (size > kMaxPortable || ZSTD_getFrameContentSize(packed.data(), packed.size()) != size) return std::nullopt;
  std::string result(static_cast<std::size_t>(size), '\0');
  if (ZSTD_decompress(result.data(), result.size(), packed.data(), packed.size()) != size) return std::nullopt;
  return result;
}

} // namespace

std::string encodeTrailer(const BuildKey& key, const BuildResult& result) {
  std::string description = serialiseDescription(result);
  constexpr int kLevel = 1; // on the way to the first launch: speed first
  std::string packed(ZSTD_compressBound(result.portable.size()), '\0');
  std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), result.portable.data(), result.portable.size(), kLevel);
  if (ZSTD_isError(size)) return {};
  packed.resize(size);

  Footer footer{kEntryMagic,
                kFormatVersion,
                kProtocolVersion,
                result.object.size(),
                description.size(),
                packed.size(),
                result.portable.size(),
                key,
                {}};
  std::string trailer = std::move(description);
  trailer += packed;
  trailer.append(reinterpret_cast<const char*>(&footer), offsetof(Footer, checksum));
  footer.checksum = checksumOf(result.object, trailer);
  trailer.append(reinterpret_cast<const char*>(&footer.checksum), sizeof footer.checksum);
  return trailer;
}

std::optional<BuildResult> decodeEntry(const BuildKey& key, std::string bytes) {
  Footer footer;
  if (bytes.size() < sizeof footer) return std::nullopt;
  std::size_t body = bytes.size() - sizeof footer;
  std::memcpy(&footer, bytes.data() + body, sizeof footer);
  if (footer.magic != kEntryMagic || footer.formatVersion != kFormatVersion ||
      footer.protocolVersion != kProtocolVersion || footer.key != key)
    return std::nullopt;
  // Compares each size with the remaining bytes, so that no sum overflows.
  if (footer.objectSize > body || footer.descriptionSize > body - footer.objectSize ||
      footer.portableSize != body - footer.objectSize - footer.descriptionSize)
    return std::nullopt;
  std::string_view all = bytes;
  std::string_view object = all.substr(0, footer.objectSize);
  std::string_view rest = all.substr(footer.objectSize);
  rest.remove_suffix(sizeof footer.checksum);
  if (checksumOf(object, rest) != footer.checksum) return std::nullopt;

  std::optional<BuildResult> result = parseDescription(rest.substr(0, footer.descriptionSize));
  if (!result) return std::nullopt;
  auto portable = decompress(rest.substr(footer.descriptionSize, footer.portableSize), footer.portableRawSize);
  if (!portable) return std::nullopt;
  result->portable = *std::move(portable);
  bytes.resize(footer.objectSize);
  result->object = std::move(bytes);
  return result;
}

std::string encodeManifest(const BuildKey& request, const Manifest& manifest) {
  ByteWriter out;
  out.u64(kManifestMagic);
  out.u32(kFormatVersion);
  for (std::uint64_t word : request.words)
    out.u64(word);
  out.u64(manifest.states.size());
  for (const auto& state : manifest.states) {
    out.u64(state.size());
    for (const Dependency& dependency : state) {
      out.text(dependency.path);
      for (std::uint64_t word : dependency.hash)
        out.u64(word);
    }
  }
  BuildKey checksum = hashBytes(out.bytes());
  for (std::uint64_t word : checksum.words)
    out.u64(word);
  return out.take();
}

std::optional<Manifest> decodeManifest(const BuildKey& request, std::string_view bytes) {
  BuildKey checksum;
  if (bytes.size() < sizeof checksum) return std::nullopt;
  std::memcpy(&checksum, bytes.data() + bytes.size() - sizeof checksum, sizeof checksum);
  bytes.remove_suffix(sizeof checksum);
  if (hashBytes(bytes) != checksum) return std::nullopt;

  ByteReader in(bytes);
  if (in.u64() != kManifestMagic || in.u32() != kFormatVersion) return std::nullopt;
  for (std::uint64_t word : request.words)
    if (in.u64() != word) return std::nullopt;
  Manifest manifest;
  manifest.states.resize(in.count(8));
  for (auto& state : manifest.states) {
    state.resize(in.count(8 + 16));
    for (Dependency& dependency : state) {
      dependency.path = in.text();
      for (std::uint64_t& word : dependency.hash)
        word = in.u64();
    }
  }
  if (!in.finished()) return std::nullopt;
  return manifest;
}

} // namespace clotho
