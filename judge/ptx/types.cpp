#include <charconv>

#include "judge/ptx/module.hpp"
#include "judge/ptx/names.hpp"

namespace warpbook::ptx {
namespace {

struct TypeRow {
  Type type;
  std::string_view name;
  int bits;
};

constexpr TypeRow kTypes[] = {
    {Type::kNone, "", 0},          {Type::kPred, "pred", 1},      {Type::kB8, "b8", 8},        {Type::kB16, "b16", 16},
    {Type::kB32, "b32", 32},       {Type::kB64, "b64", 64},       {Type::kB128, "b128", 128},  {Type::kU8, "u8", 8},
    {Type::kU16, "u16", 16},       {Type::kU32, "u32", 32},       {Type::kU64, "u64", 64},     {Type::kS8, "s8", 8},
    {Type::kS16, "s16", 16},       {Type::kS32, "s32", 32},       {Type::kS64, "s64", 64},     {Type::kU16x2, "u16x2", 32},
    {Type::kS16x2, "s16x2", 32},   {Type::kF16, "f16", 16},       {Type::kF16x2, "f16x2", 32}, {Type::kBF16, "bf16", 16},
    {Type::kBF16x2, "bf16x2", 32}, {Type::kF32, "f32", 32},       {Type::kF64, "f64", 64},     {Type::kTF32, "tf32", 32},
    {Type::kE4M3x2, "e4m3x2", 16}, {Type::kE5M2x2, "e5m2x2", 16},
};

struct SpecialRow {
  SpecialRegister special;
  std::string_view name;
};

constexpr SpecialRow kSpecials[] = {
    {SpecialRegister::kTidX, "%tid.x"},
    {SpecialRegister::kTidY, "%tid.y"},
    {SpecialRegister::kTidZ, "%tid.z"},
    {SpecialRegister::kNtidX, "%ntid.x"},
    {SpecialRegister::kNtidY, "%ntid.y"},
    {SpecialRegister::kNtidZ, "%ntid.z"},
    {SpecialRegister::kCtaidX, "%ctaid.x"},
    {SpecialRegister::kCtaidY, "%ctaid.y"},
    {SpecialRegister::kCtaidZ, "%ctaid.z"},
    {SpecialRegister::kNctaidX, "%nctaid.x"},
    {SpecialRegister::kNctaidY, "%nctaid.y"},
    {SpecialRegister::kNctaidZ, "%nctaid.z"},
    {SpecialRegister::kLaneid, "%laneid"},
    {SpecialRegister::kWarpid, "%warpid"},
    {SpecialRegister::kNwarpid, "%nwarpid"},
    {SpecialRegister::kSmid, "%smid"},
    {SpecialRegister::kNsmid, "%nsmid"},
    {SpecialRegister::kGridid, "%gridid"},
    {SpecialRegister::kLanemaskEq, "%lanemask_eq"},
    {SpecialRegister::kLanemaskLt, "%lanemask_lt"},
    {SpecialRegister::kLanemaskLe, "%lanemask_le"},
    {SpecialRegister::kLanemaskGt, "%lanemask_gt"},
    {SpecialRegister::kLanemaskGe, "%lanemask_ge"},
    {SpecialRegister::kClock, "%clock"},
    {SpecialRegister::kClockHi, "%clock_hi"},
    {SpecialRegister::kClock64, "%clock64"},
    {SpecialRegister::kGlobaltimer, "%globaltimer"},
    {SpecialRegister::kGlobaltimerLo, "%globaltimer_lo"},
    {SpecialRegister::kGlobaltimerHi, "%globaltimer_hi"},
    {SpecialRegister::kClusteridX, "%clusterid.x"},
    {SpecialRegister::kClusteridY, "%clusterid.y"},
    {SpecialRegister::kClusteridZ, "%clusterid.z"},
    {SpecialRegister::kNclusteridX, "%nclusterid.x"},
    {SpecialRegister::kNclusteridY, "%nclusterid.y"},
    {SpecialRegister::kNclusteridZ, "%nclusterid.z"},
    {SpecialRegister::kClusterCtaidX, "%cluster_ctaid.x"},
    {SpecialRegister::kClusterCtaidY, "%cluster_ctaid.y"},
    {SpecialRegister::kClusterCtaidZ, "%cluster_ctaid.z"},
    {SpecialRegister::kClusterNctaidX, "%cluster_nctaid.x"},
    {SpecialRegister::kClusterNctaidY, "%cluster_nctaid.y"},
    {SpecialRegister::kClusterNctaidZ, "%cluster_nctaid.z"},
    {SpecialRegister::kClusterCtarank, "%cluster_ctarank"},
    {SpecialRegister::kClusterNctarank, "%cluster_nctarank"},
    {SpecialRegister::kIsExplicitCluster, "%is_explicit_cluster"},
    {SpecialRegister::kCurrentGraphExec, "%current_graph_exec"},
    {SpecialRegister::kDynamicSmemSize, "%dynamic_smem_size"},
    {SpecialRegister::kTotalSmemSize, "%total_smem_size"},
    {SpecialRegister::kAggrSmemSize, "%aggr_smem_size"},
    {SpecialRegister::kReservedSmemOffsetBegin, "%reserved_smem_offset_begin"},
    {SpecialRegister::kReservedSmemOffsetEnd, "%reserved_smem_offset_end"},
    {SpecialRegister::kReservedSmemOffsetCap, "%reserved_smem_offset_cap"},
    {SpecialRegister::kReservedSmemOffset0, "%reserved_smem_offset_0"},
    {SpecialRegister::kReservedSmemOffset1, "%reserved_smem_offset_1"},
    {SpecialRegister::kEnvreg, "%envreg0"},
    {SpecialRegister::kPm, "%pm0"},
    {SpecialRegister::kEnvreg1, "%envreg1"},
    {SpecialRegister::kEnvreg2, "%envreg2"},
};

// Special registers that PTX has and SpecialRegister has not, whole vectors: an instruction that reads one is refused by name when reached.
constexpr std::string_view kRefusedSpecials[] = {
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
};

/// True for "%pm7" with stem "%pm" and count 8.
bool is_numbered(std::string_view name, std::string_view stem, int count) {
  if (!name.starts_with(stem)) return false;
  name.remove_prefix(stem.size());
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() && number >= 0 && number < count && (name.size() == 1 || name[0] != '0');
}

}  // namespace

int bits_of(Type type) { return kTypes[static_cast<int>(type)].bits; }
bool is_signed(Type type) { return type >= Type::kS8 && type <= Type::kS64; }
bool is_float(Type type) { return type >= Type::kF16; }
std::string_view name_of(Type type) { return kTypes[static_cast<int>(type)].name; }

std::optional<Type> type_of(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<SpecialRegister> special_of(std::string_view name) {
  for (const SpecialRow& row : kSpecials) {
    if (row.name == name) return row.special;
  }
  if (is_numbered(name, "%envreg", 32)) return SpecialRegister::kEnvreg;
  if (is_numbered(name, "%pm", 8) || (name.ends_with("_64") && is_numbered(name.substr(0, name.size() - 3), "%pm", 8)))
    return SpecialRegister::kPm;
  return std::nullopt;
}

std::string_view name_of(SpecialRegister special) {
  for (const SpecialRow& row : kSpecials) {
    if (row.special == special) return row.name;
  }
  return "";
}

bool is_refused_special(std::string_view name) {
  std::string_view base = name.substr(0, name.find('.'));
  for (std::string_view refused : kRefusedSpecials) {
    if (base == refused) return true;
  }
  return base == "%tid" || base == "%ntid" || base == "%ctaid" || base == "%nctaid";
}

const Function* Module::find_function(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace warpbook::ptx
