import { hash32, hashFraction } from "./hashing.ts";
import type { ListedRecord, SimulatedResponse } from "./responses.ts";
import type { IrregularKind } from "./settings.ts";

/** The fields in which this record deviates from the document, if its response is one of the irregular ones. */
export function irregularFields(
  seed: number,
  response: SimulatedResponse,
  slot: number,
  record: ListedRecord,
): ListedRecord {
  const { probability, kinds } = response.content.irregular;
  if (probability === 0 || hashFraction(seed, response.responseId, 60) >= probability) return {};
  const kind = kinds[hash32(seed, response.responseId, 61) % kinds.length];
  // Fields of the response deviate in all of its records, fields of an answer in the first alone.
  if (kind === undefined || (slot > 0 && answerKinds.has(kind))) return {};
  return deviations[kind](record);
}

const answerKinds: ReadonlySet<IrregularKind> = new Set([
  "answerText",
  "answerNull",
  "commentNull",
  "commentMissing",
  "scoreText",
]);

const deviations: Record<IrregularKind, (record: ListedRecord) => ListedRecord> = {
  answerText: () => ({ answer: "tak" }),
  answerNull: () => ({ answer: null }),
  commentNull: () => ({ comment: null }),
  // JSON leaves out a field that is undefined.
  commentMissing: () => ({ comment: undefined }),
  scoreText: (record) => ({ score: String(record.score ?? 7) }),
  dateNumber: ({ dateCompleted }) =>
    typeof dateCompleted === "string"
      ? { dateCompleted: Date.parse(`${dateCompleted.replace(" ", "T")}Z`) / 1000 }
      : {},
  idString: (record) => ({ responseId: String(record.responseId), questionId: String(record.questionId) }),
  idText: (record) => ({ responseId: `no-${String(record.responseId)}` }),
  completedString: (record) => ({ completed: String(record.completed) }),
  completedNull: () => ({ completed: null }),
  completedMaybe: () => ({ completed: "maybe" }),
};
