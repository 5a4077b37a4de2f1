import { setTimeout as sleep } from "node:timers/promises";
import { MOST_RESENT, type ResendInput, type ResendResult } from "../../../lib/operator/resend.ts";
import type { Resent } from "../../../lib/operator/send-same.ts";
import { FORGOTTEN } from "../../../lib/polling/model/ledger-entry.ts";
import { readEntries } from "../../../lib/state/ledger.ts";
import { EXIT, InterruptedError } from "../../errors.ts";
import { olderEventIds } from "../../event-ids.ts";
import { type Io, showProgress } from "../../io.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { eachEmitted, type SurveyOf } from "../../target/responses.ts";
import { tableOf } from "../../target/surveys.ts";
import type { Target } from "../../target/target.ts";
import { type Answer, includes, type Stretch } from "../../verb.ts";
import { columns, count } from "../../words.ts";

/** One event that was sent again, or was not. Null: of an id that no ledger has. */
export interface ResentItem extends Omit<Resent, "responseId" | "outcome"> {
  source: string | null;
  surveyId: number | null;
  responseId: number | null;
  /** Replaced: a later revision has taken its place. Left: nothing was tried. */
  outcome: Resent["outcome"] | "would-send" | "replaced" | "unknown" | "left";
}

/** The output of `resend --json`, beside `schemaVersion`. */
export interface ResendAnswer {
  dryRun: boolean;
  sentence: string;
  /** Events that were sent, or would be. */
  events: number;
  items: ResentItem[];
}

const READ_AT_ONCE = 100;

/** Event ids by what the ledgers say of them: which would be sent, which have been replaced, and which are unknown. */
export async function ofEventIds(
  target: Target,
  io: Io,
  surveys: readonly SurveyOf[],
  eventIds: readonly string[],
): Promise<ResentItem[]> {
  const wanted = new Set(eventIds);
  const found = new Map<string, ResentItem>();
  await eachEmitted(target, surveys, io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      if (found.size === wanted.size) return;
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId) ?? [];
      const revision = older.length + 1;
      const about = { ...survey, responseId: id, reason: null };
      if (wanted.has(eventId)) {
        // Of a forgotten one nothing is left but its id.
        const isForgotten = emittedAt === 0;
        found.set(eventId, {
          ...about,
          eventId,
          revision,
          ...(isForgotten ? { outcome: "not-emitted", reason: FORGOTTEN } : { outcome: "would-send" }),
          update: null,
        });
      }
      for (const [i, one] of older.entries()) {
        if (wanted.has(one))
          found.set(one, { ...about, eventId: one, revision: i + 1, outcome: "replaced", update: revision });
      }
    }
  });
  return [...wanted].map((eventId) => found.get(eventId) ?? unknown(eventId));
}

function unknown(eventId: string): ResentItem {
  const none = { source: null, surveyId: null, responseId: null, revision: null, reason: null, update: null };
  return { ...none, eventId, outcome: "unknown" };
}

/** Responses by what the ledger of a survey says of them. */
export async function ofResponses(
  target: Target,
  { source, surveyId }: SurveyOf,
  responseIds: readonly number[],
): Promise<ResentItem[]> {
  const ids = [...new Set(responseIds)];
  const items: ResentItem[] = [];
  for (let i = 0; i < ids.length; i += READ_AT_ONCE) {
    const some = ids.slice(i, i + READ_AT_ONCE);
    const entries = await askingAws("the table could not be read", () =>
      readEntries(tableOf(target), source, surveyId, some),
    );
    for (const responseId of some) {
      const { state: known = "unknown", reason, eventId = null, revision = 1 } = entries.get(responseId) ?? {};
      const state = reason === FORGOTTEN ? FORGOTTEN : known;
      const about = { source, surveyId, responseId, update: null };
      items.push(
        state === "emitted"
          ? { ...about, eventId, revision, outcome: "would-send", reason: null }
          : { ...about, eventId: null, revision: null, outcome: "not-emitted", reason: state },
      );
    }
  }
  return items;
}

