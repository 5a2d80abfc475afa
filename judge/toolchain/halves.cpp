// The two halves, side by side.
//
//      device thread                                   this thread
//      gcc -E, cicc -> PTX, stub                       gcc -E, cudafe++ -> host text          (not when the host half is cached)
//      fatbinary -> image, "image ready" ------------> gcc -c: host text + stub -> host.o     (not when an equal one is cached)
//      ptxas -> only to check                          g++ -shared: host.o + image -> submission.so
//
// Where the halves meet. The front end of the device half writes a "stub": the host functions behind <<<>>> and the list of kernels and
// variables to register. It is all that the host half takes from the device half, apart from the image itself, which is put into an
// object of its own. So a host object fits a new device half exactly when the stub is the same (line markers aside): that is
// compared, every time, and the host half is compiled after all when it differs. The names in it are equal because we name the module.
//
// Two roads lead to a cached host half. With a host key the caller vouches that only device blanks differ; then cudafe++ is not run.
// Without one (a whole file is the learner's), or when the key is new, cudafe++ runs and its output is compared: it drops the bodies
// of device code, so a change in a kernel leaves it equal and the host compiler is not run.
//
// ptxas. PTX that nvcc wrote is right, but inline assembly goes through unread, and static shared memory beyond 48 KB is refused only
// by the assembler. It takes 50 ms for a lesson's kernel; beside the link, on the second core, it costs nothing. So it always runs.
//
// One set of messages. cicc reads the whole file, host code too, and says all that cudafe++ would; when it finds errors it is done
// first, so the host half is ended and only the device half speaks. That also makes messages the same from run to run.
#include "judge/toolchain/halves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <thread>

#include "judge/base/files.hpp"
#include "judge/base/hash.hpp"
#include "judge/toolchain/host_text.hpp"
#include "judge/toolchain/scratch.hpp"

namespace warpbook::toolchain {
namespace {

constexpr const char* kImageAssembly = "image.s";
constexpr const char* kHostEntryObject = "host.o";
constexpr int kVirtualCapability = 80;  // what the PTX is made for
constexpr std::uint64_t kLargestHostText = 256u << 20;

/// `words` with -I for each folder, right behind the program's name.
Words with_includes(const Words& words, const std::vector<std::filesystem::path>& folders) {
  Words longer = {words[0]};
  for (const auto& folder : folders) {
    longer.push_back("-I");
    longer.push_back(folder.string());
  }
  longer.insert(longer.end(), words.begin() + 1, words.end());
  return longer;
}

class Builder {
 public:
  Builder(Steps& steps, const Job& job) : steps_(steps), job_(job) {}

  Built build() {
    if (!write_wrapper()) return std::move(built_);
    std::promise<bool> image_ready;
    std::future<bool> image = image_ready.get_future();
    std::thread device([&] { device_half(image_ready); });
    host_half(image);
    if (!built_.host.ok() || !built_.link.ok()) steps_.cancel();
    device.join();
    return std::move(built_);
  }

 private:
  // --- device half, in a thread of its own ---
  void device_half(std::promise<bool>& image_ready) {
    Part& part = built_.device;
    const bool made = steps_.run(with_includes(job_.plan->device_preprocess, job_.include), Speaker::kPreprocessor, part) &&
                      steps_.run(job_.plan->device_front, Speaker::kFrontEnd, part) && tidy_ptx(steps_, part) && assemble_native(part) &&
                      steps_.run(image_command(), Speaker::kLinker, part);
    if (!made) steps_.cancel();
    image_ready.set_value(made);
    if (!made || !job_.native.empty()) return;
    if (!assemble(kVirtualCapability, part)) steps_.cancel();
  }

  bool assemble(int capability, Part& part, const std::string& ptx = kUnitPtx) {
    return steps_.run({"ptxas", fmt::format("-arch=sm_{}", capability), "-m64", "--generate-line-info", ptx, "-o", cubin(capability)},
                      Speaker::kAssembler, part);
  }

  /// Machine code that the image needs; this also checks the PTX, so no other run of ptxas follows.
  bool assemble_native(Part& part) {
    return std::all_of(job_.native.begin(), job_.native.end(), [&](int capability) {
      return job_.by_architecture && capability > kVirtualCapability ? compile_for(capability, part) : assemble(capability, part);
    });
  }

  /// Machine code of a file that asks for the architecture: the device half once more, for this one. Its results have names of their own.
  bool compile_for(int capability, Part& part) {
    const std::string ptx = fmt::format("unit.compute_{}.ptx", capability);
    const std::string& preprocessed = job_.plan->device_preprocess.back();
    const auto renamed = [&](Words words) {
      for (std::string& word : words) {
        if (word == fmt::format("compute_{}", kVirtualCapability)) word = fmt::format("compute_{}", capability);
        if (word == fmt::format("-D__CUDA_ARCH__={}0", kVirtualCapability)) word = fmt::format("-D__CUDA_ARCH__={}0", capability);
        if (word == kUnitPtx) word = ptx;
        if (word == preprocessed || word.starts_with("unit.cudafe1.")) word = fmt::format("compute_{}.{}", capability, word);
      }
      return words;
    };
    return steps_.run(with_includes(renamed(job_.plan->device_preprocess), job_.include), Speaker::kPreprocessor, part) &&
           steps_.run(renamed(job_.plan->device_front), Speaker::kFrontEnd, part) && assemble(capability, part, ptx);
  }

