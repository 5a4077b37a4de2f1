import { isObject } from "../json.ts";
import { ask, hashesOf, includesAll, isTrusted, mayAnswer } from "./contents.ts";
import { firstSeenBy, nextRecheck, noteHeld } from "./ledger/entries.ts";
import type { LedgerEntry } from "./model/ledger-entry.ts";
import { addCounts, noCounts, type PollCounts } from "./model/poll-counts.ts";
import { classOf, FACTS, type Run, readRecord } from "./model/records.ts";
import { emitFound } from "./publish/emit.ts";
import { fromRead } from "./publish/response.ts";
import type { Survey } from "./survey.ts";

/** Responses asked about at once. */
const AT_ONCE = 10;

/** Open ones may have been completed; of held ones the single read may give the contents by now. */
type Kind = "open" | "held";

/** The kinds of which the single read may tell something: held ones only where its contents are used. */
function kindsOf(survey: Survey): Kind[] {
  if (!mayAnswer(survey)) return [];
  return isTrusted(survey) ? ["open", "held"] : ["open"];
}

/** Epoch milliseconds at which the single read is to be asked about a response of this survey next. */
export async function nextRecheckOf(survey: Survey): Promise<number> {
  const { state } = survey.ports;
  const due = await Promise.all(kindsOf(survey).map((kind) => state.nextDue(survey.id, kind)));
  return Math.min(Number.POSITIVE_INFINITY, ...due.filter((at) => at !== undefined));
}

/** The outcome of re-checks. `sought` tells of completed responses that only pages can show. */
export interface Rechecked {
  counts: PollCounts;
  sought: number;
}

export async function recheck(survey: Survey): Promise<Rechecked> {
  const result: Rechecked = { counts: noCounts(), sought: 0 };
  for (const kind of kindsOf(survey)) await recheckKind(survey, kind, result);
  return result;
}

async function recheckKind(survey: Survey, kind: Kind, result: Rechecked): Promise<void> {
  const { state, clock } = survey.ports;
  const { budget = { left: Number.POSITIVE_INFINITY } } = survey;
  const asked = new Set<LedgerEntry["id"]>();
  while (budget.left > 0 && clock.now() <= survey.turnUntil) {
    const most = Math.min(AT_ONCE, Math.ceil(budget.left));
    const due = (await state.due(survey.id, kind, clock.now(), AT_ONCE)).filter(({ id }) => !asked.has(id));
    if (due.length === 0) return;
    const now = await survey.entries(due.map(({ id }) => id));
    for (const { id } of due) asked.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const some = due.filter(({ id }) => now.get(id)?.state === kind).slice(0, most);
    budget.left -= some.length;
    const answers = await Promise.all(some.map(async (entry) => ({ entry, run: await runOf(survey, entry) })));
    const completed = answers.flatMap(({ entry, run }) => (run !== undefined && isGiven(entry, run) ? [run] : []));
    // What it does not tell of the response as a whole only pages can.
    const given = isTrusted(survey) ? completed.filter(tellsAll) : [];
    const found = given.map((run) => fromRead(survey, run, { proof: "single read", origin: "recheck" }));
    addCounts(result.counts, await emitFound(survey, found));
    result.sought += completed.length - given.length;
    const left = answers.filter(({ run }) => run === undefined || !given.includes(run));
    if (kind === "open") await putBack(survey, left);
    else if (left.length > 0)
      await noteHeld(
        survey,
        left.flatMap(({ entry: { id } }) => (typeof id === "number" ? [{ responseId: id, shown: [] }] : [])),
      );
  }
}

/** Whether the single read has given a completed response, with all the answers that pages have shown of a held one. */
function isGiven({ shown = [] }: LedgerEntry, run: Run): boolean {
  const records = run.records.map(({ raw }) => raw);
  return classOf(run) === "completed" && includesAll(hashesOf(records), shown);
}

function tellsAll({ records }: Run): boolean {
  return records.every(({ raw }) => isObject(raw) && FACTS.every((name) => name in raw));
}

async function runOf(survey: Survey, { id }: LedgerEntry): Promise<Run | undefined> {
  if (typeof id !== "number") return undefined;
  const records = await ask(survey, id);
  return records === undefined ? undefined : { responseId: id, records: records.map((record) => readRecord(record)) };
}

async function putBack(survey: Survey, left: { entry: LedgerEntry; run: Run | undefined }[]): Promise<void> {
  if (left.length === 0) return;
  const now = survey.ports.clock.now();
  const entries = left.map(({ entry, run }) => {
    const firstSeen = firstSeenBy(survey, run, entry.firstSeen ?? now);
    return { ...entry, firstSeen, nextCheck: nextRecheck(survey, firstSeen, now) };
  });
  await survey.write(entries);
}
