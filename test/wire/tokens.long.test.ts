import { expect, test } from "vitest";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

test("another client asks for a token in the middle of a run, which revokes ours: one more is asked for, and kept for the next run", async () => {
  const service = await polledService({ surveys: [{ surveyId: 1, responses: 150 }] });
  const { simulator } = service;
  simulator.onPageRead((_survey, _page, _order, nth) => {
    if (nth !== 4) return;
    simulator.set({ newTokenRevokesOlder: true });
    const { url, clientId, clientSecret } = simulator;
    void fetch(`${url}/oauth/token/`, { method: "POST", body: new URLSearchParams({ clientId, clientSecret }) });
  });

  const { events } = await service.poll({ "start-from": "beginning" });

  expect(compareWithTruth(events, simulator.truth())).toEqual([]);
  // One of them is the other client's.
  expect(simulator.counters().token).toBe(3);
  simulator.complete(1, 5);
  expect((await service.poll({ "start-from": "beginning" })).events).toHaveLength(155);
  expect(simulator.counters().token).toBe(3);
});
