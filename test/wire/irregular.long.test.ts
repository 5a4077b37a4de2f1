import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

describe("records that are not quite as documented", () => {
  test("several equal records for one question all go out", async () => {
    const service = await polledService({
      surveys: [{ surveyId: 1, responses: 60 }],
      settings: { repeatedQuestions: 1 },
    });
    const { simulator } = service;
    simulator.complete(1, 3, { repeat: { copies: 4, identical: true } });
    simulator.complete(1, 3, { repeat: { copies: 4, identical: false } });
    // More equal records than a page holds: they lie on both sides of an edge.
    simulator.complete(1, 1, { repeat: { copies: 130, identical: true } });
    const { events } = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  });

  test("a field of another type goes out empty, marked, with what was read", async () => {
    const service = await polledService({
      surveys: [{ surveyId: 1, responses: 80 }],
      settings: {
        irregular: {
          probability: 0.8,
          kinds: ["answerText", "answerNull", "commentNull", "commentMissing", "scoreText", "dateNumber"],
        },
      },
    });
    const { simulator } = service;
    const truth = simulator.truth();
    const { events } = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(events, truth)).toEqual([]);
    const marks = new Set(events.flatMap(({ detail }) => detail.meta.irregular.map((name) => name.split(".").at(-1))));
    expect([...marks].sort()).toEqual(["answer", "comment", "dateCompleted", "score"]);
  });

  test("numbers and flags in quotes are understood, and marked", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1 }] });
    const { simulator } = service;
    const [quoted = 0] = simulator.complete(1, 1, { patch: (record) => ({ completed: String(record.completed) }) });
    const [named = 0] = simulator.complete(1, 1, { patch: (record) => ({ responseId: String(record.responseId) }) });
    const { events } = await service.poll({ "start-from": "beginning" });
    const marks = new Map(events.map(({ detail }) => [detail.data.responseId, detail.meta.irregular]));
    expect([...marks.keys()].sort()).toEqual([quoted, named].sort());
    expect(marks.get(quoted)).toContain("completed");
    expect(marks.get(named)).toContain("responseId");
  });

  test.each([
    ["readAt", "empty"],
    ["readAt", "repeatLast"],
    ["fieldOrder", "empty"],
  ] as const)(
    "that read differently each time (%s, past the end: %s) go out once, and the books are closed",
    async (rereads, pastEnd) => {
      const service = await polledService({
        surveys: [{ surveyId: 1, responses: 300 }],
        settings: { rereads, pastEnd },
      });
      const { simulator } = service;
      const { events, stdout } = await service.poll({ "start-from": "beginning" });
      expect(compareWithTruth(events, simulator.truth())).toEqual([]);
      expect(stdout).toMatch(/^done: .* 300 events,/m);
      const { requests = 0 } = simulator.counters();
      // Metrics and metadata, the first 20 confirmed, and few pages more than where they hold still.
      expect(requests).toBeLessThan(2 * 300 + 150);

      simulator.complete(1, 10);
      // A pass that has met fields that read differently for the first time may leave the books to the next one, at a request or two a tick.
      const again = await service.poll({ "start-from": "beginning", ticks: "80" });
      expect(compareWithTruth(again.events, simulator.truth())).toEqual([]);
      expect(again.stdout).toMatch(/^done: .* 10 events,/m);
      expect(again.stdout).toMatch(/books: closed at .*\(3[01]0 listed = 3[01]0 emitted/m);
    },
  );

  test("what cannot be read is quarantined and said so; everything beside it goes out", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 30 }] });
    const { simulator } = service;
    const unreadable = ["maybe", null, 2].flatMap((completed) => simulator.complete(1, 1, { patch: { completed } }));
    const nameless = simulator.complete(1, 1, { records: 2, patch: { responseId: "none" } });
    simulator.complete(1, 30);
    const bad = new Set([...unreadable, ...nameless]);
    const truth = simulator.truth().filter(({ responseId }) => !bad.has(responseId));

    const { events, stdout } = await service.poll({ "start-from": "beginning" });

    expect(compareWithTruth(events, truth)).toEqual([]);
    for (const id of unreadable) {
      expect(stdout).toContain(`survey 1: response ${id} is quarantined: unreadable completed\n`);
    }
    expect(stdout.match(/^survey 1: a record is quarantined: unreadable responseId$/gm)).toHaveLength(2);
    expect(stdout).toMatch(/^done: .* 60 events, .* 5 withheld$/m);
    expect(stdout).toMatch(/books: closed at .*\(63 listed = 60 emitted .* \+ 3 quarantined\b/m);

    const before = readFileSync(`${service.folder}/events.jsonl`);
    const again = await service.poll({ "start-from": "beginning" });
    expect(readFileSync(`${service.folder}/events.jsonl`)).toEqual(before);
    expect(again.stdout).toMatch(/^done: .* 0 events,/m);
  });
});
