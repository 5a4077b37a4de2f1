import { isObject } from "../../../lib/config/shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that say nothing of the person and of what it answered. Whatever else an object holds, a later field too, is masked. */
const KEPT = {
  response: ["hasComment", "answerCount", "started", "completed"],
  metadata: ["responseId"],
  answer: ["questionId", "question"],
} as const;

/** An event's envelope with null for what may be personal: who the respondent is, where from and with what, and each answer. */
export function masked(envelope: Fields): Fields {
  const { detail } = envelope;
  if (!isObject(detail) || !isObject(detail.data)) return { ...envelope, detail: null };
  const { data } = detail;
  const changed = {
    ...("response" in data && { response: only(data.response, KEPT.response) }),
    ...("metadata" in data && { metadata: only(data.metadata, KEPT.metadata) }),
    ...("answers" in data && { answers: each(data.answers, (answer) => only(answer, KEPT.answer)) }),
    ...("metrics" in data && { metrics: each(data.metrics, withoutRaw) }),
  };
  return { ...envelope, detail: { ...detail, data: { ...data, ...changed } } };
}

function only(value: unknown, kept: readonly string[]): unknown {
  if (!isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, kept.includes(name) ? field : null]));
}

function withoutRaw(value: unknown): unknown {
  return isObject(value) && "raw" in value ? { ...value, raw: null } : value;
}

function each(value: unknown, change: (one: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : null;
}