/** The last events of responses that were emitted in a stretch of time, oldest first. */
export async function emittedIn(
  target: Target,
  io: Io,
  surveys: readonly SurveyOf[],
  stretch: Stretch,
): Promise<ResentItem[]> {
  const found: { at: number; item: ResentItem }[] = [];
  await eachEmitted(target, surveys, io, (survey, entries) => {
    for (const { id, eventId, emittedAt } of entries) {
      // A forgotten one has no time.
      if (emittedAt === 0 || !includes(stretch, emittedAt)) continue;
      const older = olderEventIds(survey.source, survey.surveyId, id, eventId);
      const revision = older === undefined ? null : older.length + 1;
      const about = { ...survey, responseId: id, eventId, revision };
      found.push({ at: emittedAt, item: { ...about, outcome: "would-send", reason: null, update: null } });
    }
  });
  return found.sort((a, b) => a.at - b.at).map(({ item }) => item);
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

/** Responses of one survey whose last events are to be sent again. */
interface Wanted extends SurveyOf {
  responseIds: number[];
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
    for (const { source, surveyId, responseIds } of wanted) {
      for (let i = 0; i < responseIds.length; i += MOST_RESENT) {
        const some = responseIds.slice(i, i + MOST_RESENT);
        await sendSome(target, io, { source, surveyId, responseIds: some }, items, tell);
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
    const result: ResendResult = await target.operate(source, "resend", input);
    items.push(...result.results.map((one) => ({ source, surveyId, ...one })));
    const { left, from, lastPage, stopped } = result;
    tell(
      from === undefined
        ? ""
        : `, page ${from.page}${lastPage === undefined ? "" : ` of ${lastPage}`} of survey ${surveyId}`,
    );
    busy = stopped?.kind === "busy" ? busy + 1 : 0;
    if (stopped?.kind === "paused" || busy > MOST_BUSY) {
      const reason = stopped?.kind === "paused" ? `paused until ${new Date(stopped.until).toISOString()}` : "busy";
      items.push(...left.map((responseId) => leftItem(source, surveyId, responseId, reason)));
      return;
    }
    if (busy > 0) await sleep(BUSY_PAUSE, undefined, { signal: io.signal });
    input = { surveyId, responseIds: left, ...(from === undefined ? {} : { from }) };
  }
}

function leftItem(source: string, surveyId: number, responseId: number, reason: string): ResentItem {
  return { source, surveyId, responseId, eventId: null, revision: null, outcome: "left", reason, update: null };
}

/** Whether trying again later may help. */
const MAY_PASS: ReadonlySet<ResentItem["outcome"]> = new Set(["unproved", "failed", "left"]);
const DONE: ReadonlySet<ResentItem["outcome"]> = new Set(["sent", "would-send"]);

/** Sent: all of them. Not now: some may go out later. Failed: none of what is left ever will. */
export function exitOf(items: readonly ResentItem[]): NonNullable<Answer["exit"]> {
  if (items.some(({ outcome }) => MAY_PASS.has(outcome))) return EXIT.notNow;
  return items.every(({ outcome }) => DONE.has(outcome)) ? EXIT.done : EXIT.failed;
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
export function itemLines(items: readonly ResentItem[], target: Pick<Target, "stack">): string[] {
  return columns(
    items.map((item) => [
      item.surveyId === null ? "-" : `${item.surveyId}`,
      item.responseId === null ? "-" : `${item.responseId}`,
      item.eventId ?? "-",
      wordsOf(item, target),
    ]),
  );
}

/** The outcome of one event, for people. */
function wordsOf({ outcome, reason, revision, update }: ResentItem, { stack }: Pick<Target, "stack">): string {
  const words: Record<ResentItem["outcome"], string> = {
    sent: `sent, revision ${revision}`,
    "would-send": `would be sent, revision ${revision}`,
    replaced: `not sent: revision ${update} has taken its place`,
    changed:
      update === null
        ? "not sent: changed since its event, and updates are switched off"
        : `not sent: changed since its event; its update will come, or came, as revision ${update}`,
    gone:
      stack?.outputs.ArchiveArn === undefined
        ? "not sent: gone at the service, so that it cannot be made again"
        : "not sent: gone at the service; the archive has it: aws events start-replay",
    "not-emitted": `not sent: it has no event (${reason})`,
    unknown: "not sent: no ledger has this id",
    unproved: `not sent: cannot be proved now (${reason})`,
    failed: `not sent: failed (${reason})`,
    refused: `not sent: the bus refuses it (${reason})`,
    left: `not sent: ${reason}`,
  };
  return words[outcome];
}
