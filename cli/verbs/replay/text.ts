import { EXIT } from "../../exit-codes.ts";
import type { Answer } from "../../verb.ts";
import type { ReplayState } from "./answer.ts";

/** "The replay again-1 is completed: up to 2026-11-21T12:00:00.000Z." */
export function stateSentence({ name, state, reason, lastReplayed }: Omit<ReplayState, "from" | "to">): string {
  const at = lastReplayed === null ? "" : `, up to ${new Date(lastReplayed).toISOString()}`;
  const why = reason === null || reason === "" ? "" : ` (${reason})`;
  return `The replay ${name} is ${(state ?? "unknown").toLowerCase()}${at}${why}.`;
}

export function exitOfState({ state }: Pick<ReplayState, "state">): NonNullable<Answer["exit"]> {
  return state === "FAILED" || state === "CANCELLED" ? EXIT.failed : EXIT.done;
}

export function stretchText({ from, to }: { from: number; to: number }): string {
  return `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`;
}
