import * as z from "zod";
import { parseJson } from "../secrets/secret-values.ts";

const answersRef = z.looseObject({ bucket: z.string(), key: z.string() });

/** The part of an event that the forwarder reads. Whoever may put events on the bus can put others there: all of it may be missing. */
const envelope = z.looseObject({
  id: z.string().optional(),
  "detail-type": z.string().optional(),
  detail: z
    .looseObject({
      meta: z.looseObject({ eventId: z.string().optional() }).optional(),
      data: z.looseObject({ answersRef: answersRef.nullish() }).optional(),
    })
    .optional(),
});

type Envelope = z.infer<typeof envelope>;

/** Characters that an id may have, as the header `webhook-id` takes them and the signature tells them apart. */
const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** An event as EventBridge delivers it; undefined for what is none. */
export function readEnvelope(body: string): Envelope | undefined {
  return envelope.safeParse(parseJson(body)).data;
}

/**
 * By what an endpoint and the log know an event.
 *
 * @param otherId of the delivery, for an event that has no id of its own: by it a repeat is known
 */
export function aboutEvent(event: Envelope | undefined, otherId: string): { eventId: string; type: string } {
  const eventId = [event?.detail?.meta?.eventId, event?.id].find((id) => id !== undefined && ID.test(id)) ?? otherId;
  const type = event?.["detail-type"] ?? "";
  return { eventId, type: /^[a-z.-]{1,100}$/.test(type) ? type : "unknown" };
}

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
  const { detail } = event ?? {};
  const ref = detail?.data?.answersRef;
  if (ref?.bucket !== bucket || !CLAIM_CHECK.test(ref.key)) return body;
  const answersRef = { ...ref, url: await presign(ref.key) };
  return JSON.stringify({ ...event, detail: { ...detail, data: { ...detail?.data, answersRef } } });
}
