// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vendors.hpp"

#include <algorithm>
#include <filesystem>

namespace bench {

std::vector<std::pair<std::string, std::string>> environmentOf(const Vendor& vendor, const TemporaryFolder& cache) {
  std::vector<std::pair<std::string, std::string>> environment = {{"OCL_ICD_VENDORS", vendor.icd},
                                                                  {"OCL_ICD_FILENAMES", ""}};
  for (const char* variable : {"CLOTHO_CACHE_DIR", "POCL_CACHE_DIR", "XDG_CACHE_HOME"}) {
    std::filesystem::path folder = std::filesystem::path(cache.path()) / variable;
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all); // ours alone
    environment.emplace_back(variable, folder);
  }
  return environment;
}

std::vector<Vendor> findVendors(const std::string& clotho, const std::string& folder) {
  std::vector<std::string> others;
  std::error_code none;
  if (folder != "none")
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
      if (entry.path().extension() == ".icd" && entry.path().stem() != "clotho") others.push_back(entry.path());
  std::sort(others.begin(), others.end());

  std::vector<Vendor> vendors = {{std::filesystem::absolute(clotho), "", true}};
  for (const std::string& icd : others)
    vendors.push_back({icd, "", false});
  TemporaryFolder cache;
  std::erase_if(vendors, [&](Vendor& vendor) {
    ChildOutput output = runSelf({"--measure", "name"}, environmentOf(vendor, cache));
    vendor.name = output.good ? output.text.substr(0, output.text.find('\n')) : vendor.icd;
    // Ours stays in the table: that it does not work is worth seeing.
    return !vendor.ours && !output.good;
  });
  return vendors;
}

} // namespace bench
