import { expect, test } from "vitest";
import { type Client, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20, open: 4 }];

const metadata = (client: Client, responseId: unknown, version = "v3"): Promise<Row[]> =>
  client.json(`/api/${version}/surveys/7/responses/${responseId}/metadata/`);

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
