"""What tools/api_load does: puts load on a server and measures its answers. Only the standard library."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

CLIENTS = 32
CALLS = 200
RATE = 2_000
LISTS = ["/configurations", "/simulations", "/configurations?limit=20", "/simulations?status=provisioning&sort=name:asc", "/workspaces"]


def start(program, folder):
    """A server; its process, host, port and token."""
    log = open(os.path.join(folder, "log"), "w")
    server = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(folder, "data"), "--jobs", "0"], stdout=subprocess.PIPE, stderr=log, text=True)
    address = server.stdout.readline().split("http://")[1].strip()
    for _ in range(2):
        server.stdout.readline()
    host, port = address.split(":")
    return server, host, int(port), server.stdout.readline().strip()


def fill(host, port, token):
    """500 configurations, 200 waiting simulations."""

    def call(method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://{host}:{port}/api/v1{path}", data, headers, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
            return json.load(answer)

    template = call("GET", "/templates?search=rdma-one-rack")["templates"][0]["id"]
    ids = [call("POST", f"/templates/{template}/clone", {"name": f"configuration {n}"})["id"] for n in range(500)]
    call("POST", f"/configurations/{ids[0]}/validate")
    for n in range(200):
        call("POST", "/simulations", {"configurationId": ids[0], "name": f"waiting-{n}", "duration": "1ms"})
    deadline = time.time() + 60
    while len(call("GET", "/simulations?status=validating")["simulations"]) > 0 and time.time() < deadline:
        time.sleep(0.2)


class Client:
    """One connection that is kept."""

    def __init__(self, host, port, token):
        self.host, self.port, self.token = host, port, token

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port)

    async def get(self, path):
        """The status of the answer."""
        self.writer.write(f"GET /api/v1{path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        await self.reader.readexactly(length)
        return int(head[9:12])


async def lists(host, port, token):
    """Times of list calls, in seconds, and how many failed."""
    times, failed = [], 0

    async def work(n):
        nonlocal failed
        client = Client(host, port, token)
        await client.open()
        for call in range(CALLS):
            begun = time.perf_counter()
            status = await client.get(LISTS[(n + call) % len(LISTS)])
            times.append(time.perf_counter() - begun)
            failed += status != 200

    await asyncio.gather(*(work(n) for n in range(CLIENTS)))
    return sorted(times), failed


def resident(process):
    """Resident memory in MiB."""
    with open(f"/proc/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024


async def steady(host, port, token, process, seconds):
    """A steady rate; the answers, the failures, and memory every ten seconds."""
    answers, failed, memory = 0, 0, []
    begun = time.perf_counter()

    async def work(n):
        nonlocal answers, failed
        client = Client(host, port, token)
        await client.open()
        due = begun + n / RATE
        while due < begun + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            failed += await client.get("/simulations?limit=1" if answers % 2 else "/health") != 200
            answers += 1
            due += CLIENTS / RATE

    async def watch():
        while time.perf_counter() < begun + seconds:
            memory.append(resident(process))
            await asyncio.sleep(10)

    await asyncio.gather(watch(), *(work(n) for n in range(CLIENTS)))
    return answers, failed, memory, time.perf_counter() - begun


def main():
    program, seconds = sys.argv[1], float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        server, host, port, token = start(program, folder)
        try:
            fill(host, port, token)
            times, failed = asyncio.run(lists(host, port, token))
            at = lambda part: times[min(len(times) - 1, int(part * len(times)))] * 1e3
            print(f"list calls, {CLIENTS} clients: {len(times)} calls, {failed} failed, p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, max {times[-1] * 1e3:.1f} ms", flush=True)
            answers, lost, memory, took = asyncio.run(steady(host, port, token, server.pid, seconds))
            first = memory[min(6, len(memory) - 1)]
            print(f"steady rate: {answers / took:.0f} requests/s for {took:.0f} s, {lost} failed, memory {first:.1f} MiB after a minute, {memory[-1]:.1f} MiB at the end")
            wrong = [why for why, so in [
                ("a call failed", failed or lost),
                ("list calls take 50 ms or more at the 99th percentile", at(0.99) >= 50),
                ("memory grows", memory[-1] > first * 1.1),
            ] if so]
        finally:
            server.terminate()
            server.wait()
    if wrong:
        sys.exit("error: " + "; ".join(wrong))


main()
