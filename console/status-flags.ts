import type { SourceStatus, StatusAnswer } from "../cli/verbs/status/answer.ts";
import type { Flag } from "./changes.ts";

/** The events between two looks at the state. Nothing else tells of a poller in another process. */
export function flagsBetween(before: StatusAnswer | null, after: StatusAnswer, at: number): Flag[] {
  if (before === null) return [];
  const known = new Map(before.sources.map((source) => [source.source, source]));
  return [
    ...after.sources.flatMap((source) => pauseFlags(known.get(source.source), source, at)),
    ...verdictFlags(before, after, at),
  ];
}

function pauseFlags(before: SourceStatus | undefined, after: SourceStatus, at: number): Flag[] {
  if (before === undefined) return [];
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
  if (isTold(after) && before.verdict !== after.verdict) return [{ at, kind: "verdict", text: after.sentence }];
  if (isTold(before) && !WORTH_TELLING.has(after.verdict)) return [{ at, kind: "verdict", text: after.sentence }];
  return [];
}
