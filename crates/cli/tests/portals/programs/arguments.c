/* Prints what main was given, by rank. */
#include "common.h"

int main(int argc, char **argv)
{
    int which;

    for (which = 0; which < argc; which++)
        printf("%d:%s\n", which, argv[which]);
    return 0;
}
