"""A server for the demo that ignores SIGTERM, as does the grandchild that it starts in a session of its own.

The demo kills it; otherwise it ends by itself after ten minutes.
"""

import signal
import socket
import subprocess
import sys

LIFETIME_SECONDS = 600


def main():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    server = socket.create_server(('127.0.0.1', 0))
    server.settimeout(LIFETIME_SECONDS)
    # An ignored signal stays ignored after exec.
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
