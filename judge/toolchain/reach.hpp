#pragma once
// Inside of judge/toolchain: what a submission may draw in. common/ and the toolkit are enough for every task; a solution, the cases of a
// class or somebody else's file, included, would be handed in as one's own.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/toolchain/messages.hpp"
#include "judge/toolchain/plan.hpp"

namespace warpbook::toolchain {

/// Folders whose headers may be read: those given by -I (with what links in them lead to), the toolkit's, the scratch folder, and where
/// compilers of this system keep theirs. outside() finds those that lie elsewhere.
std::vector<std::filesystem::path> allowed_folders(const Toolkit& toolkit, const std::vector<std::filesystem::path>& include,
                                                   const std::filesystem::path& scratch);

/// The first file that preprocessed text came from and that lies in none of `allowed`. Relative names are below `scratch`. It reads the
/// preprocessor's markers for an entered file, `# 1 "name" 1`: a source can add such lines, but leave none out. What nvcc includes before
/// the source's first line (cuda_runtime.h and all below it) is the toolkit's and the host compiler's own, wherever they are installed, and
/// its folders are allowed from then on.
std::optional<std::string> outside(std::string_view preprocessed, std::vector<std::filesystem::path> allowed,
                                   const std::filesystem::path& scratch);

/// The complaint, at the line of the learner's file that includes it.
Diagnostic complaint_about(const std::string& file, const Text& text);

}  // namespace warpbook::toolchain
