"""Whether a file has every event that the poller has given out.

Usage: python3 verify_books.py events.jsonl, of a file such as `npm start -- --events events.jsonl` writes. Nothing but Python itself is needed.
Exit code 1 where something is missing.
"""

import hashlib
import json
import sys


def digest_of(event_ids):
    """As in `data.digest` of a `books.closed` event: the order does not matter."""
    total = sum(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") for text in event_ids)
    return {"count": len(event_ids), "sum": f"{total % 2**256:064x}"}


def read(path):
    """What the file says of each survey: its last books, and its events with contents by their id."""
    surveys = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() == "":
                continue
            event = json.loads(line)
            kind, detail = event["detail-type"], event["detail"]
            meta, data = detail["meta"], detail["data"]
            if meta.get("test") or kind not in ("response.completed", "response.updated", "books.closed"):
                continue
            name = f"survey {data['surveyId']} of {meta['sourceName']}"
            survey = surveys.setdefault(name, {"books": None, "events": {}})
            if kind == "books.closed":
                if survey["books"] is None or meta["sequence"] > survey["books"]["meta"]["sequence"]:
                    survey["books"] = detail
                continue
            # A repeat has the id of the first, and a later `detectedAt`.
            known = survey["events"].get(meta["eventId"])
            if known is None or meta["detectedAt"] < known["meta"]["detectedAt"]:
                survey["events"][meta["eventId"]] = detail
    return surveys


def event_ids(survey):
    """The ids that the digest is made of: of each response its latest event by the time the books closed."""
    latest = {}
    for event in survey["events"].values():
        meta, response = event["meta"], event["data"]["responseId"]
        if meta["detectedAt"] > survey["books"]["meta"]["detectedAt"]:
            continue
        if response not in latest or meta["revision"] > latest[response]["revision"]:
            latest[response] = meta
    return [meta["eventId"] for meta in latest.values()]


def verdict_on(survey):
    if survey["books"] is None:
        return "no books yet"
    own, books = digest_of(event_ids(survey)), survey["books"]
    digest = books["data"]["digest"]
    more = own["count"] - digest["count"]
    if more < 0:
        verdict = f"missing {-more}"
    elif more > 0:
        verdict = f"ahead {more}"
    else:
        verdict = "complete" if own["sum"] == digest["sum"] else "different"
    return f"{verdict} (books {books['meta']['sequence']}: {digest['count']})"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 verify_books.py FILE")
    code = 0
    for name, survey in sorted(read(sys.argv[1]).items()):
        verdict = verdict_on(survey)
        print(f"{name}: {verdict}")
        if verdict.startswith(("missing", "different")):
            code = 1
    sys.exit(code)
