import { describe, expect, it } from "vitest";
import { duplicates, responsesOf } from "../../smoke/checks/events.ts";
import { type Delivered, summarize } from "../../smoke/recorded.ts";

const answer = (comment: string) => ({ questionId: 1, answer: 1, comment, score: null, matrixScore: null });

/** As much of an event as the smoke looks at. */
function delivered(eventId: string, id: string, given: { replay?: string; answersRef?: object } = {}): Delivered {
  const { replay, answersRef = null } = given;
  const detail = {
    meta: { eventId },
    data: { responseId: Number(eventId), answers: answersRef === null ? [answer("ż"), answer("")] : [], answersRef },
  };
  const event = { id, "detail-type": "response.completed", time: "2026-11-20T12:00:00Z", detail };
  return { ...event, ...(replay === undefined ? {} : { "replay-name": replay }) } as unknown as Delivered;
}

const arrived = (...events: Delivered[]) => events.map((event) => ({ event }));

describe("duplicates", () => {
  it("finds an event that was put on the bus twice", () => {
    expect(duplicates(arrived(delivered("1", "a"), delivered("2", "b"), delivered("1", "c")))).toEqual(["1"]);
  });

  it("takes neither a second delivery nor a replay for one", () => {
    expect(duplicates(arrived(delivered("1", "a"), delivered("1", "a")))).toEqual([]);
    expect(duplicates(arrived(delivered("1", "a"), delivered("1", "b", { replay: "again" })))).toEqual([]);
  });
});

it("responsesOf leaves replays out", () => {
  expect([...responsesOf(arrived(delivered("1", "a"), delivered("2", "b", { replay: "again" })))]).toEqual([1]);
});

describe("summarize", () => {
  it("counts the answers and the bytes of their comments", () => {
    expect(summarize(delivered("7", "a"), "function", 99, undefined)).toEqual({
      pk: "function",
      sk: "7#a",
      eventId: "7",
      deliveryId: "a",
      responseId: 7,
      bytes: 99,
      answers: 2,
      commentBytes: 2,
      isClaimed: false,
    });
  });

  it("counts those out of the bucket where the event only points to them", () => {
    const event = delivered("7", "a", { answersRef: { bucket: "b", key: "k", bytes: 1 }, replay: "again" });
    const fetched = [answer("abc"), answer("d"), answer("")];
    expect(summarize(event, "queue", 10, fetched)).toMatchObject({
      answers: 3,
      commentBytes: 4,
      isClaimed: true,
      replay: "again",
    });
    expect(summarize(event, "endpoint", 10, undefined)).toMatchObject({ answers: 0, commentBytes: 0, isClaimed: true });
  });
});
