#include "judge/commands/new_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "judge/base/files.hpp"
#include "judge/base/text.hpp"
#include "judge/grade/glue.hpp"

namespace warpbook::commands {
namespace {

constexpr int kHintLevels = 4;
constexpr const char* kBlank = "body";

/// The text with everything from `<name` to `</name>` (the first of them) replaced.
std::string with_element(std::string text, const std::string& name, const std::string& element) {
  const std::size_t open = text.find("<" + name);
  const std::string closing = "</" + name + ">";
  const std::size_t close = open == std::string::npos ? open : text.find(closing, open);
  if (close == std::string::npos) return text;
  return text.replace(open, close + closing.size() - open, element);
}

/// The text without the lines that open with any of the tags.
std::string without_lines(const std::string& text, const std::vector<std::string>& tags) {
  std::string out;
  for (const std::string& line : split_lines(text)) {
    const std::string_view plain = trimmed(line);
    if (std::none_of(tags.begin(), tags.end(), [&](const std::string& tag) { return plain.starts_with(tag); })) out += line + "\n";
  }
  return out;
}

std::string hints_of(const std::vector<std::string>& blanks) {
  constexpr const char* kWhat[kHintLevels] = {"restate the symptom, ask where it could come from",
                                              "ask a small question whose answer is the idea", "say which line does what, in words",
                                              "the code of the answer"};
  std::string out = "<hints>\n";
  for (const std::string& blank : blanks) {
    out += fmt::format("    <blank name=\"{}\">\n", blank);
    for (int level = 1; level <= kHintLevels; ++level)
      out += fmt::format("      <hint level=\"{}\">TODO: {}</hint>\n", level, kWhat[level - 1]);
    out += "    </blank>\n";
  }
  return out + "  </hints>";
}

std::string questions_worth(double explain) {
  return fmt::format(R"(<questions>
    <question id="what-happens" kind="order" points="2">
      <prompt>TODO: what happens, from input to output? Put the steps in order. One does not belong.</prompt>
      <step id="first" position="1">TODO: the first step</step>
      <step id="second" position="2">TODO: the second step</step>
      <step id="never"><text>TODO: what does not happen</text><misconception>TODO: why it does not</misconception></step>
    </question>
    <question id="a-number" kind="predict" points="2">
      <prompt>TODO: how many bytes do {{passes}} passes over {{rows}} rows of 1024 floats move?</prompt>
      <answer predictor="bytes-moved">
        <parameter name="rows" value="256 | 512 | 4096"/>
        <parameter name="cols" value="1024"/>
        <parameter name="passes" value="2..4"/>
        <wrong times="0.25"><misconception>TODO: those are elements, of 4 bytes each</misconception></wrong>
      </answer>
    </question>
    <question id="a-belief" kind="choice" points="2">
      <prompt>TODO: what does the learner's run say? Show a figure of it.</prompt>
      <option id="right" right="true">TODO: the right consequence</option>
      <option id="wrong"><text>TODO: what somebody believes</text><misconception>TODO: why that is not so</misconception></option>
    </question>
    <explanation>
      <prompt>TODO: which input breaks the obvious way, and what does this way cost?</prompt>
      <link name="boundary" points="{0}"><cause>TODO wordings of the cause</cause><effect>TODO wordings of the effect</effect></link>
      <link name="trade-off" points="{0}"><cause>TODO wordings of what is bought</cause><effect>TODO wordings of the price</effect></link>
      <reference>TODO wordings of the cause, TODO wordings of the effect, TODO wordings of what is bought, TODO wordings of the price.</reference>
    </explanation>
  </questions>)",
                     explain / 2);
}

/// Shapes on which short, odd and long rows go wrong in different ways.
struct Shape {
  const char* name;
  int rows, cols;
};
constexpr Shape kNormal[] = {{"plain", 8, 1024}, {"short", 16, 128}, {"odd", 8, 1000}, {"long", 2, 4096}};
constexpr Shape kBoundary[] = {{"one-column", 3, 1}, {"two-columns", 3, 2}, {"lanes-31", 3, 31},    {"lanes-33", 3, 33},
                               {"cols-127", 3, 127}, {"one-row", 1, 257},   {"cols-1025", 2, 1025}, {"cols-5125", 1, 5125}};

/// A case's own elements for what the operator takes besides matrices and their shape, with the default values.
std::string scalars_to_give(const operators::Operator& op) {
  std::string out;
  for (const operators::Scalar& scalar : op.scalars())
    if (scalar.name != "rows" && scalar.name != "cols" && !scalar.name.ends_with("_stride"))
      out += fmt::format("         <scalar name=\"{}\" value=\"{}\"/>\n", scalar.name, scalar.default_value);
  return out.empty() ? "" : "\n         a case may also give:\n" + out + "        ";
}

std::string first_cases(const operators::Operator& op) {
  std::string out = fmt::format(
      "<cases>\n    <!-- TODO: values, layouts and scalars on which mistakes show; judge verify says which case kills nothing{} -->\n",
      scalars_to_give(op));
  for (const Shape& s : kNormal)
    out += fmt::format("    <normal name=\"{}\" rows=\"{}\" cols=\"{}\" about=\"TODO: what kind of input\"/>\n", s.name, s.rows, s.cols);
  for (const Shape& s : kBoundary)
    out += fmt::format("    <boundary name=\"{}\" rows=\"{}\" cols=\"{}\" about=\"TODO: what kind of input\"/>\n", s.name, s.rows, s.cols);
  return out + "  </cases>";
}

std::string c_name(const operators::Operator& op) {
  std::string name(op.name());
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// "cudaError_t launch_x(const float* x, ...)" and the names alone, "x, ...".
std::pair<std::string, std::string> signature(const NewTask& wanted) {
  task::Task task;
  task.operator_name = wanted.op->name();
  task.launch = "launch_" + c_name(*wanted.op);
  task.parameters = wanted.op->default_parameters();
  const Result<std::string> declaration = grade::launch_declaration(task);
  return {declaration ? *declaration : "", fmt::format("{}", fmt::join(task.parameters, ", "))};
}

}  // namespace

std::string manifest_from(const NewTask& wanted, const std::string& donor_text, const task::Task& donor) {
  std::string text = donor_text;
  const std::string old_id = fmt::format("id=\"{}\"", donor.id);
  text.replace(text.find(old_id), old_id.size(), fmt::format("id=\"{}\"", wanted.id));
  text = without_lines(text, {"<title", "<requires"});
  const bool lesson = wanted.kind == task::TaskKind::kLesson;
  const std::string root = donor.kind == task::TaskKind::kLesson ? "lesson" : "exercise";
  const std::size_t after_root = text.find('>', text.find("<" + root)) + 1;
  std::string head = "\n  <title>TODO: name and idea</title>\n";
  if (donor.kind == task::TaskKind::kLesson) head += fmt::format("  <requires>{}</requires>", donor.id);
  text.insert(after_root, head);
  if (lesson) {
    std::vector<std::string> blanks;
    for (const task::Blank& blank : donor.blanks) blanks.push_back(blank.name);
    return with_element(with_element(text, "hints", hints_of(blanks)), "questions", questions_worth(donor.points.explain));
  }
  if (donor.kind == task::TaskKind::kExercise) return text;
  // A lesson's cases for an open problem: no blanks, hints and questions, and points of its own.
  text = without_lines(with_element(with_element(text, "hints", ""), "questions", ""), {"<blank", "<points"});
  text.replace(text.find("<lesson"), 7, "<exercise");
  text.replace(text.find("</lesson>"), 9, "</exercise>");
  return text;
}

std::string first_manifest(const NewTask& wanted) {
  const bool lesson = wanted.kind == task::TaskKind::kLesson;
  const char* root = lesson ? "lesson" : "exercise";
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{} id=\"{}\" level=\"1\" operator=\"{}\" launch=\"launch_{}\">\n", root,
                  wanted.id, wanted.op->name(), c_name(*wanted.op));
  out += "  <!-- TODO: level, 1 to 9, and what must be understood before: <requires>05-layernorm</requires> -->\n";
  out += "  <title>TODO: name and idea</title>\n";
  if (lesson) out += fmt::format("  <blank name=\"{}\" scope=\"device\" lines=\"8\"/>\n", kBlank);
  out += fmt::format("\n  {}\n\n  <efficiency>\n    <!-- TODO: what the solution needs; judge run --solution shows its passes -->\n",
                     first_cases(*wanted.op));
  for (const operators::Tensor& tensor : wanted.op->tensors()) {
    if (tensor.shape != operators::Shape::kMatrix) continue;
    out += fmt::format("    <passes tensor=\"{}\" {}=\"1\"/>\n", tensor.name, tensor.role == operators::Role::kInput ? "read" : "write");
  }
  out += "  </efficiency>\n";
  if (lesson) out += fmt::format("\n  {}\n\n  {}\n", hints_of({kBlank}), questions_worth(1));
  return out + fmt::format("</{}>\n", root);
}

