#include "cli/program.h"

int main(int argc, char** argv) { return softwood::run_program({argv + 1, argv + argc}); }
