"""Metrics as CloudWatch has them and ministack does not: out of the functions' logs."""

import json
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import cloudwatch, lambda_svc

emit_logs = lambda_svc._emit_lambda_logs
drain = lambda_runtime.Worker._drain_stderr_bounded


def record_embedded_metrics(line: str) -> None:
    """Keeps each metric in a line of log under the time at which it was written."""
    try:
        document: dict[str, Any] = json.loads(line[line.index("{") :])
        embedded = document["_aws"]
    except (ValueError, KeyError, TypeError):
        return
    for directive in embedded["CloudWatchMetrics"]:
        for names in directive.get("Dimensions") or [[]]:
            dimensions = {name: str(document[name]) for name in names}
            for metric in directive["Metrics"]:
                name, unit = metric["Name"], metric.get("Unit", "None")
                values = document[name] if isinstance(document[name], list) else [document[name]]
                for value in values:
                    written = embedded["Timestamp"] / 1000
                    cloudwatch._store_datum(
                        directive["Namespace"], name, dimensions, written, unit, float(value), None, None, None
                    )


def emit_logs_and_metrics(func: dict[str, Any], request_id: str, log_text: str, *rest: Any, **named: Any) -> None:
    emit_logs(func, request_id, log_text, *rest, **named)
    for line in (log_text or "").splitlines():
        if '"_aws"' in line:
            record_embedded_metrics(line)


def drain_patiently(worker: lambda_runtime.Worker) -> str:
    """On a busy machine the last lines of an invocation come later than the 5 ms for which ministack waits."""
    return drain(worker, first_line_wait=0.25, idle_confirm=0.05, hard_cap=1.0)


def install() -> None:
    lambda_runtime.Worker._drain_stderr_bounded = drain_patiently
    lambda_svc._emit_lambda_logs = emit_logs_and_metrics
