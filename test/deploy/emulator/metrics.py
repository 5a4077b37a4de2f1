"""Metrics as CloudWatch has them and ministack does not: out of the functions' logs, and of the queues.

Their clock stands until it is set (`control.py`), at the beginning of a day: an alarm's period begins between two ticks because a test says so, and
never between a tick and the look at what it wrote. Nothing but the date of a metric goes by it.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

from ministack.core import lambda_runtime
from ministack.services import cloudwatch, lambda_svc, sqs

emit_logs = lambda_svc._emit_lambda_logs
drain = lambda_runtime.Worker._drain_stderr_bounded

DAY = 86_400

# Since when metrics have which date, the present last: a line of log may come with the next invocation's. All by epoch seconds.
clock: list[tuple[float, float]] = [(0.0, time.time() // DAY * DAY)]

Metric = tuple[str, str, float, str, dict[str, str]]


def embedded_metrics(line: str) -> Iterator[tuple[float, Metric]]:
    """When, and then namespace, name, value, unit and dimensions of each metric in a line of log."""
    if '"_aws"' not in line:
        return
    try:
        document: dict[str, Any] = json.loads(line[line.index("{") :])
        directives = document["_aws"]["CloudWatchMetrics"]
        written = document["_aws"]["Timestamp"] / 1000
    except (ValueError, KeyError, TypeError):
        return
    for directive in directives:
        for names in directive.get("Dimensions") or [[]]:
            dimensions = {name: str(document[name]) for name in names}
            for metric in directive["Metrics"]:
                values = document[metric["Name"]]
                for value in values if isinstance(values, list) else [values]:
                    unit = metric.get("Unit", "None")
                    yield written, (directive["Namespace"], metric["Name"], float(value), unit, dimensions)


def record(written: float, metric: Metric) -> None:
    namespace, name, value, unit, dimensions = metric
    date = next(date for since, date in reversed(clock) if since <= written)
    cloudwatch._store_datum(namespace, name, dimensions, date, unit, value, None, None, None)


def emit_logs_and_metrics(func: dict[str, Any], request_id: str, log_text: str, *rest: Any, **named: Any) -> None:
    emit_logs(func, request_id, log_text, *rest, **named)
    for line in (log_text or "").splitlines():
        for written, metric in embedded_metrics(line):
            record(written, metric)


def set_ahead(seconds: float) -> float:
    """Gives the present of metrics, with what the queues hold at it: SQS tells that each minute."""
    now = time.time()
    date = clock[-1][1] + seconds
    if seconds:
        clock.append((now, date))
    for _, queue in sqs._queues.all_items():
        sqs._refresh_counts(queue)
        visible = float(queue["attributes"]["ApproximateNumberOfMessages"])
        name = "ApproximateNumberOfMessagesVisible"
        record(now, ("AWS/SQS", name, visible, "Count", {"QueueName": queue["name"]}))
    return date


def drain_patiently(worker: lambda_runtime.Worker) -> str:
    """On a busy machine the last lines of an invocation come later than the 5 ms for which ministack waits."""
    return drain(worker, first_line_wait=0.25, idle_confirm=0.05, hard_cap=1.0)


def install() -> None:
    lambda_runtime.Worker._drain_stderr_bounded = drain_patiently
    lambda_svc._emit_lambda_logs = emit_logs_and_metrics
