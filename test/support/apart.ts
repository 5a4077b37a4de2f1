import type { MemoryWorld } from "./memory-ports.ts";
import { surveyOf } from "./survey.ts";

// Lists whose records need not stand together, and of which operation 9 says nothing.

export interface Row {
  responseId: number;
  questionId: number;
}

export const rowsOf = (world: MemoryWorld): Row[] => surveyOf(world).records as Row[];

/** Lists the records question by question, so that those of one response lie pages apart. */
export function byQuestion(world: MemoryWorld): void {
  surveyOf(world).records = rowsOf(world).toSorted(
    (a, b) => a.questionId - b.questionId || a.responseId - b.responseId,
  );
}

/** Operation 9 gives nothing. */
export function withoutOperation9(world: MemoryWorld): void {
  for (const { responseId } of rowsOf(world)) surveyOf(world).single.set(responseId, { kind: "absent" });
}

/** Revision and questions of each event of a response. */
export const eventsOf = (world: MemoryWorld, responseId: number): [revision: number, questions: number[]][] =>
  world.delivered
    .filter(({ data }) => data.responseId === responseId)
    .map(({ meta, data }) => [meta.revision, data.answers.map(({ questionId }) => Number(questionId))]);
