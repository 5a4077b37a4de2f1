import { answerAsCalled } from "../cli/called-as.ts";
import type { Target } from "../cli/target/target.ts";
import { keptSince } from "../cli/verbs/credentials.ts";
import type { StatusAnswer } from "../cli/verbs/status/answer.ts";
import { readStatus } from "../cli/verbs/status/verb.ts";
import { secretNames } from "../config/secret-names.ts";
import { oneLine } from "../errors.ts";
import { pause } from "../local/pause.ts";
import type { Flag } from "./changes.ts";
import type { Events } from "./events.ts";
import type { Feed } from "./feed.ts";

/** Milliseconds between two looks at the state, at least: a long look has a longer pause. */
const LOOK_EVERY = 1_000;
const PAUSE_PER_LOOK = 10;
const TOKEN_EVERY = 5_000;
/** Milliseconds between two looks whether somebody has opened the page. */
const UNWATCHED = 200;

/** Reads what `status` answers again and again, until the signal aborts. */
export async function keepLooking(
  target: Target,
  feed: Pick<Feed, "tell" | "readers">,
  events: Pick<Events, "emittedSince">,
  { signal, command }: { signal: AbortSignal; command: string },
): Promise<void> {
  const { tell } = feed;
  let before: StatusAnswer | null = null;
  let tokenAt: number | null = null;
  let tokenLookedAt = 0;
  while (!signal.aborted) {
    // Until a page is open, a poller that works off a backlog has all of the table to itself.
    if (feed.readers() === 0) {
      await pause(UNWATCHED, signal);
      continue;
    }
    const began = Date.now();
    try {
      const { sources } = await target.config();
      const status = answerAsCalled(await readStatus(target, sources, Date.now()), command);
      tell({ flagged: flagsBetween(before, status, Date.now()), emittedSince: events.emittedSince(status) });
      tell({ status, statusAt: Date.now(), statusFailure: null });
      before = status;
      if (began - tokenLookedAt >= TOKEN_EVERY) {
        tokenLookedAt = began;
        const fetchedAt = await oldestToken(target);
        if (tokenAt !== null && fetchedAt !== null && fetchedAt > tokenAt) {
          tell({ flagged: [{ at: fetchedAt, kind: "token", text: "token renewed" }] });
        }
        tokenAt = fetchedAt;
        tell({ tokenAt });
      }
    } catch (error) {
      const statusFailure = oneLine(error, () => "The state cannot be read.");
      if (!signal.aborted) tell({ statusFailure });
    }
    await pause(Math.max(LOOK_EVERY, PAUSE_PER_LOOK * (Date.now() - began)), signal);
  }
}

async function oldestToken(target: Target): Promise<number | null> {
  const { sources } = await target.config();
  const tokens = sources.map((source) => secretNames(source, target.resources.secrets).token);
  const known = (await Promise.all(tokens.map((token) => keptSince(target, token)))).filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Verdicts for which somebody may be woken. */
const WORTH_TELLING = new Set<StatusAnswer["verdict"]>(["late", "unaccounted"]);

/** The events between two looks at the state. Nothing else tells of a poller in another process. */
export function flagsBetween(before: StatusAnswer | null, after: StatusAnswer, at: number): Flag[] {
  if (before === null) return [];
  const flags: Flag[] = [];
  const pauseFlag = (text: string, span?: Flag["span"]) =>
    flags.push({ at, kind: "pause", text, ...(span && { span }) });
  for (const { source, pausedUntil: until, pausedSince: since } of after.sources) {
    const known = before.sources.find((one) => one.source === source);
    if (known === undefined) continue;
    if (known.pausedSince !== null && since === null) {
      pauseFlag(`${source} goes on after the pause of an operator`, [known.pausedSince, at]);
    }
    if (since !== null && known.pausedSince !== since) pauseFlag(`${source} is paused by an operator`);
    // The service may ask for more time again and again.
    if (since === null && until !== null && until > (known.pausedUntil ?? 0) && known.pausedSince === null) {
      pauseFlag(`the service of ${source} asks to be left alone`, [at, until]);
    }
  }
  const isTold = ({ verdict, sources }: StatusAnswer): boolean =>
    WORTH_TELLING.has(verdict) && sources.every(({ pausedUntil }) => pausedUntil === null);
  const isEnd = isTold(before) && !WORTH_TELLING.has(after.verdict);
  const isNews = isTold(after) && before.verdict !== after.verdict;
  if (isEnd || isNews) flags.push({ at, kind: "verdict", text: after.sentence });
  return flags;
}
