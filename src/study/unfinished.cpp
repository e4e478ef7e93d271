#include "study/unfinished.h"

#include <unistd.h>

#include <array>
#include <atomic>

namespace softwood {
namespace {

// All that a signal handler touches: lock-free atomics.
std::atomic<bool> begun{false};
std::atomic<bool> saved{false};
std::array<std::atomic<const char*>, 8> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

Unfinished::Unfinished(const std::string& path) : path_(path), slot_(0) {
  begun = true;
  for (; slot_ < unfinished.size(); ++slot_) {
    const char* empty = nullptr;
    if (unfinished[slot_].compare_exchange_strong(empty, path_.c_str())) return;
  }
}

Unfinished::~Unfinished() {
  if (slot_ < unfinished.size()) unfinished[slot_].store(nullptr);
}

void remove_unfinished() {
  for (const auto& slot : unfinished) {
    const char* path = slot.load();
    if (path != nullptr) unlink(path);
  }
}

void note_saved() { saved = true; }
bool anything_saved() { return saved; }
bool anything_begun() { return begun; }

}  // namespace softwood
