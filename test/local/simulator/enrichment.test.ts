import { describe, expect, test } from "vitest";
import { at, type Client, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

const metricsOf = (responseId: unknown): string => `/api/v3/surveys/7/responses/${responseId}/metrics/`;
const metadataOf = (responseId: unknown): string => `/api/v3/surveys/7/responses/${responseId}/metadata/`;

async function bodyOrStatus(client: Client, path: string): Promise<unknown> {
  const answer = await client.get(path);
  return answer.status === 200 ? answer.json() : answer.status;
}

describe("metrics and metadata", () => {
  test.each(["map", "list"] as const)("the metrics of a response and of a report stand in a %s", async (container) => {
    const client = await simulate({ surveys: [{ surveyId: 3, responses: 1 }] });
    const { responseId } = at(client.simulator.truth(3), 0);
    const paths = [`/api/v3/surveys/3/responses/${responseId}/metrics/`, "/api/v3/surveys/3/reports/31/metrics/"];
    for (const path of paths) {
      const [map] = await client.json<Record<string, Row>[]>(path);
      client.simulator.set({ metricContainer: container });
      expect(await client.json<unknown>(path)).toEqual([container === "map" ? map : Object.values(map ?? {})]);
      client.simulator.set({ metricContainer: "map" });
    }
  });
});

describe("what one response answers", () => {
  test("nothing at all: the connection stays open, and other requests are served", async () => {
    const client = await simulate({ surveys });
    const [id = 0] = client.simulator.complete(7, 1, { metrics: { hang: true } });
    const headers = { authorization: `bearer ${await client.token()}`, "content-type": "application/json" };
    const stop = new AbortController();
    const hanging = fetch(`${client.simulator.url}${metricsOf(id)}`, { headers, signal: stop.signal }).then(
      () => "answered",
      () => "given up",
    );
    while (client.simulator.counters().metrics === undefined) await new Promise((resolve) => setImmediate(resolve));
    expect(await bodyOrStatus(client, metadataOf(id))).toMatchObject([{ responseId: id }]);
    expect(await bodyOrStatus(client, metricsOf(at(client.simulator.truth(7), 0).responseId))).toHaveLength(1);
    const waited = new Promise((resolve) => setTimeout(resolve, 30, "still open"));
    expect(await Promise.race([hanging, waited])).toBe("still open");
    stop.abort();
    expect(await hanging).toBe("given up");
    expect(client.simulator.log().find(({ path }) => path === metricsOf(id))?.status).toBe(0);
    expect(client.simulator.truthOf(7, id)?.metrics).toBeNull();
  });
});
