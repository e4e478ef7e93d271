// What a program that was killed left behind, found by whether somebody still holds its lock.
#pragma once

#include <functional>
#include <string>

namespace softwood {

// Locks an open file for as long as it is open. False when it is no longer there (whoever cleaned
// up met it before it was locked) and has to be made again. Where the file system has no locks
// nothing is locked, and nothing is cleaned up.
bool lock_file(int file);

// Calls remove() where nobody holds the lock of this file, and so nobody will finish it; the lock
// is held meanwhile. False: somebody does.
bool remove_if_abandoned(const std::string& path, const std::function<void()>& remove);

// Removes files beside `path` that are called `path`.NUMBER-NUMBER.part and abandoned. Not every
// call looks: the first one of the process for a folder does.
void remove_stale_parts(const std::string& path);

}  // namespace softwood
