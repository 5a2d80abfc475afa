#pragma once
// Names of kernels and device variables that two compilations of one file share.
//
// nvcc gives names with internal linkage (anonymous namespaces, static variables that the host must find) a hash of the file's text:
// `_ZN35_GLOBAL__N__b3363e7f_4_b_cu__Z2goPf...`. When the host half of an exercise comes from a cache and only the device half is
// compiled anew, the host half asks for the old hash and the device half carries the new one. Everything else of the name agrees, so
// an exact match is tried first and then one without the hash. Rejected: rewriting the PTX text, which would shift what learners see.
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpbook::device {

/// Files that are compiled together lie in namespaces of this name and a number (judge/grade/together.hpp); nobody is to read it.
inline constexpr std::string_view kMemberNamespace = "warpbook_member_";

/// `name` with each file hash taken out: eight hexadecimal digits after `_GLOBAL__N__`, `_INTERNAL_` or `__nv_static_<n>__`, and where a
/// second hash follows the file's name, that too.
std::string without_file_hash(std::string_view name);

/// Finds the names of one module by what another compilation calls them.
class NameIndex {
 public:
  explicit NameIndex(const std::vector<std::string>& names);
  /// The module's own spelling; empty when there is none, or when two names differ in nothing but the hash.
  std::string_view find(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> exact_, hashless_;  ///< an ambiguous entry of hashless_ is empty
};

}  // namespace warpbook::device
