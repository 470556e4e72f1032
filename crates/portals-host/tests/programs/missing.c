// Calls something that is nowhere.
int nowhere_to_be_found(int);

int main(void)
{
    return nowhere_to_be_found(1);
}
