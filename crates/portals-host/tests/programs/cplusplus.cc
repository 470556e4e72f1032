// C++: exceptions across sleeps, std::cout, static objects, threads of the C++ library, inline variables.
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

struct Said {
    std::string text;
    explicit Said(const char *what) : text(what) { std::cout << "made " << text << " in " << getpid() << "\n"; }
    ~Said() { std::cout << "gone " << text << " from " << getpid() << std::endl; }
};

static Said said("static");
inline int shared_by_name = 1; // one for all copies, if the loader has its way

template <typename T> struct Counter {
    static int count;
};
template <typename T> int Counter<T>::count = 0;

static int depth(int left)
{
    struct Sleeps {
        ~Sleeps() { usleep(1); }
    } sleeps;
    if (left == 0)
        throw std::runtime_error("thrown by " + std::to_string(getpid()));
    return depth(left - 1);
}

int main()
{
    int pid = getpid();
    shared_by_name = pid;
    Counter<int>::count += 1;
    try {
        depth(3);
    } catch (const std::exception &error) {
        usleep(10);
        try {
            throw 1;
        } catch (int) {
            usleep(10);
        }
        std::cout << "caught: " << error.what() << std::endl;
    }
    if (shared_by_name != pid || Counter<int>::count != 1)
        return 1;
    auto start = std::chrono::steady_clock::now();
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(250));
        std::lock_guard<std::mutex> held(mutex);
        ready = true;
        condition.notify_one();
    });
    {
        std::unique_lock<std::mutex> held(mutex);
        condition.wait(held, [&] { return ready; });
    }
    thread.join();
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << "took " << int(took.count() * 1000 + 0.5) << " ms, ";
    std::printf("with C in between, ");
    std::cerr << "to cerr" << std::endl;
    std::cout << "done" << std::endl;
    return 0;
}
