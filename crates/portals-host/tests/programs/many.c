// One of many: touches its memory and a bit of its stack, and waits for the others by sleeping.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char memory[4096];

int main(void)
{
    char stack[2000];
    memset(stack, 1, sizeof stack);
    for (int i = 0; i < 10; i++) {
        memset(memory, i, sizeof memory);
        usleep(getpid() % 7);
        if (memory[100] != i)
            return 1;
    }
    printf("%d\n", getpid() + stack[99] - 1);
    return 0;
}
