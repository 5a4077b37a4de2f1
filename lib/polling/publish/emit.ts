import { withoutRecords } from "../ledger/kept-records.ts";
import type { LedgerEntry } from "../model/ledger-entry.ts";
import type { PollCounts } from "../model/poll-counts.ts";
import type { Response } from "../model/response.ts";
import type { Survey } from "../survey.ts";
import { waitsForQuestions } from "./enrich.ts";
import { outagesOf } from "./outage.ts";
import { Publishing } from "./publish.ts";
import { fromKept, oldestFirst } from "./response.ts";

/** Responses that are proved together. However short the time is, the first of them go out: else no invocation would come any further. */
const AT_ONCE = 10;
/** Responses on their way, at most: some that are slow to come, and batches that are not full. */
const ON_THE_WAY = 60;
/** Waiting responses looked at together; and in one poll while an operation fails for everybody. */
const WAITING_AT_ONCE = 100;
const MOST_IN_OUTAGE = 500;

/** Responses that a scan has found: oldest first, each one event, each in the ledger when this resolves, but for those that are left. */
export async function emitFound(survey: Survey, found: readonly Response[]): Promise<PollCounts> {
  const responses = found.toSorted(oldestFirst);
  const publishing = new Publishing(survey, ON_THE_WAY);
  let unfinished = false;
  try {
    for (let i = 0; i < responses.length && !unfinished; i += AT_ONCE) {
      await publishing.take(responses.slice(i, i + AT_ONCE));
      unfinished = i + AT_ONCE < responses.length && survey.ports.clock.now() > survey.deadline;
    }
  } catch {
    // The end throws it once more, when nothing is on its way any more.
  }
  return { ...(await publishing.end()), unfinished };
}

/** Looks at what waits and is due, until there is no more of it or the survey's own time is up: hundreds that an outage has kept do not hold up other surveys. */
export async function emitDue(survey: Survey): Promise<PollCounts> {
  const publishing = new Publishing(survey, WAITING_AT_ONCE);
  // Whatever failed, responses on their way come to their end.
  const [taken] = await Promise.allSettled([takeDue(survey, publishing)]);
  const counts = await publishing.end();
  if (taken.status === "rejected") throw taken.reason;
  return { ...counts, left: counts.left + taken.value };
}

/** Gives how many are left to the next poll. Their records were kept, so the list is not needed again. */
async function takeDue(survey: Survey, publishing: Publishing): Promise<number> {
  const { state, clock } = survey.ports;
  const seen = new Set<LedgerEntry["id"]>();
  let left = 0;
  let most = WAITING_AT_ONCE;
  do {
    const first = await state.due(survey.id, "waiting", clock.now(), most);
    const due = first.filter(({ id }) => !seen.has(id));
    if (due.length === 0) {
      if (first.length < most) break;
      // Those that cannot be taken out stay due, and are not to hide those behind them.
      most += WAITING_AT_ONCE;
      continue;
    }
    for (const { id } of due) seen.add(id);
    // The index lags behind: what went out a moment ago may still stand in it.
    const now = await survey.entries(due.map(({ id }) => id));
    // fault: stale-index-believed
    const waiting = due.filter(({ id }) => now.get(id)?.state === "waiting");
    const responses: Response[] = [];
    for (const entry of waiting) {
      const kept = await survey.orLeave(() => fromKept(survey, entry));
      if (typeof kept === "object") responses.push(kept);
      else left += 1;
      // It is new to the next read that meets it.
      if (kept === "gone") await survey.write([withoutRecords(entry, clock.now())]);
    }
    await publishing.take(responses);
    // Of responses that wait for the end of an outage, or for the questions of the survey, not all are looked at: they stay due as they are.
    const isHeldUp = outagesOf(survey).length > 0 || (await waitsForQuestions(survey));
    if (isHeldUp && seen.size >= MOST_IN_OUTAGE) break;
  } while (clock.now() <= survey.turnUntil);
  return left;
}
