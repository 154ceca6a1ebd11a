// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/choice.hpp"

#include "base/text_file.hpp"

#include <algorithm>
#include <cctype>

namespace clotho::capture {

namespace {

constexpr std::string_view kKernel = ":kernel=", kLaunch = ":launch=";

/// Whether the name is of the pattern, in which each * stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  name.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t i = 0; i <= name.size(); ++i)
    if (matches(pattern, name.substr(i))) return true;
  return false;
}

std::optional<Choice::Numbers> numbersIn(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parseNumber(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return Choice::Numbers{*first, *first};
  const std::string_view rest = text.substr(dash + 1);
  const auto last = rest.empty() ? std::optional<std::uint64_t>(UINT64_MAX) : parseNumber(rest);
  if (!last || *last < *first) return std::nullopt;
  return Choice::Numbers{*first, *last};
}

/// The end of the setting that begins the text: where the next one begins.
std::size_t endOf(std::string_view text) {
  return std::min({text.size(), text.find(kKernel, 1), text.find(kLaunch, 1)});
}

/// A part of a folder's name that looks like a setting, such as :kernels=; empty if there is none.
std::string_view unknownSetting(std::string_view folder) {
  for (std::size_t colon = folder.find(':'); colon != std::string_view::npos; colon = folder.find(':', colon + 1)) {
    const std::string_view rest = folder.substr(colon + 1);
    const std::size_t end =
        std::find_if_not(rest.begin(), rest.end(), [](unsigned char c) { return std::isalpha(c) != 0; }) - rest.begin();
    if (end > 0 && end < rest.size() && rest[end] == '=') return rest.substr(0, end + 1);
  }
  return {};
}

} // namespace

bool Choice::wantsKernel(std::string_view name) const {
  return kernels.empty() ||
         std::any_of(kernels.begin(), kernels.end(), [&](const std::string& each) { return matches(each, name); });
}

bool Choice::wantsLaunch(std::uint64_t number) const {
  return std::any_of(launches.begin(), launches.end(),
                     [&](const Numbers& each) { return number >= each.first && number <= each.last; });
}

std::optional<Choice> Choice::parse(std::string_view text, std::string& why) {
  if (text.empty()) return std::nullopt;
  Choice choice;
  const std::size_t end = endOf(text);
  choice.folder = text.substr(0, end);
  if (const std::string_view setting = unknownSetting(choice.folder); !setting.empty()) {
    why = "there is no setting '" + std::string(setting) + "': kernel= and launch= are";
    return std::nullopt;
  }
  for (text.remove_prefix(end); !text.empty(); text.remove_prefix(endOf(text))) {
    const std::string_view setting = text.substr(0, endOf(text));
    if (setting.starts_with(kKernel)) {
      for (const std::string_view name : split(setting.substr(kKernel.size()), ',')) {
        if (name.empty() || name.find_first_of(":=/ ") != std::string_view::npos) {
          why = "'" + std::string(name) + "' is no kernel's name";
          return std::nullopt;
        }
        choice.kernels.emplace_back(name);
      }
      continue;
    }
    choice.launches.clear();
    for (const std::string_view part : split(setting.substr(kLaunch.size()), ',')) {
      const auto numbers = numbersIn(part);
      if (!numbers) {
        why = "'" + std::string(part) + "' names no launches";
        return std::nullopt;
      }
      choice.launches.push_back(*numbers);
    }
  }
  return choice;
}

} // namespace clotho::capture
