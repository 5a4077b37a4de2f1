import { expect, test } from "vitest";
import { at, type Client, type Row, recordsOf, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

const metadata = (client: Client, responseId: unknown, version = "v3"): Promise<Row[]> =>
  client.json(`/api/${version}/surveys/7/responses/${responseId}/metadata/`);

test.each(["map", "list"] as const)("the metrics of a response and of a report stand in a %s", async (container) => {
  const client = await simulate({ surveys });
  const { responseId } = at(client.simulator.truth(7), 0);
  const paths = [`/api/v3/surveys/7/responses/${responseId}/metrics/`, "/api/v3/surveys/7/reports/71/metrics/"];
  for (const path of paths) {
    const [map] = await client.json<Record<string, Row>[]>(path);
    client.simulator.set({ metricContainer: container });
    expect(await client.json<unknown>(path)).toEqual([container === "map" ? map : Object.values(map ?? {})]);
    client.simulator.set({ metricContainer: "map" });
  }
});

test("one that hangs answers nothing at all, and other requests are served", async () => {
  const client = await simulate({ surveys });
  const [id = 0] = client.simulator.complete(7, 1, { metrics: { hang: true } });
  const metrics = `/api/v3/surveys/7/responses/${id}/metrics/`;
  const headers = { authorization: `bearer ${await client.token()}`, "content-type": "application/json" };
  const stop = new AbortController();
  const hanging = fetch(`${client.simulator.url}${metrics}`, { headers, signal: stop.signal }).then(
    () => "answered",
    () => "given up",
  );
  while (client.simulator.counters().metrics === undefined) await new Promise((resolve) => setImmediate(resolve));
  expect(await metadata(client, id)).toMatchObject([{ responseId: id }]);
  const waited = new Promise((resolve) => setTimeout(resolve, 30, "still open"));
  expect(await Promise.race([hanging, waited])).toBe("still open");
  stop.abort();
  expect(await hanging).toBe("given up");
  expect(client.simulator.log().find(({ path }) => path === metrics)?.status).toBe(0);
  expect(client.simulator.truthOf(7, id)?.metrics).toBeNull();
});

test.each(["other", "several"] as const)(
  "metadata of %s: those of another completed response, the same at each read, in v2 as well",
  async (metadataList) => {
    const client = await simulate({ surveys, settings: { metadataList, openListed: true } });
    const truths = client.simulator.truth(7);
    for (const { responseId, metadata: right } of truths) {
      const body = await metadata(client, responseId);
      expect(body.slice(1)).toEqual(metadataList === "several" ? right : []);
      expect(body[0]?.responseId).not.toBe(responseId);
      expect(truths.find((truth) => truth.responseId === body[0]?.responseId)?.metadata).toEqual(body.slice(0, 1));
      expect(await metadata(client, responseId, "v2")).toEqual(body);
    }
    const [id] = client.simulator.complete(7, 1, { metadata: { body: [{ ip: 7 }] } });
    expect(await metadata(client, id)).toEqual([{ ip: 7 }]);
  },
);

test.each(["other", "several"] as const)("metadata of %s: not where no other has any", async (metadataList) => {
  const client = await simulate({ surveys: [{ surveyId: 7, responses: 1, open: 5 }], settings: { metadataList } });
  client.simulator.complete(7, 3, { metadata: { absent: "404" } });
  client.simulator.complete(7, 1, { metadata: { hang: true } });
  const { responseId, metadata: right } = at(client.simulator.truth(7), 0);
  expect(await metadata(client, responseId)).toEqual(right);
  const [other] = client.simulator.complete(7);
  expect(at(await metadata(client, responseId), 0).responseId).toBe(other);
});

test("anonymous metadata: the right ones without their id", async () => {
  const client = await simulate({ surveys });
  const { responseId } = at(client.simulator.truth(7), 0);
  const [{ responseId: _, ...anonymous } = {}] = await metadata(client, responseId);
  client.simulator.set({ metadataList: "anonymous" });
  expect(await metadata(client, responseId)).toEqual([anonymous]);
  expect(client.simulator.truthOf(7, responseId)?.metadata).toEqual([anonymous]);
});

test("records may leave out which survey they are of", async () => {
  const client = await simulate({ surveys });
  const before = await client.all(7);
  client.simulator.set({ recordSurveyId: "missing" });
  const records = await client.all(7);
  expect(records).toEqual(before.map(({ surveyId: _, ...record }) => record));
  expect(records).toEqual(recordsOf(client.simulator.truth(7)));
  const single = await client.json(`/api/v3/surveys/7/responses/${at(records, 0).responseId}/`);
  expect(at(single, 0)).not.toHaveProperty("surveyId");
  client.simulator.complete(7, 1, { patch: { surveyId: 9 } });
  expect(at(await client.all(7), -1).surveyId).toBe(9);
});
