#include "study/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "base/file_text.h"
#include "base/random.h"
#include "base/text.h"
#include "softwood/error.h"
#include "softwood/version.h"
#include "study/files.h"

namespace softwood {
namespace {

constexpr std::string_view first_line = "softwood-checkpoint 1\n";

uint64_t checksum(std::string_view bytes) {
  uint64_t sum = bytes.size();
  for (const char c : bytes) sum = mix64(sum ^ static_cast<unsigned char>(c));
  return sum;
}

// Work with the same words here goes the same way. `what` is a line of its own.
std::string identity(const std::string& what, uint64_t seed, const ClassCosts& class_costs,
                     const Table& table) {
  std::string numbers;
  for (const auto* list :
       {&class_costs.classes.relative, &class_costs.classes.priors, &class_costs.costs}) {
    for (const double number : *list) numbers += number_text(number) + " ";
    numbers += "/";
  }
  return fmt::format("{}program {}\n{}\nseed {}\ndata {}\ncosts {}\n", first_line, version(), what,
                     seed, table.fingerprint(), numbers);
}

// In which of the lines of `identity` a checkpoint differs from what is wanted, with what it says
// itself where that tells people something.
std::string differences(std::string_view text, std::string_view expected) {
  struct Part {
    std::string_view key, name;
    bool shown;
  };
  const bool is_training = expected.find("\nrecipe ") != std::string_view::npos;
  const std::array<Part, 5> parts = {
      {{"program ", "version of the program", true},
       is_training ? Part{"recipe ", "recipe", true} : Part{"folds ", "folds", false},
       {"seed ", "seed", true},
       {"data ", "data", false},
       {"costs ", "class weights, priors or costs", false}}};
  const auto value = [](std::string_view& rest, std::string_view key) -> std::string_view {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line.substr(0, key.size()) == key ? line.substr(key.size()) : std::string_view("?");
  };
  text.remove_prefix(first_line.size());
  expected.remove_prefix(first_line.size());
  std::string list;
  for (const Part& part : parts) {
    const std::string_view has = value(text, part.key), wanted = value(expected, part.key);
    if (has == wanted) continue;
    list += fmt::format("{}other {}", list.empty() ? "" : ", ", part.name);
    if (part.shown) list += fmt::format(" ('{}')", has);
  }
  return list;
}

const Advice choose_another{AdviceCode::choose_checkpoint, "name another file"};

// Whether there is a file to go on from.
bool has_state(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return false;
  if (status.type() == std::filesystem::file_type::none) {
    throw Error(ErrorKind::failure, "can't be read: " + error.message(), path, choose_another);
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::data, "this is no checkpoint", path, choose_another);
  }
  return true;
}

Bytes saved_state(const std::string& path, const std::string& expected) {
  std::string text;
  try {
    text = file_text(path);
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::failure, "can't be read: " + error.code().message(), path,
                choose_another);
  }
  const Advice hint{AdviceCode::drop_checkpoint, "name another file, or remove this one"};
  if (text.empty()) return {};           // a file that was made for it
  if (text.rfind(first_line, 0) != 0) {  // whatever it is, it may be wanted
    throw Error(ErrorKind::data, "this is no checkpoint", path, choose_another);
  }
  if (text.rfind(expected, 0) != 0) {
    throw Error(ErrorKind::data,
                "the checkpoint is of another training: " + differences(text, expected), path,
                hint);
  }
  const std::string_view rest = std::string_view(text).substr(expected.size());
  const size_t end = rest.find('\n');
  const std::string_view state =
      end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  if (rest.substr(0, end) != fmt::format("checksum {:016x}", checksum(state))) {
    throw Error(ErrorKind::data, "the checkpoint is damaged", path, hint);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(state.data());
  return {bytes, bytes + state.size()};
}

void save_state(const std::string& path, const std::string& head, const Bytes& bytes) {
  const std::string_view state(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  FileOutput file(path);
  file.write(head + fmt::format("checksum {:016x}\n", checksum(state)));
  file.write(state);
  file.finish();
}

}  // namespace

namespace {

Checkpoint opened(const std::string& path, const std::string& head, const Control& control) {
  Checkpoint checkpoint;
  if (has_state(path)) checkpoint.saved = saved_state(path, head);
  const FileOutput writable(path);  // known before the work starts; leaves nothing behind
  checkpoint.save = [path, head, &control](const Bytes& bytes) {
    try {
      save_state(path, head, bytes);
    } catch (const Error& error) {  // no reason to lose the search itself
      control.warn({"the checkpoint was not saved: " + error.text_with(""), error.advice()});
    }
  };
  return checkpoint;
}

uint64_t hash_of(std::span<const Run> runs) {
  uint64_t hash = runs.size();
  for (const Run& run : runs) {
    for (const auto* part : {&run.train, &run.test, &run.validation}) {
      hash = mix64(hash ^ part->size());
      for (const RowIndex row : *part) hash = mix64(hash ^ row);
    }
  }
  return hash;
}

}  // namespace

Checkpoint open_checkpoint(const std::string& path, const TrainRequest& request, const Table& table,
                           const Control& control) {
  std::string what = "recipe " + request.recipe.text();
  if (!request.runs.empty()) what += fmt::format(" on folds {:016x}", hash_of(request.runs));
  return opened(path, identity(what, request.seed, request.class_costs, table), control);
}

Checkpoint open_checkpoint(const std::string& path, std::span<const Run> runs, uint64_t seed,
                           const ClassCosts& class_costs, const Table& table,
                           const Control& control) {
  const std::string what = fmt::format("folds {:016x}", hash_of(runs));
  return opened(path, identity(what, seed, class_costs, table), control);
}

}  // namespace softwood
