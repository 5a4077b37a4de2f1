import { describe, expect, test } from "vitest";
import type { Simulator } from "../../local/simulator/index.ts";
import { compareWithTruth } from "./support/compare-with-truth.ts";
import { polledService } from "./support/polled-service.ts";

/** What makes a token wrong in the middle of a run, and how many token requests that run may then make. */
const losses: Record<string, { lose: (simulator: Simulator) => void; requests: number }> = {
  "it is revoked": { lose: (simulator) => simulator.revokeToken(), requests: 2 },
  "another client asks for one, which revokes it": {
    lose: (simulator) => {
      simulator.set({ newTokenRevokesOlder: true });
      const { url, clientId, clientSecret } = simulator;
      void fetch(`${url}/oauth/token/`, { method: "POST", body: new URLSearchParams({ clientId, clientSecret }) });
    },
    // One of them is the other client's.
    requests: 3,
  },
};

describe("the access token", () => {
  for (const [how, { lose, requests }] of Object.entries(losses)) {
    test(`is asked for once more when ${how}`, async () => {
      const service = await polledService({ surveys: [{ surveyId: 1, responses: 150 }] });
      const { simulator } = service;
      simulator.onPageRead((_survey, _page, _order, nth) => nth === 4 && lose(simulator));

      const { events } = await service.poll({ "start-from": "beginning" });

      expect(compareWithTruth(events, simulator.truth())).toEqual([]);
      expect(simulator.counters().token).toBe(requests);
    });
  }

  test("is asked for once more by the run that follows its end", async () => {
    const service = await polledService({ surveys: [{ surveyId: 1, responses: 10 }] });
    const { simulator } = service;
    await service.poll({ "start-from": "beginning" });
    simulator.expireToken();
    simulator.complete(1, 5);
    const { events } = await service.poll({ "start-from": "beginning" });
    expect(compareWithTruth(events, simulator.truth())).toEqual([]);
    expect(simulator.counters().token).toBe(2);
    // The new one is kept in its turn.
    await service.poll({ "start-from": "beginning" });
    expect(simulator.counters().token).toBe(2);
  });
});
