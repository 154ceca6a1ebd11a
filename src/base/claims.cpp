// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/claims.hpp"

namespace clotho {

namespace {

cl_name_version nameVersion(const claims::Row& row) {
  cl_name_version result{};
  result.version = row.version;
  row.name.copy(result.name, CL_NAME_VERSION_MAX_NAME_SIZE - 1);
  return result;
}

} // namespace

Claims Claims::ofHost() const {
  Claims result = *this;
  for (std::size_t i = 0; i < claims::kRows.size(); ++i)
    if (claims::kRows[i].isOfLanguage) result.words[i / 64] &= ~(std::uint64_t{1} << i % 64);
  return result;
}

std::string Claims::extensions() const {
  std::string text;
  forEach([&](const claims::Row& row) {
    if (row.sort == claims::Row::Sort::Extension) text.append(text.empty() ? "" : " ").append(row.name);
  });
  return text;
}

std::vector<cl_name_version> Claims::extensionVersions() const {
  std::vector<cl_name_version> list;
  forEach([&](const claims::Row& row) {
    if (row.sort == claims::Row::Sort::Extension) list.push_back(nameVersion(row));
  });
  return list;
}

std::vector<cl_name_version> Claims::features() const {
  std::vector<cl_name_version> list;
  forEach([&](const claims::Row& row) {
    if (row.sort != claims::Row::Sort::Extension) list.push_back(nameVersion(row));
  });
  return list;
}

} // namespace clotho
