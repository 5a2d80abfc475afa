#include "judge/vgpu/move.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

namespace warpbook::vgpu {

namespace {

template <class Row, class Element>
Row widened(Element element) {
  return static_cast<Row>(element);  // sign-extends exactly when Element is signed
}

template <class Element>
Element read(const std::byte* from) {
  Element element;
  std::memcpy(&element, from, sizeof element);
  return element;
}

template <class Row>
void broadcast(Row* row, Row value, LaneMask active) {
  if (active == kAllLanes) {
    for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = value;
    return;
  }
  for (int lane = 0; lane < kWarpSize; ++lane) row[lane] = (active >> lane & 1u) != 0 ? value : row[lane];
}

template <class Element, class Row, int kVector>
void load(const Move& move) {
  Row* rows[kVector];
  Row unwanted[kWarpSize];  // for `_`
  for (int i = 0; i < kVector; ++i) rows[i] = move.step.dst[i] == kNoRegister ? unwanted : move.registers.row<Row>(move.step.dst[i]);
  if (move.pattern == Pattern::kContiguous) {
    Element elements[kWarpSize * kVector];
    std::memcpy(elements, move.at(0), sizeof elements);
    for (int i = 0; i < kVector; ++i) {
      for (int lane = 0; lane < kWarpSize; ++lane) rows[i][lane] = widened<Row>(elements[lane * kVector + i]);
    }
    return;
  }
  if (move.pattern == Pattern::kUniform) {
    const std::byte* from = move.at(std::countr_zero(move.active));
    for (int i = 0; i < kVector; ++i) broadcast(rows[i], widened<Row>(read<Element>(from + i * sizeof(Element))), move.active);
    return;
  }
  for (LaneMask left = move.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::byte* from = move.at(lane);
    for (int i = 0; i < kVector; ++i) rows[i][lane] = widened<Row>(read<Element>(from + i * sizeof(Element)));
  }
}

template <class Element, class Row, int kVector>
void store(const Move& move) {
  const Row* rows[kVector];
  for (int i = 0; i < kVector; ++i) rows[i] = move.registers.row<Row>(move.step.src[i + 1]);
  if (move.pattern == Pattern::kContiguous) {
    Element elements[kWarpSize * kVector];
    for (int i = 0; i < kVector; ++i) {
      for (int lane = 0; lane < kWarpSize; ++lane) elements[lane * kVector + i] = static_cast<Element>(rows[i][lane]);
    }
    std::memcpy(move.at(0), elements, sizeof elements);
    return;
  }
  for (LaneMask left = move.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    std::byte* to = move.at(lane);
    for (int i = 0; i < kVector; ++i) {
      const auto element = static_cast<Element>(rows[i][lane]);
      std::memcpy(to + i * sizeof(Element), &element, sizeof element);
    }
  }
}

template <class Element, class Row>
Mover load_of(int vector) {
  if constexpr (sizeof(Element) > sizeof(Row)) {
    return nullptr;
  } else {
    switch (vector) {
      case 1: return load<Element, Row, 1>;
      case 2: return load<Element, Row, 2>;
      case 4: return load<Element, Row, 4>;
      default: return nullptr;
    }
  }
}

template <class Element, class Row>
Mover store_of(int vector) {
  if constexpr (sizeof(Element) > sizeof(Row)) {
    return nullptr;
  } else {
    switch (vector) {
      case 1: return store<Element, Row, 1>;
      case 2: return store<Element, Row, 2>;
      case 4: return store<Element, Row, 4>;
      default: return nullptr;
    }
  }
}

/// Calls `use.operator()<Element, Row>()` with the unsigned or signed element and the row type of these widths.
template <class Use>
Mover for_widths(int element_bytes, int register_bytes, bool is_signed, const Use& use) {
  const auto with_row = [&]<class Element>() -> Mover {
    switch (register_bytes) {
      case 2: return use.template operator()<Element, std::uint16_t>();
      case 4: return use.template operator()<Element, std::uint32_t>();
      case 8: return use.template operator()<Element, std::uint64_t>();
      default: return nullptr;
    }
  };
  switch (element_bytes) {
    case 1: return is_signed ? with_row.template operator()<std::int8_t>() : with_row.template operator()<std::uint8_t>();
    case 2: return is_signed ? with_row.template operator()<std::int16_t>() : with_row.template operator()<std::uint16_t>();
    case 4: return is_signed ? with_row.template operator()<std::int32_t>() : with_row.template operator()<std::uint32_t>();
    case 8: return with_row.template operator()<std::uint64_t>();
    default: return nullptr;
  }
}

}  // namespace

Mover load_mover(int element_bytes, int register_bytes, bool sign_extend, int vector) {
  const bool is_signed = sign_extend && element_bytes < register_bytes;
  return for_widths(element_bytes, register_bytes, is_signed, [&]<class Element, class Row>() { return load_of<Element, Row>(vector); });
}

Mover store_mover(int element_bytes, int register_bytes, int vector) {
  return for_widths(element_bytes, register_bytes, false, [&]<class Element, class Row>() { return store_of<Element, Row>(vector); });
}

}  // namespace warpbook::vgpu
