"""Drains one survey with the concurrent declarative CDK, messages on standard output.

drain.py URL SURVEY CONCURRENCY DIRECTORY
"""

import json
import sys
from pathlib import Path
from typing import Any

from airbyte_cdk.entrypoint import launch
from airbyte_cdk.models import ConfiguredAirbyteCatalogSerializer
from airbyte_cdk.sources.declarative.yaml_declarative_source import YamlDeclarativeSource


def configured(stream: str) -> dict[str, Any]:
    return {
        "stream": {"name": stream, "json_schema": {}, "supported_sync_modes": ["full_refresh"]},
        "sync_mode": "full_refresh",
        "destination_sync_mode": "append",
    }


def main(url: str, survey: str, concurrency: int, directory: Path) -> None:
    config = {"url": url, "survey": survey, "concurrency": concurrency}
    catalog = {"streams": [configured(stream) for stream in ("responses", "metrics", "metadata")]}
    config_file, catalog_file = directory / "config.json", directory / "catalog.json"
    config_file.write_text(json.dumps(config))
    catalog_file.write_text(json.dumps(catalog))
    source = YamlDeclarativeSource(
        path_to_yaml=str(Path(__file__).parent / "manifest.yaml"),
        catalog=ConfiguredAirbyteCatalogSerializer.load(catalog),
        config=config,
    )
    launch(source, ["read", "--config", str(config_file), "--catalog", str(catalog_file)])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
