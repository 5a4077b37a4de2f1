import { setTimeout as sleep } from "node:timers/promises";
import { MOST_RESENT, type ResendInput, type ResendResult } from "../../../lib/operator/resend.ts";
import type { Resent } from "../../../lib/operator/send-same.ts";
import { EXIT, InterruptedError } from "../../errors.ts";
import { type Io, showProgress } from "../../io.ts";
import type { SurveyOf } from "../../target/responses.ts";
import type { Target } from "../../target/target.ts";
import type { Answer } from "../../verb.ts";
import { columns, count } from "../../words.ts";

/** One event that was sent again, or was not. Null: of an id that no ledger has. */
export interface ResentItem extends Omit<Resent, "responseId" | "outcome"> {
  source: string | null;
  surveyId: number | null;
  responseId: number | null;
  /** Replaced: a later revision has taken its place. Left: nothing was tried. */
  outcome: Resent["outcome"] | "would-send" | "replaced" | "unknown" | "left";
}

/** Responses of one survey whose last events are to be sent again. */
interface Wanted extends SurveyOf {
  responseIds: number[];
}

/** The events that would be sent, by their survey. */
export function wantedOf(items: readonly ResentItem[]): Wanted[] {
  const bySurvey = new Map<string, Wanted>();
  for (const { source, surveyId, responseId, outcome } of items) {
    if (outcome !== "would-send" || source === null || surveyId === null || responseId === null) continue;
    const key = `${source}/${surveyId}`;
    const wanted = bySurvey.get(key) ?? { source, surveyId, responseIds: [] };
    wanted.responseIds.push(responseId);
    bySurvey.set(key, wanted);
  }
  return [...bySurvey.values()];
}

/** Milliseconds between two attempts on a survey that a poll works on, and how many there are. */
const BUSY_PAUSE = 2_000;
const MOST_BUSY = 15;

/** Sends events again, survey by survey, and says what became of each. What could not be begun is left: trying again sends it. */
export async function sendAgain(target: Target, io: Io, wanted: readonly Wanted[]): Promise<ResentItem[]> {
  const items: ResentItem[] = [];
  const all = wanted.reduce((sum, { responseIds }) => sum + responseIds.length, 0);
  const progress = showProgress(io);
  const tell = (place: string): void => {
    progress.update(`${items.length} of ${count(all, "event")} dealt with${place}`, items.length / Math.max(1, all));
  };
  try {
    for (const { responseIds, ...of } of wanted) {
      for (let i = 0; i < responseIds.length; i += MOST_RESENT) {
        await sendSome(target, io, { ...of, responseIds: responseIds.slice(i, i + MOST_RESENT) }, items, tell);
      }
    }
  } catch (error) {
    progress.end();
    const sent = items.filter(({ outcome }) => outcome === "sent").length;
    if (sent > 0)
      io.say(`${count(sent, "event")} of ${all} had been sent again by then; another run begins with the first one.`);
    throw error;
  } finally {
    progress.end();
  }
  return items;
}

async function sendSome(
  target: Target,
  io: Io,
  { source, surveyId, responseIds }: Wanted,
  items: ResentItem[],
  tell: (place: string) => void,
): Promise<void> {
  let input: ResendInput = { surveyId, responseIds };
  for (let busy = 0; input.responseIds.length > 0; ) {
    if (io.signal.aborted) throw new InterruptedError();
    const { results, left, from, lastPage, stopped }: ResendResult = await target.operate(source, "resend", input);
    items.push(...results.map((one) => ({ source, surveyId, ...one })));
    const pages = lastPage === undefined ? "" : ` of ${lastPage}`;
    tell(from === undefined ? "" : `, page ${from.page}${pages} of survey ${surveyId}`);
    busy = stopped?.kind === "busy" ? busy + 1 : 0;
    if (stopped?.kind === "paused" || busy > MOST_BUSY) {
      const reason = stopped?.kind === "paused" ? `paused until ${new Date(stopped.until).toISOString()}` : "busy";
      const none = { eventId: null, revision: null, update: null };
      items.push(
        ...left.map((responseId) => ({ source, surveyId, responseId, ...none, outcome: "left" as const, reason })),
      );
      return;
    }
    if (busy > 0) await sleep(BUSY_PAUSE, undefined, { signal: io.signal });
    input = { surveyId, responseIds: left, ...(from === undefined ? {} : { from }) };
  }
}

/** Whether trying again later may help. */
const MAY_PASS: ReadonlySet<ResentItem["outcome"]> = new Set(["unproved", "failed", "left"]);
const DONE: ReadonlySet<ResentItem["outcome"]> = new Set(["sent", "would-send"]);

/** Sent: all of them. Not now: some may go out later. Failed: none of what is left ever will. */
export function exitOf(items: readonly ResentItem[]): NonNullable<Answer["exit"]> {
  if (items.some(({ outcome }) => MAY_PASS.has(outcome))) return EXIT.notNow;
  return countDone(items) === items.length ? EXIT.done : EXIT.failed;
}

export function countDone(items: readonly ResentItem[]): number {
  return items.filter(({ outcome }) => DONE.has(outcome)).length;
}

/** "Sent 2 of 3 events again: 1 could not be sent now, try again in a minute." */
export function sentenceOf(items: readonly ResentItem[], dryRun: boolean): string {
  const done = countDone(items);
  const part = done === items.length ? count(done, "event") : `${done} of ${count(items.length, "event")}`;
  const later = items.filter(({ outcome }) => MAY_PASS.has(outcome)).length;
  const hint = later === 0 ? "" : `; ${later} could not be sent now, try again in a minute`;
  return `${dryRun ? "Would send" : "Sent"} ${part} again${hint}.`;
}

/** A line for each event. */
export function itemLines(items: readonly ResentItem[], { stack }: Pick<Target, "stack">): string[] {
  const hasArchive = stack?.outputs.ArchiveArn !== undefined;
  return columns(
    items.map((item) => {
      const { surveyId, responseId, eventId } = item;
      return [...[surveyId, responseId, eventId].map((id) => `${id ?? "-"}`), wordsOf(item, hasArchive)];
    }),
  );
}

/** The outcome of one event, for people. */
function wordsOf({ outcome, reason, revision, update }: ResentItem, hasArchive: boolean): string {
  const said: Record<ResentItem["outcome"], string> = {
    sent: `sent, revision ${revision}`,
    "would-send": `would be sent, revision ${revision}`,
    replaced: `not sent: revision ${update} has taken its place`,
    changed:
      update === null
        ? "not sent: changed since its event, and updates are switched off"
        : `not sent: changed since its event; its update will come, or came, as revision ${update}`,
    gone: hasArchive
      ? "not sent: gone at the service; the archive has it: aws events start-replay"
      : "not sent: gone at the service, so that it cannot be made again",
    "not-emitted": `not sent: it has no event (${reason})`,
    unknown: "not sent: no ledger has this id",
    unproved: `not sent: cannot be proved now (${reason})`,
    failed: `not sent: failed (${reason})`,
    refused: `not sent: the bus refuses it (${reason})`,
    left: `not sent: ${reason}`,
  };
  return said[outcome];
}
