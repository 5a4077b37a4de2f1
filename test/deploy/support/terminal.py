"""Runs a command on a terminal, and types what it asks for.

    python terminal.py COMMAND [ARGUMENT ...]

Reads from standard input a JSON list of [prompt, answer]: each answer is typed once its prompt stands on the terminal. Prints all
that the terminal shows, and exits as the command does.
"""

import json
import os
import pty
import sys


def main() -> int:
    answers: list[tuple[str, str]] = json.load(sys.stdin)
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    shown = b""
    answered = 0
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # On Linux this is how a terminal says that nobody writes to it any more.
            part = b""
        if not part:
            break
        shown += part
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
        if answered < len(answers) and answers[answered][0].encode() in shown:
            os.write(terminal, answers[answered][1].encode() + b"\r")
            shown = b""
            answered += 1
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
