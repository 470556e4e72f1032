// Uses a library of its own folder: each process has its own copy, in which calls of the C library are ours too.
#include <stdio.h>
#include <unistd.h>

extern int library_variable;
int library_next(void);

int main(void)
{
    library_variable += getpid();
    for (int i = 0; i < 3; i++)
        library_next();
    printf("%d %d\n", library_variable, library_next());
    return 0;
}
