// No program: it has no main that others can see.
int value(void)
{
    return 1;
}
