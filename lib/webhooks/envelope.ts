import * as z from "zod";

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

export type Envelope = z.infer<typeof envelope>;

/** Characters that an id may have, as the header `webhook-id` takes them and the signature tells them apart. */
const ID = /^[A-Za-z0-9_-]{1,100}$/;

/** An event as EventBridge delivers it; undefined for what is none. */
export function readEnvelope(body: string): Envelope | undefined {
  try {
    return envelope.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** By what a repeat is known: the event's own id, or else that of the delivery. */
export function webhookId(event: Envelope | undefined, otherwise: string): string {
  return [event?.detail?.meta?.eventId, event?.id].find((id) => id !== undefined && ID.test(id)) ?? otherwise;
}

export function typeOf(event: Envelope | undefined): string {
  const type = event?.["detail-type"] ?? "";
  return /^[a-z.-]{1,100}$/.test(type) ? type : "unknown";
}
