import type { SourceConfig } from "../../../lib/config/index.ts";
import { readAccount } from "../../../lib/state/account.ts";
import { setOperatorPause } from "../../../lib/state/operator-pause.ts";
import { FOREVER, type OperatorPause } from "../../../lib/state/shared-state.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import { pauseEnd, utc } from "../../words.ts";
import type { PauseAnswer } from "./answer.ts";

type SourceChange = PauseAnswer["sources"][number];

export interface PauseChange {
  sources: readonly SourceConfig[];
  /** The pause that replaces the present one, if any. */
  next: (before: OperatorPause | undefined) => OperatorPause | null;
  isDone: boolean;
}

/** Pauses sources or lets them go on; without `isDone` it only says so. What is so already stays as it is. */
export async function changePause(target: Target, { sources, next, isDone }: PauseChange): Promise<PauseAnswer> {
  const table = tableOf(target);
  const changes: SourceChange[] = [];
  for (const { name } of sources) {
    const account = await askingAws("the table could not be read", () => readAccount(table, name));
    const { pausedSince: since, pausedUntil: until } = account;
    const before = since === undefined || until === undefined ? undefined : { since, until };
    const after = next(before);
    const isSame = after?.since === before?.since && after?.until === before?.until;
    if (isDone && !isSame) {
      await askingAws("the table could not be written", () => setOperatorPause(table, name, after));
    }
    changes.push({
      source: name,
      was: before === undefined ? "running" : "paused",
      becomes: after === null ? "running" : "paused",
      since: after?.since ?? null,
      until: after === null || after.until >= FOREVER ? null : after.until,
    });
  }
  return { dryRun: !isDone, sources: changes };
}

/** A pause from now on: a present one goes on, with this end. */
export function pausedFrom(now: number, until = FOREVER): PauseChange["next"] {
  return (before) => ({ since: before?.since ?? now, until });
}

/** A line for each source. */
export function pauseText({ dryRun, sources }: PauseAnswer): string[] {
  return sources.map(({ source, was, becomes, since, until }) => {
    const end = pauseEnd(until);
    if (becomes === "running") {
      if (was === "running") return `${source} is not paused.`;
      return `${source} ${dryRun ? "would go" : "goes"} on at its next tick, with all that has come meanwhile.`;
    }
    const from = was === "paused" && since !== null ? `, since ${utc(since)}` : "";
    return `${source} ${dryRun ? "would be" : "is"} paused${end}${from}. Nothing is lost: what comes meanwhile is polled afterwards.`;
  });
}