  static std::string cubin(int capability) { return fmt::format("unit.sm_{}.cubin", capability); }

  /// Machine code comes from the same PTX (what nvcc calls code=[compute_80,sm_90]), so that both devices run one program; but where the
  /// file asks for the architecture, from PTX of its own.
  Words image_command() const {
    Words words = job_.plan->image;
    for (const int capability : job_.native) words.push_back(fmt::format("--image3=kind=elf,sm={},file={}", capability, cubin(capability)));
    return words;
  }

  // --- host half ---
  void host_half(std::future<bool>& image) {
    std::optional<Entry> known;
    if (!job_.host_key.empty()) known = job_.cache->find("host-" + job_.host_key);
    built_.host_from_cache = known.has_value();
    const bool front = known || host_front();
    if (!image.get() || !front) return;
    const Result<std::string> stub = read_file(steps_.folder() / kUnitStub, kLargestHostText);
    if (!stub) return fail(built_.host, "cicc", "wrote no stub");
    const std::string stub_hash = content_hash(essence_of_host_text(*stub));
    if (known && known->note != stub_hash) {
      known.reset();  // the caller vouched in vain
      built_.host_from_cache = false;
      if (!host_front()) return;
    }
    if (!known) known = host_object(stub_hash);
    if (!known) return;
    const std::string object = (known->folder / kHostEntryObject).string();
    link_library(steps_, job_, job_.plan->host_compile[0], {object, kImageAssembly}, built_.link);
  }

  bool host_front() {
    return steps_.run(with_includes(job_.plan->host_preprocess, job_.include), Speaker::kPreprocessor, built_.host) &&
           steps_.run(job_.plan->host_front, Speaker::kFrontEnd, built_.host);
  }

  /// The host object for the host text that lies in the scratch folder: an equal one from the cache, or compiled now.
  std::optional<Entry> host_object(const std::string& stub_hash) {
    const Result<std::string> text = read_file(steps_.folder() / kUnitHostText, kLargestHostText);
    if (!text) {
      fail(built_.host, "cudafe++", "wrote no host text");
      return std::nullopt;
    }
    const std::string by_content =
        HashBuilder().add("flags", job_.flags_key).add("text", essence_of_host_text(*text)).add("stub", stub_hash).hex();
    std::optional<Entry> entry = job_.cache->find("host-" + by_content);
    built_.host_from_cache = entry.has_value();
    if (!entry) {
      if (!steps_.run(job_.plan->host_compile, Speaker::kHostCompiler, built_.host)) return std::nullopt;
      entry = store(by_content, steps_.folder() / kUnitHostObject, stub_hash);
    }
    // Under the caller's key as well: next time cudafe++ need not run.
    if (entry && !job_.host_key.empty()) store(job_.host_key, entry->folder / kHostEntryObject, stub_hash);
    return entry;
  }

  std::optional<Entry> store(const std::string& key, const std::filesystem::path& object, const std::string& stub_hash) {
    std::error_code error;
    std::filesystem::copy_file(object, steps_.folder() / kHostEntryObject, std::filesystem::copy_options::overwrite_existing, error);
    if (error) {
      fail(built_.host, "the host object", error.message());
      return std::nullopt;
    }
    Result<Entry> entry = job_.cache->publish("host-" + key, steps_.folder(), {kHostEntryObject}, stub_hash);
    if (entry) return *entry;
    fail(built_.host, "the host object", entry.error().text());
    return std::nullopt;
  }

  // --- where they meet ---
  /// The wrapper that the stub includes, and the object with the image.
  bool write_wrapper() {
    const std::string wrapper =
        "#include \"fatbinary_section.h\"\n"
        "extern \"C\" {\n"
        "extern __attribute__((visibility(\"hidden\"))) const unsigned long long warpbook_image[];\n"
        "static const __fatBinC_Wrapper_t __fatDeviceText __attribute__((aligned(8), section(\".nvFatBinSegment\"))) =\n"
        "    {0x466243b1, 1, warpbook_image, 0};\n"
        "}\n";
    const std::string assembly = fmt::format(
        ".section .nv_fatbin, \"a\"\n.balign 8\n.globl warpbook_image\n.hidden warpbook_image\nwarpbook_image:\n.incbin \"{}\"\n"
        ".section .note.GNU-stack, \"\", @progbits\n",
        kUnitImage);
    // The module's name only has to differ between objects that are linked together, and ours is linked to no other.
    const std::pair<const char*, std::string> files[] = {
        {kUnitImageWrapper, wrapper}, {kImageAssembly, assembly}, {kUnitModuleId, "_00000000_7_unit_cu_00000000"}};
    for (const auto& [name, text] : files)
      if (const Status written = write_scratch(steps_.folder() / name, text); !written) {
        fail(built_.host, "the scratch folder", written.error().what);
        return false;
      }
    return true;
  }

  static void fail(Part& part, std::string tool, std::string details) {
    part.stop = Stop{StopReason::kFailed, std::move(tool), std::move(details)};
  }

  Steps& steps_;
  const Job& job_;
  Built built_;
};

}  // namespace

Built build_by_steps(Steps& steps, const Job& job) { return Builder(steps, job).build(); }

}  // namespace warpbook::toolchain
