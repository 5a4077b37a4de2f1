import { describe, expect, it, onTestFinished } from "vitest";
import type { JoinedResponse, Order, SurveyApi } from "../../../../lib/survey-api/index.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../../../local/simulator/index.ts";
import { clientOf } from "../support/service.ts";

const SURVEY = 7;

async function simulated(options: Omit<SimulatorOptions, "surveys"> & { responses: number }): Promise<{
  simulator: Simulator;
  api: SurveyApi;
}> {
  const { responses, ...rest } = options;
  const simulator = await startSimulator({ ...rest, surveys: [{ surveyId: SURVEY, responses }] });
  onTestFinished(() => simulator.close());
  const { clientId, clientSecret, url } = simulator;
  return { simulator, api: clientOf({ url }, { credentials: { clientId, clientSecret } }).api };
}

async function collect(responses: AsyncIterable<JoinedResponse>): Promise<JoinedResponse[]> {
  const given: JoinedResponse[] = [];
  for await (const one of responses) given.push(one);
  return given;
}

const idsOf = (given: readonly JoinedResponse[]): number[] => given.map(({ responseId }) => responseId);
const sorted = (ids: readonly number[]): number[] => [...ids].sort((a, b) => a - b);

/** What the simulator knows of each response, in the fields that a joined one has too. */
function truthOf(simulator: Simulator): Map<number, unknown[]> {
  return new Map(simulator.truth(SURVEY).map(({ responseId, records }) => [responseId, records]));
}

/** Whether these are the records of a response, in whichever order the list has them. */
function expectWhole(given: readonly JoinedResponse[], truth: ReadonlyMap<number, unknown[]>): void {
  const texts = (records: readonly unknown[] | undefined) => records?.map((record) => JSON.stringify(record)).sort();
  for (const { responseId, records } of given) expect(texts(records)).toEqual(texts(truth.get(responseId)));
}

describe("responses() over HTTP", () => {
  const orders: Order[] = ["asc", "desc"];
  const pastEnds = ["empty", "404", "400", "repeatLast", "repeatFirst"] as const;
  it.each(orders.flatMap((order) => pastEnds.map((pastEnd) => ({ order, pastEnd }))))(
    "gives every response of a quiet list whole, in list order: $order, past the end $pastEnd",
    async ({ order, pastEnd }) => {
      const settings = { pastEnd, recordsPerResponse: [1, 250] as const, repeatedQuestions: 0.3 };
      const { simulator, api } = await simulated({ responses: 12, settings });
      const truth = truthOf(simulator);
      const given = await collect(api.responses(SURVEY, { order }));
      const inOrder = sorted([...truth.keys()]);
      expect(idsOf(given)).toEqual(order === "asc" ? inOrder : inOrder.reverse());
      expectWhole(given, truth);
    },
  );

  it.each(["responseId", "dateStart", "dateCompleted", "hash"] as const)(
    "loses and cuts nothing that stays while responses come and go, sorted by %s",
    async (sortKey) => {
      const { simulator, api } = await simulated({ responses: 40, settings: { sortKey, recordsPerResponse: [1, 30] } });
      const stays = new Set([...truthOf(simulator).keys()].filter((id) => id % 3 !== 0));
      const goes = [...truthOf(simulator).keys()].filter((id) => !stays.has(id));
      const ever = truthOf(simulator);
      simulator.onPageRead((surveyId, _page, _order, nth) => {
        if (nth % 9 === 2)
          for (const id of simulator.complete(surveyId, 2)) ever.set(id, truthOf(simulator).get(id) ?? []);
        if (nth % 11 === 3) for (const id of goes.splice(0, 2)) simulator.remove(surveyId, id);
      });
      const given = await collect(api.responses(SURVEY, { order: "desc" }));
      const ids = new Set(idsOf(given));
      expect(ids.size).toBe(given.length);
      expect([...stays].filter((id) => !ids.has(id))).toEqual([]);
      expectWhole(given, ever);
    },
  );

  it.each(["interleaved", "scattered"] as const)("ends in RECORDS_APART where records are %s", async (layout) => {
    const { api } = await simulated({ responses: 30, settings: { layout, recordsPerResponse: [4, 8] } });
    for (const prove of [true, false]) {
      const given: JoinedResponse[] = [];
      const reading = (async () => {
        for await (const one of api.responses(SURVEY, { prove })) given.push(one);
      })();
      await expect(reading).rejects.toMatchObject({
        code: "RECORDS_APART",
        retryable: false,
        operation: "get survey responses, page and order",
      });
      expect(given).toEqual([]);
    }
  });

  it("of a survey that is not there is NOT_FOUND, also when it goes while it is read", async () => {
    const { simulator, api } = await simulated({ responses: 100, settings: { pastEnd: "404" } });
    await expect(collect(api.responses(8))).rejects.toMatchObject({ code: "NOT_FOUND", status: 404 });
    simulator.onPageRead((surveyId, _page, _order, nth) => {
      if (nth === 3) simulator.removeSurvey(surveyId);
    });
    await expect(collect(api.responses(SURVEY))).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("ends with the reason of its signal", async () => {
    const { simulator, api } = await simulated({ responses: 100 });
    const controller = new AbortController();
    simulator.onPageRead((_surveyId, page) => {
      if (page === 3) controller.abort(new Error("enough"));
    });
    const reading = collect(api.responses(SURVEY, { signal: controller.signal }));
    await expect(reading).rejects.toThrow("enough");
    const requests = simulator.log().length;
    await expect(collect(api.responses(SURVEY, { signal: controller.signal }))).rejects.toThrow("enough");
    expect(simulator.log()).toHaveLength(requests);
  });
});
