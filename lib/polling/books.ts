import pLimit from "p-limit";
import type { Books, BooksOpen, FullRead, Tally, Withheld } from "./model/books.ts";
import type { EntryState } from "./model/ledger-entry.ts";
import type { PollingSource } from "./model/source.ts";
import { dropIds, keepIds, type ReadIds } from "./read-ids.ts";
import type { Survey } from "./survey.ts";

type Class = keyof Tally & (Exclude<EntryState, "before-start"> | "beforeStart");

/** Full reads in a row of an empty list after which it is believed to be empty. */
const EMPTY_PASSES = 3;
/** Entries of one read, and reads at once. */
const AT_ONCE = 100;
const READS = 8;
/** Responses that do not go out and are named. */
const MOST_NAMED = 50;

/** Closes the books by a full read that has met all of the list, or says why they stay open (R29). */
export async function closeBooks(survey: Survey, read: FullRead, ids: ReadIds): Promise<void> {
  const { state: before, ports, source, listedCount } = survey;
  const closedAt = ports.clock.now();
  const { classes, withheld } = await classify(survey, ids);
  const listed = ids.all.size;
  const left = listed - Object.values(classes).reduce((sum, count) => sum + count, 0);
  if (left !== 0) return leaveOpen(survey, { code: "unaccounted", count: left }, closedAt);
  // A page that is read as empty by mistake looks like a list without responses. Where the survey list or the last books say that there are some, or neither says
  // anything, an empty list is believed when it stays empty.
  const said = [listedCount, before.books?.listed].filter((count) => count !== undefined);
  const isDoubtful = listed === 0 && (said.length === 0 || said.some((count) => count > 0));
  if (isDoubtful && (before.emptyPasses ?? 0) + 1 < EMPTY_PASSES)
    return leaveOpen(survey, { code: "read-as-empty" }, closedAt);
  const { startedAt, changed, repaired, found } = read;
  const books: Books = {
    ...{ startedAt, changed, repaired, found, ...classes, closedAt, listed },
    ...(withheld.length === 0 ? {} : { withheld }),
    gone: before.books?.gone ?? 0,
    deficit: listedCount === undefined ? null : listedCount - listed,
    passes: before.booksOpen === undefined ? (before.books?.passes ?? 0) + 1 : 1,
  };
  const listedIds = await keepIds(survey, ids, "listed");
  survey.note({ kind: "books closed", books, listedIds, nextPass: startedAt + source.rescan.full });
  if (before.listedIds === undefined || "inline" in before.listedIds) return;
  // Only now: until the state names the new ones, these are all there are.
  await survey.save();
  await dropIds(survey, before.listedIds);
}

/** The class that the ledger gives each of these responses now, and which of them do not go out. */
async function classify(
  survey: Survey,
  { all }: ReadIds,
): Promise<{ classes: Record<Class, number>; withheld: Withheld[] }> {
  const classes = { emitted: 0, beforeStart: 0, open: 0, waiting: 0, held: 0, quarantined: 0, refused: 0 };
  const withheld: Withheld[] = [];
  const ids = [...all];
  const limit = pLimit(READS);
  await Promise.all(
    Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) =>
      limit(async () => {
        const entries = await survey.entries(ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE));
        for (const { id, state, reason = null } of entries.values()) {
          classes[state === "before-start" ? "beforeStart" : state] += 1;
          const isWithheld = state === "held" || state === "quarantined" || state === "refused";
          if (isWithheld && typeof id === "number") withheld.push({ responseId: id, state, reason });
        }
      }),
    ),
  );
  withheld.sort((a, b) => a.responseId - b.responseId);
  return { classes, withheld: withheld.slice(0, MOST_NAMED) };
}

/** The next full read is made sooner. */
export function leaveOpen(survey: Survey, why: BooksOpen, now: number): void {
  survey.note({ kind: "books open", why, nextPass: now + leastApart(survey.source) });
}

/** Milliseconds after which a full read that proved nothing is made again. Books that are closer together may have met the same error, and count as one. */
export function leastApart({ rescan }: Pick<PollingSource, "rescan">): number {
  return rescan.full / 8;
}
