"""What the manifest cannot say."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import requests
from airbyte_cdk.sources.declarative.extractors.record_extractor import RecordExtractor


@dataclass
class FirstRecords(RecordExtractor):
    """A response is listed once for each of its answers; its sub-requests are made once."""

    def extract_records(self, response: requests.Response) -> Iterable[Mapping[str, Any]]:
        # Of a page only: each stream reads the pages anew, and no response of the bench spans two.
        first: dict[int, Mapping[str, Any]] = {}
        for record in response.json():
            first.setdefault(record["responseId"], record)
        return first.values()
