#include <softwood/version.h>

#include <iostream>

int main() { std::cout << "Softwood " << softwood::version() << "\n"; }
