import { describe, expect, test } from "vitest";
import type { DeliveredEvent } from "../support/command.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

const zone = "Europe/Warsaw";
const survey = { surveyId: 1, responses: 40, completedFrom: Date.UTC(2026, 2, 1), completedTo: Date.UTC(2026, 5, 1) };

const completedOf = (events: readonly DeliveredEvent[], responseId: number | undefined) =>
  events.find(({ detail }) => detail.data.responseId === responseId)?.detail.data.response.completed;

describe("dates of a service that names no zone", () => {
  test("stay without an instant when no zone is configured", async () => {
    const service = await polledService({ surveys: [survey], settings: { zone } });
    const { events } = await service.poll({ "start-from": "beginning" });
    // The comparison refuses an `at`.
    expect(compareWithTruth(events, service.simulator.truth())).toEqual([]);
  });

  test("name the true instant with the zone, on both sides of a clock change", async () => {
    const service = await polledService({ surveys: [survey], settings: { zone } });
    // Clocks went forward at 01:00 UTC: 01:59:59 is followed by 03:00:00.
    for (const completedAt of [Date.UTC(2026, 2, 29, 0, 59, 59), Date.UTC(2026, 2, 29, 1, 0, 0)]) {
      service.simulator.complete(1, 1, { completedAt });
    }
    const { events } = await service.poll({ "start-from": "beginning", "time-zone": zone });
    expect(compareWithTruth(events, service.simulator.truth(), { instants: true })).toEqual([]);
  });

  test("are marked where a clock change makes them name two instants, or none", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1 }], settings: { zone } });
    const { simulator } = service;
    const before = Date.UTC(2026, 9, 25, 0, 30, 0);
    // Clocks went back at 01:00 UTC: both of these are 02:30:00.
    const [summer] = simulator.complete(1, 1, { completedAt: before });
    const [winter] = simulator.complete(1, 1, { completedAt: before + 3_600_000 });
    const [skipped] = simulator.complete(1, 1, { patch: { dateCompleted: "2026-03-29 02:30:00" } });

    const { events } = await service.poll({ "start-from": "beginning", "time-zone": zone });

    const doubled = { local: "2026-10-25 02:30:00", at: "2026-10-25T00:30:00Z", ambiguous: true };
    expect(completedOf(events, summer)).toEqual(doubled);
    expect(completedOf(events, winter)).toEqual(doubled);
    const none = { local: "2026-03-29 02:30:00", at: "2026-03-29T01:30:00Z", ambiguous: true };
    expect(completedOf(events, skipped)).toEqual(none);
    expect(events).toHaveLength(3);
  });
});
