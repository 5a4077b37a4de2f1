import { describe, expect, test } from "vitest";
import type { DeliveredEvent } from "../support/command.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

type Detail = DeliveredEvent["detail"];

/** Ways in which an event could be wrong; all other wire tests rely on each being seen. */
const wrongs: Record<string, (detail: Detail) => void> = {
  "an answer cut off": ({ data }) => void data.answers.pop(),
  "an answer doubled": ({ data }) => void data.answers.push(...data.answers.slice(0, 1)),
  "a comment changed": ({ data }) => void Object.assign(data.answers[0] ?? {}, { comment: "other" }),
  "a score changed": ({ data }) => void Object.assign(data.answers[0] ?? {}, { score: 99 }),
  "another date": ({ data }) => void Object.assign(data.response.completed, { local: "2026-01-01 00:00:00" }),
  "an invented instant": ({ data }) => void Object.assign(data.response.completed, { at: "2026-01-01T00:00:00Z" }),
  "another country": ({ data }) => void Object.assign(data.response, { country: "XX" }),
  "another answer count": ({ data }) => void Object.assign(data.response, { answerCount: 99 }),
  "a metric left out": ({ data }) => void data.metrics.pop(),
  "a metric changed": ({ data }) => void Object.assign(data.metrics[0]?.score ?? {}, { pointsSum: -1 }),
  "metadata left out": ({ data }) => void Object.assign(data, { metadata: null }),
  "metadata changed": ({ data }) => void Object.assign(data.metadata ?? {}, { browser: "other" }),
  "another id": ({ meta }) => void Object.assign(meta, { eventId: "00000000-0000-5000-8000-000000000000" }),
  "marked incomplete": ({ meta }) => void Object.assign(meta, { complete: false }),
  "marked irregular": ({ meta }) => void meta.irregular.push("comment"),
  "against the contract": ({ meta }) => void Object.assign(meta, { origin: 7 }),
};

describe("the comparison of events with the truth", () => {
  test("sees every kind of difference", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 3 }] });
    const truth = service.simulator.truth();
    const { events } = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(events, truth)).toEqual([]);

    for (const [name, spoil] of Object.entries(wrongs)) {
      const spoilt = structuredClone(events);
      for (const { detail } of spoilt.slice(1, 2)) spoil(detail);
      expect(compareWithTruth(spoilt, truth), name).not.toEqual([]);
    }
    expect(compareWithTruth(events.slice(1), truth), "an event lost").not.toEqual([]);
    expect(compareWithTruth([...events, ...events.slice(0, 1)], truth), "an event repeated").not.toEqual([]);
    expect(compareWithTruth(events, truth.slice(1)), "an event too many").not.toEqual([]);
    expect(compareWithTruth([...events, ...events.slice(0, 1)], truth, { repeats: 1 })).toEqual([]);
  });
});
