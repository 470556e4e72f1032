// Calls the function of the test whose address is the first argument, with the second.
#include <stdlib.h>

int main(int argc, char **argv)
{
    int (*function)(unsigned long) = (int (*)(unsigned long))strtoul(argv[1], NULL, 16);
    return argc > 2 ? function(strtoul(argv[2], NULL, 16)) : function(0);
}
