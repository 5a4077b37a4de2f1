import type { FullRead } from "./books.ts";
import type { SurveyState } from "./survey-state.ts";

/** Fields of a survey's state that are to change; one that is undefined goes. */
export type SurveyChange = { readonly [Name in keyof SurveyState]?: SurveyState[Name] | undefined };

export function changed(state: SurveyState, change: SurveyChange): SurveyState {
  const fields = Object.entries({ ...state, ...change }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as unknown as SurveyState;
}

/** What a full read is for. */
export type Purpose = "backlog" | "books";

/** A full read stands at its place. A backlog is the phase of its survey. */
export function reading(purpose: Purpose, read: FullRead): SurveyChange {
  return purpose === "books" ? { pass: read } : { phase: { kind: "backlog", place: read } };
}

/** A full read is over. */
export function readOver(purpose: Purpose, { phase }: SurveyState): SurveyChange {
  if (purpose === "books") return { pass: undefined };
  // A backlog of the newest pages says nothing of those below: they are looked for from the head on.
  const isPart = phase.kind === "backlog" && phase.place.begun > 1;
  return { phase: isPart ? { kind: "head", end: { page: 1, at: phase.place.startedAt } } : { kind: "head" } };
}
