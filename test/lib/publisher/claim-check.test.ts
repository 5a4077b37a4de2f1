import { GetObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import type { ResponseCompleted } from "../../../lib/events/index.ts";
import { useAws } from "../support/aws.ts";
import { detail, free, publisherTo, seal } from "./support/events.ts";

const test = useAws();
const publisher = (options: { inlineLimit: number }) => publisherTo(test, options);

describe("an event over the inline limit", () => {
  it("leaves its answers in the bucket, and all else where filters find it", async () => {
    const to = publisher({ inlineLimit: 2_000 });
    const large = detail(1, "x".repeat(3_000));
    await to.publish(await seal(to, large), free);

    const [{ data }] = test.events.map(({ detail }) => detail as ResponseCompleted) as [ResponseCompleted];
    expect(data).toEqual({ ...large.data, answers: [], answersRef: data.answersRef });
    expect(data.response).toMatchObject({ answerCount: 1, hasComment: true });
    const { bucket, key, bytes } = data.answersRef ?? { bucket: "", key: "", bytes: 0 };
    const object = await test.clients.s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const text = (await object.Body?.transformToString()) ?? "";
    expect(JSON.parse(text)).toEqual(large.data.answers);
    expect(Buffer.byteLength(text)).toBe(bytes);
    expect(key.startsWith(`answers/${large.meta.eventId}/`)).toBe(true);
  });

  it("has another place when its answers differ: what an earlier event refers to never changes", async () => {
    const to = publisher({ inlineLimit: 1_000 });
    const sealed = await seal(
      to,
      detail(1, "x".repeat(3_000)),
      detail(1, "y".repeat(3_000)),
      detail(1, "x".repeat(3_000)),
    );
    const keys = sealed.map(({ json }) => (JSON.parse(json) as ResponseCompleted).data.answersRef?.key);
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[0]).toBe(keys[2]);
  });

  it("is not sealed before its answers are in the bucket", async () => {
    const to = publisher({ inlineLimit: 1_000 });
    const fault = test.aws.faults.add({ service: "s3", operation: "PutObject", kind: "lose-answer", times: 1 });
    const [sealed] = await seal(to, detail(5, "z".repeat(3_000)));
    expect(fault.hits()).toBe(1);
    const ref = (JSON.parse(sealed?.json ?? "{}") as ResponseCompleted).data.answersRef;
    await test.clients.s3.send(new GetObjectCommand({ Bucket: test.bucket, Key: ref?.key ?? "" }));
  });

  it.each([
    [-1, true],
    [0, false],
    [1, false],
  ])("is one that is larger than the limit: a limit of its size %i more checks it in: %s", async (more, isChecked) => {
    const one = detail(1, "w".repeat(500));
    const to = publisher({ inlineLimit: Buffer.byteLength(JSON.stringify(one)) + more });
    const [sealed] = await seal(to, one);
    expect((JSON.parse(sealed?.json ?? "{}") as ResponseCompleted).data.answersRef !== null).toBe(isChecked);
  });
});
