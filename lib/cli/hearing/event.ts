import * as z from "zod";
import { isObject } from "../../json.ts";
import { parseJson } from "../../secrets/secret-values.ts";
import type { Io } from "../io.ts";
import { clock, span, surveyName } from "../words.ts";

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
  return envelope.safeParse(typeof body === "string" ? parseJson(body) : body).data;
}

const LONGEST_TYPE = "response.completed".length;

const COLOURS: Readonly<Record<string, "green" | "yellow" | "red">> = {
  promoter: "green",
  passive: "yellow",
  detractor: "red",
};

/** One line of an event: when it was heard, what it is and where it comes from. Nothing of what the respondent wrote is in it. */
export function lineOf(body: string | object, { style, now }: Pick<Io, "style" | "now">): string {
  const event = readEnvelope(body);
  if (event === undefined) return `${clock(now())}  an event that is none of the contract`;
  const { meta, data } = event.detail;
  const nps = data.summary?.nps;
  const parts = [
    clock(now()),
    event["detail-type"].padEnd(LONGEST_TYPE),
    surveyOf(event),
    data.responseId == null ? "" : `response ${data.responseId}`,
    nps?.score == null ? "" : style(COLOURS[nps.class ?? ""] ?? "reset", `NPS ${nps.score} ${nps.class ?? ""}`.trim()),
    lagOf(event),
    meta.origin ?? "",
    meta.revision == null || meta.revision === 1 ? "" : `revision ${meta.revision}`,
    [data.state, data.reason].filter((word) => word != null).join(": "),
    data.counts == null ? "" : `${data.counts.listed} listed, ${data.counts.emitted} emitted`,
    meta.complete === false ? style("yellow", `incomplete: ${(meta.missing ?? []).join(", ")}`) : "",
    meta.test === true ? style("cyan", "test") : "",
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function surveyOf({ detail: { data } }: Heard): string {
  const name = data.survey?.name ?? data.after?.name ?? null;
  return data.surveyId == null ? "" : surveyName({ surveyId: data.surveyId, name });
}

/** From completion to event. Only where a time zone says when it completed, and not for what was told before. */
function lagOf({ detail: { meta, data } }: Heard): string {
  const { at, ambiguous } = data.response?.completed ?? {};
  if (at == null || meta.detectedAt == null || ambiguous === true || (meta.revision ?? 1) > 1) return "";
  const lag = Date.parse(meta.detectedAt) - Date.parse(at);
  return Number.isNaN(lag) ? "" : `lag ${span(Math.max(0, lag))}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that say nothing of the person and of what it answered. Whatever else an object holds, a later field too, is masked. */
const KEPT: Readonly<Record<string, (field: string) => boolean>> = {
  response: (field) => ["hasComment", "answerCount", "started", "completed"].includes(field),
  metadata: (field) => field === "responseId",
  answers: (field) => field === "questionId" || field === "question",
  metrics: (field) => field !== "raw",
};

/**
 * An event's envelope without what may be personal: who the respondent is, where from and with what, and each answer.
 *
 * @param mask stands in the place of what is masked; what is null stays null
 */
export function masked<Envelope extends Fields>(envelope: Envelope, mask: string | null = null): Envelope {
  const { detail } = envelope;
  if (!isObject(detail) || !isObject(detail.data)) return { ...envelope, detail: null };
  const hide = (value: unknown): unknown => (value === null ? null : mask);
  const only = (value: unknown, isKept: (field: string) => boolean): unknown => {
    if (Array.isArray(value)) return value.map((one) => only(one, isKept));
    return isObject(value) ? mapped(value, (field, name) => (isKept(name) ? field : hide(field))) : hide(value);
  };
  const data = mapped(detail.data, (field, name) => {
    const isKept = KEPT[name];
    return isKept === undefined ? field : only(field, isKept);
  });
  return { ...envelope, detail: { ...detail, data } };
}

function mapped(fields: Fields, change: (field: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));
}
