#include "stages/finished_work.h"

#include <exception>

#include "softwood/error.h"

namespace softwood {
namespace {

// A save writes all pieces again.
constexpr auto between_saves = std::chrono::seconds(10);
constexpr ByteForm form{{'s', 'w', 'f', 'p'}, 1, "finished pieces of work"};

std::map<std::string, Bytes> pieces_of(const Bytes& saved) {
  std::map<std::string, Bytes> pieces;
  try {
    ByteReader in(saved);
    in.form(form);
    for (auto count = in.value<uint64_t>(); count > 0; --count) {
      const std::string key = in.text();
      pieces[key] = in.vector<std::byte>();
    }
    in.end();
  } catch (const Error&) {
    throw Error(ErrorKind::data, "the checkpoint holds no finished pieces of such work");
  }
  return pieces;
}

}  // namespace

FinishedWork::FinishedWork(const Checkpoint* checkpoint) : checkpoint_(checkpoint) {
  if (checkpoint_ == nullptr || checkpoint_->saved.empty()) return;
  pieces_ = pieces_of(checkpoint_->saved);
  known_ = pieces_.size();
}

FinishedWork::~FinishedWork() {
  if (!unsaved_) return;
  try {
    save();
  } catch (const std::exception&) {
    // What is not kept is done again.
  }
}

std::optional<Bytes> FinishedWork::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(key);
  return found == pieces_.end() ? std::nullopt : std::optional(found->second);
}

void FinishedWork::add(const std::string& key, Bytes piece) {
  if (checkpoint_ == nullptr) return;
  const std::lock_guard lock(mutex_);
  pieces_[key] = std::move(piece);
  unsaved_ = true;
  if (std::chrono::steady_clock::now() - saved_ > between_saves) save();
}

void FinishedWork::save() {
  if (!checkpoint_->save) return;
  ByteWriter out;
  out.form(form);
  out.value(static_cast<uint64_t>(pieces_.size()));
  for (const auto& [key, piece] : pieces_) {
    out.text(key);
    out.vector(piece);
  }
  checkpoint_->save(out.take());
  saved_ = std::chrono::steady_clock::now();
  unsaved_ = false;
}

}  // namespace softwood
