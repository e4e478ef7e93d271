// Pieces of long work that are finished, kept in a checkpoint: a run that comes after one that was
// ended takes them from there, and does only the rest.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "stages/stage.h"

namespace softwood {

class FinishedWork {
 public:
  // Null: nothing is kept. A data Error when the bytes of the checkpoint are not such pieces.
  explicit FinishedWork(const Checkpoint* checkpoint);
  // Saves what was not saved yet, however the work ended.
  ~FinishedWork();
  FinishedWork(const FinishedWork&) = delete;
  FinishedWork& operator=(const FinishedWork&) = delete;

  bool keeps() const { return checkpoint_ != nullptr; }
  size_t known() const { return known_; }  // pieces of earlier runs
  // Several threads may ask and add at once.
  std::optional<Bytes> find(const std::string& key) const;
  void add(const std::string& key, Bytes piece);

 private:
  void save();

  const Checkpoint* checkpoint_;
  size_t known_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, Bytes> pieces_;
  bool unsaved_ = false;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace softwood
