// A library of the program's folder, with state of its own.
#include <unistd.h>

static int counter;
int library_variable = 40;

int library_next(void)
{
    usleep(1);
    return ++counter;
}
