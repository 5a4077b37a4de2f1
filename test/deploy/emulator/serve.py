"""Serves ministack with what the stack needs and ministack lacks, on a free port of 127.0.0.1.

Prints one line of JSON, {"port": N}, once it listens. Ends when its standard input ends: so it never outlives the test that started it,
however that ends.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import threading


def main() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    port: int = listener.getsockname()[1]
    # ministack reads its settings as it is imported.
    os.environ.update(
        GATEWAY_PORT=str(port),
        BIND_HOST="127.0.0.1",
        MINISTACK_HOST="127.0.0.1",
        # Listeners of other services, with fixed ports.
        IOT_MTLS_ENABLED="0",
        SFTP_ENABLED="0",
    )
    from hypercorn.asyncio import serve
    from hypercorn.config import Config
    from ministack.app import app
    from ministack.core import lambda_runtime

    import accounts
    import cloudformation
    import control
    import events
    import metrics
    import query_results
    import refusals

    # First: what CloudFormation calls is looked up as it is registered.
    refusals.install()
    cloudformation.register()
    metrics.install()
    accounts.install()
    events.install()
    query_results.install()

    config = Config()
    config.bind = [f"fd://{listener.fileno()}"]
    config.keep_alive_timeout = 75
    config.graceful_timeout = 1
    config.loglevel = "WARNING"

    async def run() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wait_for_the_end_of_input() -> None:
            while sys.stdin.buffer.read(1):
                pass
            loop.call_soon_threadsafe(stop.set)

        threading.Thread(target=wait_for_the_end_of_input, daemon=True).start()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        print(json.dumps({"port": port}), flush=True)
        await serve(control.with_control(app), config, shutdown_trigger=stop.wait)

    try:
        asyncio.run(run())
    finally:
        lambda_runtime.reset()
        sys.stdout.flush()
        # Threads of invocations may still wait for processes that are gone.
        os._exit(0)


if __name__ == "__main__":
    main()
