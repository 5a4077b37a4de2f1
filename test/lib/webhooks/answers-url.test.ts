import { describe, expect, it } from "vitest";
import { readGolden } from "../../../lib/cli/package.ts";
import { detailSchemas } from "../../../lib/events/index.ts";
import { readEnvelope, withAnswersUrl } from "../../../lib/webhooks/event.ts";

const large = readGolden("large");
const { bucket, key } = large.detail.data.answersRef as { bucket: string; key: string };
const presign = async (of: string) => `https://signed.example.com/${of}?X-Amz-Signature=1`;

const sent = (body: string, ours = bucket) => withAnswersUrl(body, readEnvelope(body), { bucket: ours, presign });

describe("answers that lie in the bucket", () => {
  it("are given an address beside their reference, and nothing else of the event changes", async () => {
    const body = JSON.stringify(large);
    const event = JSON.parse(await sent(body));
    const { url, ...ref } = event.detail.data.answersRef;
    expect(url).toBe(`https://signed.example.com/${key}?X-Amz-Signature=1`);
    expect({ ...event, detail: { ...event.detail, data: { ...event.detail.data, answersRef: ref } } }).toEqual(large);
    expect(detailSchemas["response.completed"].safeParse(event.detail).success).toBe(true);
  });

  it.each([
    ["in another bucket", { bucket: "theirs", key }],
    ["kept of a quarantined response", { bucket, key: "kept/main/1/2.json" }],
    ["named by a way around", { bucket, key: `${key}/../../kept/main/1/2.json` }],
  ])("are given none when they lie %s: whoever puts events on the bus could ask for anything", async (_where, ref) => {
    const { data } = large.detail;
    const body = JSON.stringify({ ...large, detail: { ...large.detail, data: { ...data, answersRef: ref } } });
    expect(await sent(body)).toBe(body);
  });
});

it("an event with its answers in it goes out as it came, to the byte", async () => {
  const body = JSON.stringify(readGolden("detractor"), null, 1);
  expect(await sent(body)).toBe(body);
  expect(await sent("no event")).toBe("no event");
});
