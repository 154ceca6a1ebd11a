// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/token_file.hpp"

#include "base/unique_fd.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace clotho::node {

namespace {

constexpr const char* kNoToken = "it does not have 64 hexadecimal digits";

std::string errorText() { return std::generic_category().message(errno); }

std::optional<cluster::Token> readToken(const UniqueFd& file, std::string& why) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    why = "it is no file";
    return std::nullopt;
  }
  if (status.st_uid != geteuid() || (status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    why = "other users can read it, or it is another user's";
    return std::nullopt;
  }
  char text[128];
  const ssize_t size = retryInterrupted([&] { return read(file.get(), text, sizeof text); });
  std::string_view digits(text, size < 0 ? 0 : static_cast<std::size_t>(size));
  while (!digits.empty() && (digits.back() == '\n' || digits.back() == ' '))
    digits.remove_suffix(1);
  std::optional<cluster::Token> token = cluster::Token::parse(digits);
  if (!token) why = kNoToken;
  return token;
}

/// Makes the file whole or not at all, whatever other processes do at the same time. Whether there is one now.
bool makeFile(const std::string& path) {
  const std::optional<cluster::Token> token = cluster::Token::make();
  std::string temporary = path + ".XXXXXX";
  const UniqueFd file(token ? mkostemp(temporary.data(), O_CLOEXEC) : -1); // with mode 0600
  if (!file) return false;
  const std::string text = token->text() + '\n';
  const bool isWritten = write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                         (link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  unlink(temporary.c_str());
  errno = error;
  return isWritten;
}

/// Makes the folders above a file.
void makeFolders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), S_IRWXU);
}

} // namespace

std::optional<cluster::Token> tokenIn(const std::string& path, std::string& why) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) {
    makeFolders(path);
    if (makeFile(path)) file.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  }
  std::optional<cluster::Token> token;
  if (file)
    token = readToken(file, why);
  else
    why = errorText();
  if (!token) why = "the token in " + path + " cannot be used: " + why;
  return token;
}

std::optional<cluster::Token> tokenOfServices(std::string& why) {
  // NOLINTBEGIN(concurrency-mt-unsafe): threads of a node leave the environment alone
  if (const char* text = std::getenv("CLOTHO_CLUSTER_TOKEN"); text && *text) {
    std::optional<cluster::Token> token = cluster::Token::parse(text);
    if (!token) why = "the token in CLOTHO_CLUSTER_TOKEN cannot be used: " + std::string(kNoToken);
    return token;
  }
  const char *folder = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  if (folder && *folder == '/') return tokenIn(std::string(folder) + "/clotho/cluster-token", why);
  if (home && *home == '/') return tokenIn(std::string(home) + "/.config/clotho/cluster-token", why);
  why = "there is no home folder for the cluster's token, and no CLOTHO_CLUSTER_TOKEN";
  return std::nullopt;
}

} // namespace clotho::node
