#include "judge/toolchain/find.hpp"

#include <unistd.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/tests/catch.hpp"

using namespace warpbook;
using namespace warpbook::toolchain;
namespace fs = std::filesystem;

namespace {

/// Folders with programs that say they are nvcc.
struct Machine {
  fs::path folder = fs::temp_directory_path() / ("warpbook find \xe4\xb8\xad " + std::to_string(::getpid()));
  ~Machine() { fs::remove_all(folder); }
  std::string install(const std::string& where, const std::string& script) {
    const fs::path nvcc = folder / where / "bin" / "nvcc";
    REQUIRE(write_file(nvcc, "#!/bin/sh\n" + script + "\n"));
    fs::permissions(nvcc, fs::perms::owner_all);
    return (folder / where).string();
  }
  std::string install_version(const std::string& where, const std::string& release, const std::string& version) {
    return install(
        where, "echo 'nvcc: NVIDIA (R) Cuda compiler driver'; echo 'Cuda compilation tools, release " + release + ", V" + version + "'");
  }
  Places places(const std::string& home, const std::string& path) const { return {home, path, folder / "usual"}; }
};

std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1; }

}  // namespace

TEST_CASE("CUDA_HOME comes first, then PATH, then the usual folder") {
  Machine machine;
  const std::string home = machine.install_version("home", "13.0", "13.0.88");
  const std::string path = "/nonexistent:" + machine.install_version("path", "12.4", "12.4.131") + "/bin";
  machine.install_version("usual", "12.0", "12.0.76");
  const Result<Toolkit> by_home = find_toolkit_in(machine.places(home, path));
  REQUIRE(by_home);
  CHECK(by_home->version == "13.0.88");
  CHECK(by_home->major == 13);
  CHECK(by_home->minor == 0);
  CHECK(by_home->nvcc == fs::path(home) / "bin" / "nvcc");
  CHECK(fs::equivalent(by_home->root, home));
  CHECK(find_toolkit_in(machine.places("", path))->minor == 4);
  CHECK_FALSE(find_toolkit_in(machine.places("/nonexistent", path)));  // who names a folder means that folder
  CHECK(find_toolkit_in(machine.places("", "/nonexistent"))->version == "12.0.76");
}

TEST_CASE("without nvcc two lines say what to install and which variable points at it") {
  Machine machine;
  const std::string nothing = find_toolkit_in(machine.places("", "/nonexistent")).error().what;
  CHECK(lines(nothing) == 2);
  CHECK(nothing.find("CUDA Toolkit, version 12 or newer") < nothing.find('\n'));
  CHECK(nothing.find("CUDA_HOME is not set") > nothing.find('\n'));
  const std::string wrong = find_toolkit_in(machine.places("/opt/wrong", "")).error().what;
  CHECK(lines(wrong) == 2);
  CHECK(wrong.find("CUDA_HOME is /opt/wrong, where there is no bin/nvcc") != std::string::npos);
}

TEST_CASE("a toolkit that is too old or broken is refused with what is and what should be") {
  Machine machine;
  const std::string old = find_toolkit_in(machine.places(machine.install_version("old", "11.8", "11.8.89"), "")).error().what;
  CHECK(lines(old) == 2);
  CHECK(old.find("is version 11.8.89 when it should be 12 or newer") != std::string::npos);
  const std::string broken = find_toolkit_in(machine.places(machine.install("broken", "echo no licence >&2; exit 1"), "")).error().what;
  CHECK(lines(broken) == 2);
  CHECK(broken.find("fails (no licence)") != std::string::npos);
  CHECK(lines(find_toolkit_in(machine.places(machine.install("mute", "true"), "")).error().what) == 2);
}

TEST_CASE("versions are read out of nvcc's words") {
  CHECK(version_in("Cuda compilation tools, release 13.0, V13.0.88\nBuild x").value() == "13.0.88");
  CHECK(version_in("release 12.1").value() == "12.1");
  CHECK_FALSE(version_in("no version"));
  CHECK_FALSE(version_in("release x"));
}
