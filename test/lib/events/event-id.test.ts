import { describe, expect, it } from "vitest";
import { eventIdOf } from "../../../lib/events/event-id.ts";
import { eventId } from "../../../lib/events/index.ts";

// R19
describe("an event id", () => {
  it("is for ever the same: consumers keep it to tell repeats", () => {
    expect(eventId("main", 1, 2)).toBe("976cb15d-378b-57e3-9870-8e8c4c8a7b02");
    expect(eventId("main", 4711, 123_456_789)).toBe("49f0d12f-42fb-5c2d-984e-18aa7fb53f02");
    expect(eventId("main", 1, 2, 2)).toBe("9155d18c-687e-58b2-b257-7bf694de2230");
    const closed = { type: "books.closed", sourceName: "other", surveyId: 3, which: 5 } as const;
    expect(eventIdOf(closed)).toBe("72f36d8b-abf5-5c8d-9db9-24957ebe2561");
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
