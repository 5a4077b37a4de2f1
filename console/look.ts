import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { answerAsCalled } from "../cli/called-as.ts";
import type { Target } from "../cli/target/target.ts";
import type { StatusAnswer } from "../cli/verbs/status/answer.ts";
import { readStatus } from "../cli/verbs/status/read.ts";
import { oneLine } from "../lib/errors.ts";
import { pause } from "../local/pause.ts";
import type { Change } from "./changes.ts";
import { flagsBetween } from "./status-flags.ts";

/** Milliseconds between two looks at the state, at least: a long look has a longer pause. */
const LOOK_EVERY = 1_000;
const PAUSE_PER_LOOK = 10;
const TOKEN_EVERY = 5_000;
/** Milliseconds between two looks whether somebody has opened the page. */
const UNWATCHED = 200;

export interface Looking {
  target: Target;
  tell(change: Change): void;
  /** First events heard since the books of their survey were closed, by `surveyKey`. */
  emittedSince(status: StatusAnswer): Record<string, number>;
  /** Pages that are open. While there is none, a poller that works off a backlog has all of the table to itself. */
  readers(): number;
  signal: AbortSignal;
  /** How a command line begins here. */
  command: string;
}

/** Reads what `status` answers again and again, until the signal aborts. */
export async function keepLooking({ target, tell, emittedSince, readers, signal, command }: Looking): Promise<void> {
  let before: StatusAnswer | null = null;
  let tokenAt: number | null = null;
  let tokenLookedAt = 0;
  while (!signal.aborted) {
    if (readers() === 0) {
      await pause(UNWATCHED, signal);
      continue;
    }
    const began = Date.now();
    try {
      const { sources } = await target.config();
      const status = answerAsCalled(await readStatus(target, sources, Date.now()), command);
      for (const flag of flagsBetween(before, status, Date.now())) tell({ kind: "flag", flag });
      before = status;
      tell({ kind: "status", status, readAt: Date.now(), emittedSince: emittedSince(status) });
      if (began - tokenLookedAt >= TOKEN_EVERY) {
        tokenLookedAt = began;
        const fetchedAt = await oldestToken(target);
        if (tokenAt !== null && fetchedAt !== null && fetchedAt > tokenAt) {
          tell({ kind: "flag", flag: { at: fetchedAt, kind: "token", text: "token renewed" } });
        }
        tokenAt = fetchedAt;
        tell({ kind: "token", fetchedAt });
      }
    } catch (error) {
      if (!signal.aborted) tell({ kind: "status failed", message: oneLine(error, () => "The state cannot be read.") });
    }
    await pause(Math.max(LOOK_EVERY, PAUSE_PER_LOOK * (Date.now() - began)), signal);
  }
}

/** When the oldest token in use was fetched (epoch milliseconds); null where that is not known. Its value is not read. */
async function oldestToken({ clients, resources }: Target): Promise<number | null> {
  const ages = await Promise.all(
    Object.values(resources.secrets).map(({ token }) =>
      clients.secrets.send(new DescribeSecretCommand({ SecretId: token })).then(
        ({ LastChangedDate, VersionIdsToStages }) =>
          Object.keys(VersionIdsToStages ?? {}).length === 0 ? undefined : LastChangedDate?.getTime(),
        () => undefined,
      ),
    ),
  );
  const known = ages.filter((at) => at !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
