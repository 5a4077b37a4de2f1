import { gunzipSync, gzipSync } from "node:zlib";
import pLimit from "p-limit";
import type { Books, BooksOpen, FullRead, IdsRef, Tally, Withheld } from "./model/books.ts";
import type { EntryState } from "./model/ledger-entry.ts";
import type { Survey } from "./survey.ts";

type Class = keyof Tally & (Exclude<EntryState, "before-start"> | "beforeStart");

/** Full reads in a row of an empty list after which it is believed to be empty. */
const EMPTY_PASSES = 3;
/** A full read that proved nothing is made again sooner. Books closer together than that count as one. */
export const SOONER = 8;
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

/** Notes why the books are not closed. The next full read is made sooner. */
export function leaveOpen(survey: Survey, why: BooksOpen, now: number): void {
  survey.note({ kind: "books open", why, nextPass: now + survey.source.rescan.full / SOONER });
}

// Ids of responses as they are kept between the parts of a full read.

/** A text this short stays in the state; a longer one lies in the vault. */
const MOST_INLINE = 600;

/** The ids that a full read has met, in all of its parts. */
export class ReadIds {
  /** All of them; and those that were open when they were met. */
  readonly all: Set<number>;
  private readonly open: Set<number>;
  /** The page on which each begins that this part has met. */
  private readonly pages = new Map<number, number>();

  constructor(all: Iterable<number> = [], open: Iterable<number> = []) {
    this.all = new Set(all);
    this.open = new Set(open);
  }

  add(responseId: number, isOpen: boolean, page = 0): void {
    this.all.add(responseId);
    this.pages.set(responseId, page);
    if (isOpen) this.open.add(responseId);
    else this.open.delete(responseId);
  }

  get size(): number {
    return this.all.size;
  }

  has(responseId: number): boolean {
    return this.all.has(responseId);
  }

  hasCompleted(responseId: number): boolean {
    return this.all.has(responseId) && !this.open.has(responseId);
  }

  /** Those that begin before a page. About two bytes an id: sorted, each as its distance from the one before. */
  toText(before = Number.POSITIVE_INFINITY): string {
    const some = [this.all, this.open].map((ids) => [...ids].filter((id) => (this.pages.get(id) ?? 0) < before));
    return gzipSync(JSON.stringify(some.map(distances))).toString("base64");
  }

  static fromText(text: string): ReadIds {
    const [all, open] = JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString()) as [number[], number[]];
    return new ReadIds(sums(all), sums(open));
  }
}

function distances(ids: number[]): number[] {
  return ids.sort((a, b) => a - b).map((id, i, sorted) => id - (sorted[i - 1] ?? 0));
}

function sums(all: number[]): number[] {
  let sum = 0;
  return all.map((distance) => {
    sum += distance;
    return sum;
  });
}

/** Keeps ids, those that begin before a page, under a name of their own: the state tells which are the right ones, also after a crash. */
export async function keepIds(survey: Survey, ids: ReadIds, name: string, before?: number): Promise<IdsRef> {
  const text = ids.toText(before);
  if (text.length <= MOST_INLINE) return { inline: text };
  const key = `ids/${survey.source.name}/${survey.id}/${survey.lease.fence}-${survey.ports.clock.now()}-${name}.json`;
  await survey.ports.vault.put(key, text);
  return { key };
}

/** The ids kept under `ref`, none without one; undefined when they are gone. */
export async function loadIds(survey: Survey, ref: IdsRef | undefined): Promise<ReadIds | undefined> {
  if (ref === undefined) return new ReadIds();
  if ("inline" in ref) return ReadIds.fromText(ref.inline);
  const text = await survey.ports.vault.get(ref.key);
  return typeof text === "string" ? ReadIds.fromText(text) : undefined;
}

/** Deletes what is no longer referred to; what cannot be deleted now goes by the bucket's lifecycle. */
export async function dropIds(survey: Survey, ref: IdsRef | undefined): Promise<void> {
  if (ref === undefined || "inline" in ref) return;
  await survey.ports.vault.delete(ref.key).catch(() => undefined);
}
