import type { Envelope } from "./envelope.ts";

/** Seconds for which the address of large answers holds. Each attempt gets a new one, so it need not outlast the retries. */
export const URL_HOLDS = 3_600;

/** Keys of claim checks: an event id and a digest. What else is in the bucket is for nobody outside. */
const CLAIM_CHECK = /^answers\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{1,64}\.json$/;

export interface AnswersUrlOptions {
  /** The claim-check bucket. */
  bucket: string;
  /** Gives an address at which an object can be had by GET alone. */
  presign: (key: string) => Promise<string>;
}

/**
 * The body to send: as it came, or where the answers lie in the bucket with `answersRef.url`, since the endpoint has no AWS credentials. A reference to
 * another bucket, which no event of the poller has, is left as it is.
 */
export async function withAnswersUrl(
  body: string,
  event: Envelope | undefined,
  { bucket, presign }: AnswersUrlOptions,
): Promise<string> {
  const ref = event?.detail?.data?.answersRef;
  if (event === undefined || ref === null || ref === undefined) return body;
  if (ref.bucket !== bucket || !CLAIM_CHECK.test(ref.key)) return body;
  const url = await presign(ref.key);
  const { detail } = event;
  return JSON.stringify({
    ...event,
    detail: { ...detail, data: { ...detail?.data, answersRef: { ...ref, url } } },
  });
}
