import { answerAsCalled } from "../cli/called-as.ts";
import type { Target } from "../cli/target/target.ts";
import { keptSince } from "../cli/verbs/credentials.ts";
import type { SourceStatus, StatusAnswer } from "../cli/verbs/status/answer.ts";
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

/** The events between two looks at the state. Nothing else tells of a poller in another process. */
export function flagsBetween(before: StatusAnswer | null, after: StatusAnswer, at: number): Flag[] {
  if (before === null) return [];
  return [
    ...after.sources.flatMap((source) => {
      const known = before.sources.find((one) => one.source === source.source);
      return known === undefined ? [] : pauseFlags(known, source, at);
    }),
    ...verdictFlags(before, after, at),
  ];
}

function pauseFlags(before: SourceStatus, after: SourceStatus, at: number): Flag[] {
  const { source, pausedUntil: until, pausedSince: since } = after;
  const flag = (text: string, span?: Flag["span"]): Flag => ({ at, kind: "pause", text, ...(span && { span }) });
  const flags: Flag[] = [];
  if (before.pausedSince !== null && since === null) {
    flags.push(flag(`${source} goes on after the pause of an operator`, [before.pausedSince, at]));
  }
  if (since !== null && before.pausedSince !== since) flags.push(flag(`${source} is paused by an operator`));
  // The service may ask for more time again and again.
  if (since === null && until !== null && until > (before.pausedUntil ?? 0) && before.pausedSince === null) {
    flags.push(flag(`the service of ${source} asks to be left alone`, [at, until]));
  }
  return flags;
}

const WORTH_TELLING = new Set<StatusAnswer["verdict"]>(["late", "unaccounted"]);

/** Verdicts for which somebody may be woken, and their end. */
function verdictFlags(before: StatusAnswer, after: StatusAnswer, at: number): Flag[] {
  const isPause = ({ sources }: StatusAnswer): boolean => sources.some(({ pausedUntil }) => pausedUntil !== null);
  const isTold = (status: StatusAnswer): boolean => WORTH_TELLING.has(status.verdict) && !isPause(status);
  const isEnd = isTold(before) && !WORTH_TELLING.has(after.verdict);
  const isNews = isEnd || (isTold(after) && before.verdict !== after.verdict);
  return isNews ? [{ at, kind: "verdict", text: after.sentence }] : [];
}
