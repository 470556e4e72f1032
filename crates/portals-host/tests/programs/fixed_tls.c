// A thread-local variable in the part that cannot grow.
static __thread int value __attribute__((tls_model("initial-exec"))) = 1;

int main(void)
{
    return --value;
}
