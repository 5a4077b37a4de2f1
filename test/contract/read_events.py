"""Reads events with the generated models, one a line: the name of a class, a tab, the event.

Answers each with what it has read, as JSON, or with why it could not.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
import survey_poller_events as models  # noqa: E402

for line in sys.stdin:
    name, text = line.rstrip("\n").split("\t", 1)
    try:
        event = getattr(models, name).model_validate_json(text)
        print(json.dumps(event.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    except ValueError as error:
        print(json.dumps(f"failed: {error}"))
