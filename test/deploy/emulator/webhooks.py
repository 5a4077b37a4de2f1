"""Webhooks on this machine: a host that an address of https names is reached at an address of the test's.

    POST /_test/hosts    {"crm.example.com": "http://127.0.0.1:4711"}   replaces all

Only where a request goes to is changed, as it is sent: path, method, headers and body are what EventBridge would have sent.
"""

import urllib.parse
import urllib.request
from typing import Any

from ministack.services import eventbridge

hosts: dict[str, str] = {}

http_open = eventbridge._http_open


def open_at_host(request: urllib.request.Request, *rest: Any, **named: Any) -> Any:
    asked = urllib.parse.urlsplit(request.full_url)
    if asked.scheme == "https" and asked.hostname in hosts:
        there = urllib.parse.urlsplit(hosts[asked.hostname])
        request.full_url = urllib.parse.urlunsplit((there.scheme, there.netloc, asked.path, asked.query, ""))
    return http_open(request, *rest, **named)


def set_hosts(given: dict[str, str]) -> None:
    hosts.clear()
    hosts.update(given)


def install() -> None:
    eventbridge._http_open = open_at_host