std::string first_source(const NewTask& wanted, const std::string& filled) {
  const auto [declaration, names] = signature(wanted);
  const std::string parameters = declaration.substr(std::min(declaration.find('('), declaration.size()));
  const bool lesson = wanted.kind == task::TaskKind::kLesson;
  std::string out = fmt::format(
      "// TODO: what this computes, one block a row.\n//\n// TODO: the idea, and what is still bad.\n//\n// Run it: ./workbook run {}\n"
      "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_runtime.h>\n\nnamespace {{\n\nconstexpr int kThreads = 256;\n\n"
      "// region kernel\n",
      wanted.id);
  for (const operators::Tensor& tensor : wanted.op->tensors())
    out += fmt::format("/// {}: {}\n", tensor.name, tensor.meaning.empty() ? "TODO: its shape" : tensor.meaning);
  out += fmt::format("__global__ void row_kernel{} {{\n", parameters);
  if (lesson) out += fmt::format("  // >>> blank {}: TODO: what is missing, about 8 lines\n{}  // <<< blank {}\n", kBlank, filled, kBlank);
  if (!lesson) out += filled;
  return out + fmt::format(
                   "}}\n// endregion kernel\n\n}}  // namespace\n\n{} {{\n  row_kernel<<<rows, kThreads>>>({});\n  return "
                   "cudaGetLastError();\n}}\n",
                   declaration, names);
}

