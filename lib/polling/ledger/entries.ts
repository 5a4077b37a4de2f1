import { credible, latestInstant } from "../../events/build/date-string.ts";
import { type LedgerEntry, POLLS } from "../model/ledger-entry.ts";
import { personOf, privateRecord } from "../model/privacy.ts";
import { classOf, digestOf, type ReadRecord, type Run, startedAt } from "../model/records.ts";
import type { Survey } from "../survey.ts";
import { keep, keptUntil } from "./kept-records.ts";

// Ledger entries of what a reading meets that needs no event.

/** An entry for an open response, or one of history, as it was judged on this very read of its page. */
export function noted(survey: Survey, run: Run): LedgerEntry {
  if (classOf(run) !== "open") return { id: run.responseId, state: "before-start" };
  const now = survey.ports.clock.now();
  const firstSeen = firstSeenBy(survey, run, now);
  return { id: run.responseId, state: "open", firstSeen, nextCheck: nextRecheck(survey, firstSeen, now) };
}

/**
 * When an open response is looked at again: after half its age, and never more often than ticks come. Full reads alone look at one that is older than the time
 * between two of them.
 */
export function nextRecheck(survey: Pick<Survey, "source">, firstSeen: number, now: number): number | undefined {
  const age = now - firstSeen;
  if (age > survey.source.rescan.full) return undefined;
  return now + Math.max(survey.source.interval, age / 2);
}

/**
 * When an open response was seen first, in epoch milliseconds. One that was there before counts from its own start, where that is earlier in any zone. No other
 * date has a say: one that is ahead would make all of them old.
 */
export function firstSeenBy({ ports }: Pick<Survey, "ports">, run: Run | undefined, known: number): number {
  const started = run === undefined ? null : startedAt(run);
  return credible(started, ports.clock.now()) ? Math.min(known, latestInstant(started)) : known;
}

/** A response whose `completed` cannot be read. `isNew`: it is not history, whatever its date will say. */
export async function quarantined(survey: Survey, run: Run, isNew: boolean): Promise<LedgerEntry> {
  const what = { id: run.responseId, digest: digestOf(run), reason: "unreadable completed" };
  return { ...(await quarantine(survey, what, run.records)), ...(isNew ? { isNew } : {}) };
}

/** Entries for records without a readable responseId, each once, and how many are left. The rest of their page goes on. */
export async function orphanEntries(
  survey: Survey,
  orphans: ReadRecord[],
): Promise<{ entries: LedgerEntry[]; left: number }> {
  if (orphans.length === 0) return { entries: [], left: 0 };
  const known = await survey.entries(orphans.map(orphanId));
  const entries = new Map<LedgerEntry["id"], LedgerEntry>();
  let left = 0;
  for (const orphan of orphans) {
    const id = orphanId(orphan);
    if (known.has(id) || entries.has(id)) continue;
    const what = { id, digest: orphan.digest, reason: "unreadable responseId" };
    const entry = await survey.orLeave(() => quarantine(survey, what, [orphan]));
    if (entry === undefined) left += 1;
    else entries.set(id, entry);
  }
  return { entries: [...entries.values()], left };
}

/** Keeps the records of what cannot be read, and gives its entry. */
async function quarantine(
  survey: Survey,
  { id, digest, reason }: { id: LedgerEntry["id"]; digest: string; reason: string },
  read: ReadRecord[],
): Promise<LedgerEntry> {
  const records = read.map(({ raw }) => privateRecord(raw, survey.source.privacy));
  const kept = await keep(survey, id, digest, { records, details: {} });
  const responseId = typeof id === "number" ? id : undefined;
  survey.ports.observe({ kind: "quarantined", surveyId: survey.id, responseId, reason });
  const times = { firstSeen: survey.ports.clock.now(), nextCheck: keptUntil(survey) };
  const person = personOf(survey.ports, records);
  return { id, state: "quarantined", digest, count: records.length, reason, ...times, ...kept, ...person };
}

const orphanId = (orphan: ReadRecord): LedgerEntry["id"] => `record-${orphan.digest}`;

// Completed responses whose contents nothing proves. They are left to the next poll at first. After some polls they are held, which counts as dealt with (R6).

/** Milliseconds until a held one is looked at again; twice as long each time, up to a day. */
const FIRST_PAUSE = 300_000;
const LONGEST_PAUSE = 24 * 3_600_000;

/** Why an entry is held. */
export const UNPROVED = "contents-unproved";

/** Whether a held one is looked at again at `now` (epoch milliseconds), or was left to this poll. */
export function isHeldDue({ attempts = 0, nextCheck = 0 }: LedgerEntry, now: number): boolean {
  return attempts < POLLS || now >= nextCheck;
}

/** When one is looked at again that was left so often (epoch milliseconds). Of several readings in one interval only the first one counts. */
export function nextLook(attempts: number, now: number, interval: number): number {
  return now + (attempts < POLLS ? interval / 2 : Math.min(FIRST_PAUSE * 2 ** (attempts - POLLS), LONGEST_PAUSE));
}

/** A response whose contents nothing proved. */
export interface Unproved {
  responseId: number;
  /** Hashes of the answers that pages have shown; none where it was asked about alone, and those of before stay. */
  shown: string[];
}

/** Notes that nothing proved these in this poll. Gives how many of them are held by now; the others are left to the next poll. */
export async function noteHeld(survey: Survey, responses: Unproved[]): Promise<number> {
  const { ports, source } = survey;
  const now = ports.clock.now();
  const shownOf = new Map(responses.map(({ responseId, shown }) => [responseId, shown]));
  const known = await survey.entries(shownOf.keys());
  const entries: LedgerEntry[] = [];
  let held = 0;
  for (const [id, shown] of shownOf) {
    const entry = known.get(id);
    const { attempts = 0, firstSeen = now, nextCheck = 0, shown: before = [] } = entry?.state === "held" ? entry : {};
    const isCounted = now >= nextCheck;
    // fault: never-held
    const left = isCounted ? attempts + 1 : attempts;
    if (left >= POLLS) held += 1;
    if (!isCounted) continue;
    const times = { firstSeen, attempts: left, nextCheck: nextLook(left, now, source.interval) };
    entries.push({ id, state: "held", reason: UNPROVED, ...times, shown: shown.length > 0 ? shown : before });
  }
  await survey.write(entries);
  const fresh = entries.filter(({ attempts }) => attempts === POLLS).length;
  if (fresh > 0) ports.observe({ kind: "held", surveyId: survey.id, count: fresh });
  return held;
}
