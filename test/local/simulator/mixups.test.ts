import { describe, expect, test } from "vitest";
import type { SettingsPatch } from "../../../local/simulator/index.ts";
import { at, type Client, type Row, recordsOf, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

const metadata = (client: Client, responseId: unknown, version = "v3"): Promise<Row[]> =>
  client.json(`/api/${version}/surveys/7/responses/${responseId}/metadata/`);

/** How many of `count` reads hold what is expected of a right one. */
async function rightOf(count: number, isRight: () => Promise<boolean>): Promise<boolean[]> {
  const reads: boolean[] = [];
  for (let read = 0; read < count; read += 1) reads.push(await isRight());
  return reads;
}

const some = (reads: readonly boolean[]): number => reads.filter((right) => right).length;

describe("metadata of another response", () => {
  test.each(["v3", "v2"])("at each read, always of a completed one (%s)", async (version) => {
    const client = await simulate({ surveys, settings: { metadataMixups: 1, openListed: true } });
    const truths = client.simulator.truth(7);
    const { responseId, metadata: right } = at(truths, 3);
    const shown = new Set<unknown>();
    for (let read = 0; read < 40; read += 1) {
      const body = await metadata(client, responseId, version);
      expect(body).not.toEqual(right);
      const other = truths.find((truth) => truth.responseId === body[0]?.responseId);
      expect(body).toEqual(other?.metadata);
      shown.add(other?.responseId);
    }
    expect(shown.size).toBeGreaterThan(5);
    expect(client.simulator.truthOf(7, responseId)?.metadata).toEqual(right);
  });

  test("at a share of the reads, the same ones again for the same seed", async () => {
    const runs: string[] = [];
    for (const seed of [3, 3, 4]) {
      const client = await simulate({ seed, surveys, settings: { metadataMixups: 0.3 } });
      const { responseId } = at(client.simulator.truth(7), 3);
      const reads = await rightOf(60, async () => (await metadata(client, responseId))[0]?.responseId === responseId);
      expect(some(reads)).toBeGreaterThan(28);
      expect(some(reads)).toBeLessThan(55);
      runs.push(reads.join());
    }
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
  });

  test.each<SettingsPatch>([{ metadataMixups: 1 }, { metadataList: "several" }])(
    "%j: not where no other response has any",
    async (settings) => {
      const client = await simulate({ surveys: [{ surveyId: 7, responses: 1, open: 5 }], settings });
      client.simulator.complete(7, 3, { metadata: { absent: "404" } });
      client.simulator.complete(7, 1, { metadata: { hang: true } });
      const { responseId, metadata: right } = at(client.simulator.truth(7), 0);
      expect(await metadata(client, responseId)).toEqual(right);
      const [other] = client.simulator.complete(7);
      expect(at(await metadata(client, responseId), 0).responseId).toBe(other);
    },
  );

  test("what a response has of its own stays", async () => {
    const client = await simulate({ surveys, settings: { metadataMixups: 1 } });
    const [id] = client.simulator.complete(7, 1, { metadata: { body: [{ ip: 7 }] } });
    expect(await metadata(client, id)).toEqual([{ ip: 7 }]);
  });
});

describe("the list of metadata", () => {
  test("several: one of another response, then the right one", async () => {
    const client = await simulate({ surveys, settings: { metadataList: "several" } });
    const truths = client.simulator.truth(7);
    for (const { responseId, metadata: right } of truths) {
      const body = await metadata(client, responseId);
      expect(body.slice(1)).toEqual(right);
      expect(truths.find((truth) => truth.responseId === body[0]?.responseId)?.metadata).toEqual(body.slice(0, 1));
      expect(body[0]?.responseId).not.toBe(responseId);
      expect(await metadata(client, responseId)).toEqual(body);
    }
  });

  test("anonymous: the right one without its id", async () => {
    const client = await simulate({ surveys });
    const { responseId } = at(client.simulator.truth(7), 0);
    const [{ responseId: _, ...anonymous } = {}] = await metadata(client, responseId);
    client.simulator.set({ metadataList: "anonymous" });
    expect(await metadata(client, responseId)).toEqual([anonymous]);
    expect(client.simulator.truthOf(7, responseId)?.metadata).toEqual([anonymous]);
  });
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