std::string first_wrong_header() {
  std::vector<std::string> cases;
  for (const Shape& s : kNormal) cases.emplace_back(s.name);
  for (const Shape& s : kBoundary) cases.emplace_back(s.name);
  return fmt::format(
      "// verdict: WA\n// reason: unwritten\n// cases: {}\n// mistake: TODO: the mistake, and what follows from it\n"
      "// question: TODO: what would you ask who made it?\n",
      fmt::join(cases, ", "));
}

std::string first_correct_header() { return "// verdict: AC\n// TODO: another right way\n"; }

std::string text_to_write(const NewTask& wanted, const std::string& region) {
  const std::string code = region.empty() ? "" : fmt::format("{{{{code solution.cu#{}}}}}\n\n", region);
  if (wanted.kind == task::TaskKind::kExercise)
    return fmt::format(
        "# TODO: title\n\nTODO: what is to be computed, as a formula.\n\n## Contract\n\nTODO: `launch_{}` and what may be assumed "
        "of each parameter.\n\n## How it is judged\n\nTODO.\n\n## What to think about\n\nTODO.\n",
        c_name(*wanted.op));
  std::string out = fmt::format(
      "# TODO: title\n\nTODO: the problem, with the smallest numbers that show it.\n\n## TODO: the idea\n\n![TODO: what the figure shows]"
      "(figure.svg)\n\n{}## What can go wrong\n\nTODO: each file of wrong/, with its counter-example worked in numbers.\n\n| | exact | in "
      "float |\n"
      "|---|---|---|\n| TODO | | |\n\n## What it costs\n\nTODO: passes, bytes, barriers; measure with `judge run {} --solution "
      "--meters`.\n\n| | "
      "reads | writes |\n|---|---|---|\n| TODO | | |\n\n## When this is the wrong method\n\nTODO.\n\n## Test yourself\n\n",
      code, wanted.id);
  constexpr int kQuestions = 5;
  for (int i = 1; i <= kQuestions; ++i)
    out += fmt::format("<details><summary>{}. TODO: a question about a consequence</summary>\n\nTODO: the answer.\n</details>\n\n", i);
  return out + "## Read next\n\n- TODO: a paper or manual by name, and what to find in it.\n";
}

std::string figure_to_draw(const NewTask& wanted) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 240\" font-family=\"sans-serif\" font-size=\"16\">\n"
      "  <title>TODO: {}</title>\n  <rect width=\"720\" height=\"240\" fill=\"#ffffff\"/>\n"
      "  <text x=\"360\" y=\"120\" text-anchor=\"middle\" fill=\"#444444\">TODO: the idea in one figure</text>\n</svg>\n",
      wanted.id);
}

}  // namespace warpbook::commands
