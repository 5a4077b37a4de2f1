"""Drains one survey with dlt's rest_api source into its filesystem destination.

drain.py URL SURVEY WORKERS DIRECTORY
"""

import os
import sys
from typing import Any

# Read when dlt is imported: nothing of a measurement leaves the machine.
os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"

import dlt
from dlt.destinations import filesystem
from dlt.sources.helpers import requests
from dlt.sources.helpers.rest_client.paginators import PageNumberPaginator, SinglePagePaginator
from dlt.sources.rest_api import rest_api_source
from dlt.sources.rest_api.typing import EndpointResource, RESTAPIConfig
from requests import Request


class PagePaginator(PageNumberPaginator):
    """The number of the page is a segment of the path, and the page after the last is an empty array."""

    def __init__(self, pages: str) -> None:
        super().__init__(base_page=1, total_path=None)
        self.pages = pages

    def update_request(self, request: Request) -> None:
        request.url = f"{self.pages}{self.current_value}/order/asc/"


def first_records() -> Any:
    """A response is listed once for each of its answers; its sub-requests are made once."""
    seen: set[int] = set()

    def is_first(record: dict[str, Any]) -> bool:
        if record["completed"] != 1 or record["responseId"] in seen:
            return False
        seen.add(record["responseId"])
        return True

    return is_first


def token_of(url: str) -> str:
    answer = requests.post(f"{url}/oauth/token/", data={"clientId": "bench", "clientSecret": "bench"})
    return answer.json()["token"]


def child(name: str) -> EndpointResource:
    return {
        "name": name,
        "endpoint": {
            "path": f"{{resources.responses.responseId}}/{name}/",
            "data_selector": "$",
            "paginator": SinglePagePaginator(),
        },
        "include_from_parent": ["responseId"],
        "parallelized": True,
        # As it came: its map of metrics is no table of its own.
        "max_table_nesting": 0,
    }


def main(url: str, survey: str, workers: int, directory: str) -> None:
    dlt.config["extract.workers"] = workers
    # Twice the workers are in hand, so that none waits for the next page.
    dlt.config["extract.max_parallel_items"] = 2 * workers
    dlt.config["normalize.data_writer.disable_compression"] = True
    responses = f"{url}/api/v3/surveys/{survey}/responses/"
    config: RESTAPIConfig = {
        "client": {
            "base_url": responses,
            "headers": {"Authorization": f"bearer {token_of(url)}", "Content-Type": "application/json"},
            "session": requests.Client(raise_for_status=False, max_connections=workers).session,
        },
        "resources": [
            {
                "name": "responses",
                "endpoint": {"path": "", "data_selector": "$", "paginator": PagePaginator(f"{responses}page/")},
                "processing_steps": [{"filter": first_records()}],
                "max_table_nesting": 0,
            },
            child("metrics"),
            child("metadata"),
        ],
    }
    pipeline = dlt.pipeline(
        pipeline_name="peer",
        pipelines_dir=os.path.join(directory, "pipelines"),
        destination=filesystem(bucket_url=f"file://{directory}/loaded"),
        dataset_name="survey",
    )
    pipeline.run(rest_api_source(config), loader_file_format="jsonl")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
