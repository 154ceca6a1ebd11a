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
