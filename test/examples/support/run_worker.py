"""Runs a Lambda handler as its runtime does: one event a line, each answered by a line with what the handler gives.

Usage: run_worker.py FOLDER MODULE FUNCTION
"""

import importlib
import json
import sys
import traceback

folder, module, function = sys.argv[1:]
sys.path.insert(0, folder)
answers, sys.stdout = sys.stdout, sys.stderr


class Context:
    function_name = "worker"
    function_version = "$LATEST"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:worker"
    aws_request_id = "request"

    @staticmethod
    def get_remaining_time_in_millis():
        return 60_000


handler = getattr(importlib.import_module(module), function)
for line in sys.stdin:
    try:
        answer = {"result": handler(json.loads(line), Context())}
    except Exception:
        answer = {"failed": traceback.format_exc()}
    print(json.dumps(answer), file=answers, flush=True)
