"""Drains one survey with a tap of the Singer SDK, messages on standard output.

drain.py URL SURVEY
"""

import sys
from collections.abc import Iterable
from typing import Any

import requests
from singer_sdk import RESTStream, Stream, Tap
from singer_sdk import typing as th
from singer_sdk.pagination import BasePageNumberPaginator
from singer_sdk.streams.rest import HTTPRequest, PageContext


class Pages(BasePageNumberPaginator):
    """The page after the last is an empty array."""

    def has_more(self, response: requests.Response) -> bool:
        return bool(response.json())


class SurveyStream(RESTStream[int]):
    # No bookmarks: one for each response would be kept otherwise.
    state_partitioning_keys = []

    @property
    def url_base(self) -> str:
        return f"{self.config['url']}/api/v3/surveys/{self.config['survey']}/responses/"

    @property
    def http_headers(self) -> dict[str, str]:
        return {"Authorization": f"bearer {self.config['token']}", "Content-Type": "application/json"}


class Responses(SurveyStream):
    name = "responses"
    path = "page/"
    primary_keys = ("responseId",)
    schema = th.PropertiesList(
        th.Property("responseId", th.IntegerType, required=True), additional_properties=True
    ).to_dict()

    def get_new_paginator(self) -> Pages:
        return Pages(start_value=1)

    def get_http_request(self, *, page: PageContext[int]) -> HTTPRequest:
        request = super().get_http_request(page=page)
        request.url += f"{page.next_page_token}/order/asc/"
        return request

    def get_records(self, context: Any) -> Iterable[dict[str, Any]]:
        """A response is listed once for each of its answers; its sub-requests are made once."""
        seen: set[int] = set()
        for record in super().get_records(context):
            if record["completed"] == 1 and record["responseId"] not in seen:
                seen.add(record["responseId"])
                yield record

    def get_child_context(self, record: dict[str, Any], context: Any) -> dict[str, int]:
        return {"responseId": record["responseId"]}


class OfResponse(SurveyStream):
    parent_stream_type = Responses
    primary_keys = ("responseId",)
    schema = Responses.schema

    def post_process(self, row: dict[str, Any], context: Any = None) -> dict[str, Any]:
        """Metrics do not say whose they are."""
        return {**row, **context}


class Metrics(OfResponse):
    name = "metrics"
    path = "{responseId}/metrics/"


class Metadata(OfResponse):
    name = "metadata"
    path = "{responseId}/metadata/"


class SurveyTap(Tap):
    name = "tap-surveys"
    config_jsonschema = th.PropertiesList(
        th.Property("url", th.StringType, required=True),
        th.Property("survey", th.StringType, required=True),
        th.Property("token", th.StringType, required=True, secret=True),
    ).to_dict()

    def discover_streams(self) -> list[Stream]:
        return [Responses(self), Metrics(self), Metadata(self)]


def main(url: str, survey: str) -> None:
    answer = requests.post(f"{url}/oauth/token/", data={"clientId": "bench", "clientSecret": "bench"}, timeout=60)
    SurveyTap(config={"url": url, "survey": survey, "token": answer.json()["token"]}).sync_all()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
