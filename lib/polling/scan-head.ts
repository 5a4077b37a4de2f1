import { leaveToBacklog } from "./begin-backlog.ts";
import { newFullRead } from "./model/books.ts";
import { addCounts, isClean, noCounts, type PollCounts } from "./model/poll-counts.ts";
import type { Response } from "./model/response.ts";
import { openTo } from "./model/survey-state.ts";
import { type Processed, type Seen, scanSurvey, writeNoted } from "./process-page.ts";
import { emitFound } from "./publish/emit.ts";
import type { Survey } from "./survey.ts";

// The news at the head of a list.

/** Milliseconds that a scan must have had to itself: a later one may come further where the tick had little time left for it. */
const OWN_TIME = 10_000;

/**
 * Reads pages from page 1 until one holds nothing new, and emits what it found, oldest first.
 *
 * That one page may end the scan only because an earlier one has settled everything below. An earlier scan with news that was cut short leaves that uncertain: then
 * it reads on to the depth that the state has recorded. A backlog deeper than `headPages` is not held in memory: a full read brings it out, oldest first.
 */
export async function scanHead(survey: Survey): Promise<PollCounts> {
  const { ports, source, deadline } = survey;
  const startedAt = ports.clock.now();
  const openBefore = openTo(survey.state);
  const counts = noCounts();
  // Pages of nothing but news have come on top of those that were read then, and one more for what they have moved.
  const depth = (openBefore ?? -1) + 1;
  const isDeep = ({ withNews }: Seen): boolean => withNews.size > source.headPages;
  const found: Response[] = [];
  let last: Processed | undefined;
  for await (const step of scanSurvey(survey, {
    from: 1,
    origin: "head",
    isEnough: ({ number }, seen) => (!seen.withNews.has(number) && seen.withKnown.size >= depth) || isDeep(seen),
    isTimeUp: () => ports.clock.now() > deadline,
  })) {
    if (step.entries.length > 0) await openHead(survey, step.seen);
    await writeNoted(survey, step);
    addCounts(counts, step);
    found.push(...step.toEmit);
    last = step;
  }
  const end = last?.end;
  if (last !== undefined && end?.kind === "enough" && isDeep(last.seen)) {
    const news = Math.max(end.last, openTo(survey.state) ?? 0);
    return addCounts(counts, await leaveToBacklog(survey.paidBy(undefined), news, startedAt));
  }
  if (last !== undefined && found.length > 0) await openHead(survey, last.seen);
  addCounts(counts, await emitFound(survey, found));
  if (end === undefined || end.kind === "time up") {
    // The next one would begin at page 1 again, and come no further.
    const hadTime = deadline - startedAt >= OWN_TIME;
    if (openBefore !== undefined && hadTime)
      survey.note({ kind: "reading", purpose: "backlog", read: newFullRead(startedAt) });
    return { ...counts, unfinished: true };
  }
  const open = openTo(survey.state);
  if (end.kind === "failed") {
    // After a scan that failed the next one reads as far (R9).
    if (open !== undefined) survey.note({ kind: "head open", page: Math.max(open, end.last) });
    return { ...counts, left: counts.left + 1 };
  }
  if (!isClean(counts)) return counts;
  const isAll = end.kind === "end" && end.seen !== "once";
  const place = { page: Math.max(1, end.last), at: ports.clock.now() };
  survey.note({ kind: "head scanned", end: isAll ? undefined : place });
  return counts;
}

/** Written before anything of a scan with news: if it is cut short, the next one must not end above the last page that showed some. */
async function openHead(survey: Survey, { withNews }: Seen): Promise<void> {
  const page = Math.max(1, ...withNews);
  if (page <= (openTo(survey.state) ?? 0)) return;
  survey.note({ kind: "head open", page });
  await survey.save();
}
