// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.hpp"

#include "cases.hpp"

#include <cstdio>
#include <fstream>
#include <sys/utsname.h>
#include <thread>

namespace bench {

namespace {

std::string number(double value, const char* unit) {
  char text[48];
  const char* format = value < 1 ? "%.3f %s" : value < 10 ? "%.2f %s" : "%.1f %s";
  std::snprintf(text, sizeof text, format, value, unit);
  return text;
}

std::string cell(std::optional<double> value, const char* unit) { return value ? number(*value, unit) : "failed"; }

} // namespace

std::string machine() {
  std::string model = "unknown CPU";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  utsname system{};
  uname(&system);
  return model + ", " + std::to_string(std::thread::hardware_concurrency()) + " processors, " + system.sysname + " " +
         system.release;
}

void printTable(const std::vector<Vendor>& vendors, const std::vector<Row>& rows) {
  std::printf("| what (medians) | goal |");
  for (const Vendor& vendor : vendors)
    std::printf(vendor.ours ? " %s | |" : " %s | ours is |", vendor.name.c_str());
  std::printf("\n| --- | --- |");
  for (std::size_t i = 0; i < vendors.size(); ++i)
    std::printf(" --- | --- |");
  std::printf("\n");
  for (const Row& row : rows) {
    const Case& what = *row.what;
    std::printf("| %s | %s |", what.what, what.goal > 0 ? number(what.goal, what.unit).c_str() : "");
    std::optional<double> ours;
    for (std::size_t i = 0; i < vendors.size(); ++i) {
      std::optional<double> value = row.medians[i];
      std::printf(" %s |", cell(value, what.unit).c_str());
      if (vendors[i].ours) {
        ours = value;
        bool met = value && (what.higherIsBetter ? *value >= what.goal : *value <= what.goal);
        std::printf(" %s |", what.goal == 0 ? "" : met ? "met" : "MISSED");
      } else if (ours && value) {
        double ratio = what.higherIsBetter ? *ours / *value : *value / *ours;
        std::printf(" %.1f times as fast |", ratio);
      } else {
        std::printf(" |");
      }
    }
    std::printf("\n");
  }
}

} // namespace bench
