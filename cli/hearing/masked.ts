import { isObject } from "../../lib/config/shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that say nothing of the person and of what it answered. Whatever else an object holds, a later field too, is masked. */
const KEPT = {
  response: ["hasComment", "answerCount", "started", "completed"],
  metadata: ["responseId"],
  answer: ["questionId", "question"],
} as const;

/**
 * An event's envelope without what may be personal: who the respondent is, where from and with what, and each answer.
 *
 * @param mask stands in the place of what is masked; what is null stays null
 */
export function masked<Envelope extends Fields>(envelope: Envelope, mask: string | null = null): Envelope {
  const { detail } = envelope;
  if (!isObject(detail) || !isObject(detail.data)) return { ...envelope, detail: null };
  const hide = (value: unknown): unknown => (value === null ? null : mask);
  const only = (value: unknown, kept: readonly string[]): unknown => {
    if (!isObject(value)) return hide(value);
    return mapped(value, (field, name) => (kept.includes(name) ? field : hide(field)));
  };
  const { data } = detail;
  const changed = {
    ...("response" in data && { response: only(data.response, KEPT.response) }),
    ...("metadata" in data && { metadata: only(data.metadata, KEPT.metadata) }),
    ...("answers" in data && { answers: each(data.answers, (answer) => only(answer, KEPT.answer)) }),
    ...("metrics" in data && {
      metrics: each(data.metrics, (metric) =>
        isObject(metric) ? mapped(metric, (field, name) => (name === "raw" ? hide(field) : field)) : metric,
      ),
    }),
  };
  return { ...envelope, detail: { ...detail, data: { ...data, ...changed } } };
}

function mapped(fields: Fields, change: (field: unknown, name: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field, name)]));
}

function each(value: unknown, change: (one: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : null;
}
