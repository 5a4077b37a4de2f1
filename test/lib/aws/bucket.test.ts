import { S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { createBucket } from "../../../lib/aws/bucket.ts";
import { namingFailures } from "../../../lib/aws/failure.ts";

/** A bucket whose S3 answers every request with an error of this name. */
function refusing(name: string) {
  const client = new S3Client({ region: "eu-central-1" });
  client.middlewareStack.add(
    () => async () => {
      throw Object.assign(new Error(name), { name });
    },
    { step: "initialize", name: "refuse" },
  );
  return createBucket(async () => namingFailures("s3", client), "bucket");
}

describe("what was kept in the bucket", () => {
  it("is gone where its key is missing", async () => {
    expect(await refusing("NoSuchKey").get("kept/main/1/2/digest.json")).toBeUndefined();
  });

  it("is not taken for gone where it may not be read: that is a failure, which says where to look", async () => {
    await expect(refusing("AccessDenied").get("kept/main/1/2/digest.json")).rejects.toMatchObject({
      code: "S3_FAILED",
      message: "S3 could not be used (AccessDenied)",
      hint: expect.stringMatching(/permissions/),
      retryable: true,
    });
  });
});
