import type { SurveyStatus } from "./answer.ts";

export type CatchUp = NonNullable<SurveyStatus["catchUp"]>;

/** "532 of about 20,000 emitted, done about 18:20 UTC", of as many first reads as there are. */
export function emittedText(walks: readonly CatchUp[], whenIn: (milliseconds: number) => string): string {
  const number = (figure: number): string => figure.toLocaleString("en-US");
  const expected = walks.every((walk) => walk.expected !== null)
    ? ` of about ${number(sum(walks.map((walk) => walk.expected ?? 0)))}`
    : "";
  const left = walks.every((walk) => walk.left !== null) ? Math.max(...walks.map((walk) => walk.left ?? 0)) : null;
  const end = left === null ? "" : `, done ${whenIn(left)}`;
  return `${number(sum(walks.map((walk) => walk.emitted ?? 0)))}${expected} emitted${end}`;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, one) => total + one, 0);
}
