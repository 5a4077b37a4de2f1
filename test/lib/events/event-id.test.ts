import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eventIdOf } from "../../../lib/events/event-id.ts";
import { eventId } from "../../../lib/events/index.ts";

/** RFC 9562, version 5, made by hand: the ids must outlive any package. */
function uuid5(name: string, namespace: string): string {
  const digest = createHash("sha1")
    .update(Buffer.from(namespace.replaceAll("-", ""), "hex"))
    .update(name)
    .digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex").slice(0, 32);
  return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(ends[i - 1] ?? 0, end)).join("-");
}

// R19
describe("an event id", () => {
  it("is for ever the same: consumers keep it to tell repeats", () => {
    expect(eventId("main", 1, 2)).toBe("976cb15d-378b-57e3-9870-8e8c4c8a7b02");
    expect(eventId("main", 4711, 123_456_789)).toBe("49f0d12f-42fb-5c2d-984e-18aa7fb53f02");
    expect(eventId("main", 1, 2, 2)).toBe("9155d18c-687e-58b2-b257-7bf694de2230");
  });

  it("is the version 5 UUID of the documented name", () => {
    const url = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
    const namespace = uuid5("https://survey-poller/events", url);
    expect(eventId("other", 3, 4)).toBe(uuid5("response.completed/other/3/4/1", namespace));
    expect(eventId("other", 3, 4, 7)).toBe(uuid5("response.updated/other/3/4/7", namespace));
    const closed = { type: "books.closed", sourceName: "other", surveyId: 3, which: 5 } as const;
    expect(eventIdOf(closed)).toBe(uuid5("books.closed/other/3/-/5", namespace));
  });

  it("tells sources, surveys, responses and revisions apart", () => {
    const ids = [
      eventId("a", 1, 2),
      eventId("b", 1, 2),
      eventId("a", 2, 1),
      eventId("a", 12, 0),
      eventId("a", 1, 2, 2),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
