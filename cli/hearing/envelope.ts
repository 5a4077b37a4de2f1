import * as z from "zod";

const text = z.string().nullish();
const number = z.number().nullish();
const survey = z.looseObject({ name: text }).nullish();

/**
 * The part of an event that the commands read; the contract is in lib/events. A later version of it, and another's event on the same bus,
 * must not stop them.
 */
const envelope = z.looseObject({
  "detail-type": z.string(),
  detail: z.looseObject({
    meta: z.looseObject({
      eventId: text,
      detectedAt: text,
      sourceName: text,
      origin: text,
      revision: number,
      complete: z.boolean().nullish(),
      missing: z.array(z.string()).nullish(),
      test: z.boolean().nullish(),
    }),
    data: z.looseObject({
      surveyId: number,
      responseId: number,
      survey,
      after: survey,
      summary: z.looseObject({ nps: z.looseObject({ score: number, class: text }).nullish() }).nullish(),
      response: z
        .looseObject({ completed: z.looseObject({ at: text, ambiguous: z.boolean().nullish() }).nullish() })
        .nullish(),
      state: text,
      reason: text,
      counts: z.looseObject({ listed: number, emitted: number }).nullish(),
    }),
  }),
});

export type Heard = z.infer<typeof envelope>;

/**
 * Undefined for what is no event of the poller.
 *
 * @param body the envelope, or its JSON
 */
export function readEnvelope(body: string | object): Heard | undefined {
  try {
    return envelope.safeParse(typeof body === "string" ? JSON.parse(body) : body).data;
  } catch {
    return undefined;
  }
}
