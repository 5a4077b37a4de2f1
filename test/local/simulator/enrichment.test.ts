import { describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../local/simulator/index.ts";
import { rawReader } from "./raw-answer.ts";
import { at, type Client, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];
const accessError = { success: false, error: { code: 101, type: "invalid_access_key" } };

const metricsOf = (responseId: unknown): string => `/api/v3/surveys/7/responses/${responseId}/metrics/`;
const metadataOf = (responseId: unknown): string => `/api/v3/surveys/7/responses/${responseId}/metadata/`;

async function bodyOrStatus(client: Client, path: string): Promise<unknown> {
  const answer = await client.get(path);
  return answer.status === 200 ? answer.json() : answer.status;
}

describe("metrics and metadata", () => {
  test.each<[SettingsPatch, unknown, unknown]>([
    [{ metrics: "absent", metadata: "absent" }, 404, 404],
    [{ metrics: "empty", metadata: "empty" }, [], []],
    [{ metrics: "emptyObject" }, [{}], [expect.objectContaining({ os: expect.any(String) })]],
    [{ metrics: "errorBody", metadata: "errorBody" }, accessError, accessError],
    [{ metrics: "noContent", metadata: "noContent" }, 204, 204],
  ])("%j", async (settings, metrics, metadata) => {
    const client = await simulate({ surveys, settings });
    const { responseId } = at(client.simulator.truth(), 0);
    const read = (what: string) => bodyOrStatus(client, `/api/v3/surveys/7/responses/${responseId}/${what}/`);
    expect([await read("metrics"), await read("metadata")]).toEqual([metrics, metadata]);
    const truth = client.simulator.truthOf(7, responseId);
    expect(truth).toMatchObject({
      metrics: typeof metrics === "number" ? null : metrics,
      metadata: typeof metadata === "number" ? null : metadata,
    });
  });

  test("some surveys have metrics, and one may say so itself", async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ surveyId: index + 1, responses: 1 }));
    const { simulator } = await simulate({
      surveys: [...many, { surveyId: 50, responses: 1, metrics: "absent", metadata: "empty" }],
      settings: { metrics: "perSurvey" },
    });
    const have = simulator.truth().filter((truth) => truth.metrics !== null).length;
    expect(have).toBeGreaterThan(3);
    expect(have).toBeLessThan(18);
    simulator.set({ metrics: "present" });
    expect(simulator.truth(50)).toMatchObject([{ metrics: null, metadata: [] }]);
  });

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

  test("a 204 has neither a body nor a type nor a length", async () => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    client.simulator.set({ metrics: "noContent", bodyPrefix: "bom", compress: "br", contentEncoding: "none" });
    const answer = await read(metricsOf(at(client.simulator.truth(7), 0).responseId));
    expect([answer.status, answer.bytes.length]).toEqual([204, 0]);
    for (const name of ["content-type", "content-length", "content-encoding"])
      expect(answer.headers).not.toHaveProperty(name);
  });

  test("one survey may answer 204, another an error in a 200", async () => {
    const { simulator } = await simulate({
      surveys: [{ surveyId: 7, responses: 1, metrics: "noContent", metadata: "errorBody" }],
    });
    expect(simulator.truth(7)).toMatchObject([{ metrics: null, metadata: accessError }]);
  });
});

describe("what one response answers", () => {
  test("204 for a while, or for ever", async () => {
    const client = await simulate({ surveys });
    const [id] = client.simulator.complete(7, 1, {
      metrics: { absent: "noContent" },
      metadata: { absent: "noContent", reads: 2 },
    });
    const read = (path: string) => bodyOrStatus(client, path);
    expect([await read(metricsOf(id)), await read(metricsOf(id))]).toEqual([204, 204]);
    expect([await read(metadataOf(id)), await read(metadataOf(id))]).toEqual([204, 204]);
    expect(await read(metadataOf(id))).toMatchObject([{ responseId: id }]);
  });

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
