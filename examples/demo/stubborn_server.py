"""A server that does not want to end: it ignores SIGTERM, and so does the grandchild that it starts in a
session of its own. For the demo; killed by it, or ends by itself after ten minutes."""

import signal
import socket
import subprocess
import sys

LIFETIME_SECONDS = 600


def main():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = socket.create_server(('127.0.0.1', 0))
    server.settimeout(LIFETIME_SECONDS)
    # An ignored signal stays ignored over exec.
    grandchild = subprocess.Popen(['sleep', str(LIFETIME_SECONDS)], start_new_session=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    print(f'listening on port {server.getsockname()[1]}, grandchild {grandchild.pid}', flush=True)
    while True:
        try:
            server.accept()[0].close()
        except TimeoutError:
            sys.exit(0)


if __name__ == '__main__':
    main()
