import { PutObjectCommand, S3ServiceException } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { createBucket } from "../../../lib/aws/bucket.ts";
import { personHasher, readPersonHash } from "../../../lib/run/person-hash.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const bucket = () => createBucket(async () => test.clients.s3, test.bucket);
const source = (name: string) => ({ name, privacy: { findBy: ["crk" as const] } });

it("a hash is the same in each process of a source, another one in another source, and of each kind", async () => {
  const [one, same, other] = [source("a"), source("a"), source("b")].map((of) => personHasher(bucket(), of));
  for (const hasher of [one, same, other]) await hasher?.load();
  const hash = one?.hashes("crk")?.("customer-4711");
  expect(hash).toMatch(/^[\w-]{22}$/);
  expect(same?.hashes("crk")?.("customer-4711")).toBe(hash);
  expect(other?.hashes("crk")?.("customer-4711")).not.toBe(hash);
  expect(one?.hashes("referrer")).toBeUndefined();
  const read = await readPersonHash(bucket(), "a");
  expect([read?.("crk", "customer-4711"), read?.("referrer", "customer-4711") === hash]).toEqual([hash, false]);
  expect(await readPersonHash(bucket(), "never polled")).toBeUndefined();
});

it("of two processes that begin at once both take the secret that was there first", async () => {
  const key = "keys/both.json";
  let asked = 0;
  const { s3 } = test.clients;
  // Between the look of the second one and its write the first one has written.
  const late = Object.create(s3, {
    send: {
      value: async (command: unknown) => {
        if (!(command instanceof PutObjectCommand)) return s3.send(command as never);
        asked += 1;
        expect(command.input).toMatchObject({ Key: key, IfNoneMatch: "*" });
        await bucket().put(key, { secret: "first" });
        throw new S3ServiceException({ name: "PreconditionFailed", $fault: "client", $metadata: {} });
      },
    },
  }) as typeof s3;
  expect(await createBucket(async () => late, test.bucket).putOnce(key, { secret: "second" })).toEqual({
    secret: "first",
  });
  expect(asked).toBe(1);
});

it("nothing is hashed before the secret was loaded", () => {
  expect(() => personHasher(bucket(), source("a")).hashes("crk")).toThrow("was not loaded");
});
