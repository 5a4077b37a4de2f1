import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import { namingFailures } from "./failure.ts";
import { patientFor } from "./patience.ts";

/** The client of the claim-check bucket, which is loaded when it is needed first. */
export async function createS3(
  settings: Pick<S3ClientConfig, "endpoint" | "region" | "credentials"> = {},
): Promise<S3Client> {
  const { S3Client } = await import("./s3.ts");
  const client = new S3Client({
    ...settings,
    maxAttempts: 5,
    // Objects may be megabytes.
    requestHandler: patientFor(10_000),
    // Local endpoints have no host name for each bucket.
    forcePathStyle: (settings.endpoint ?? process.env.AWS_ENDPOINT_URL_S3) !== undefined,
  });
  return namingFailures("s3", client);
}
