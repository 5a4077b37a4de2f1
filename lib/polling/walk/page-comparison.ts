import { isObject } from "../model/irregular.ts";
import type { ReadRecord } from "../model/records.ts";
import { differingFields, type VolatileFields } from "../model/volatile-fields.ts";
import { isFull, isSame, type Page } from "./pages.ts";

/** Reads of one page one after the other, each with something else in the same field of the same record, after which that field is volatile. */
const DIFFERENCES = 3;
/** What tells a record from the others of its page: none of it is ever volatile. */
const IDENTITY: ReadonlySet<string> = new Set(["responseId", "questionId", "completed"]);
/** A field that only moves within its record. */
const ORDER = "";
/** Pages behind two that are alike which are looked at, each twice as far behind as the one before. */
const MOST_ALIKE = 7;
/** Pages whose differences are remembered. */
const PAGES = 4;

/** Compares reads of pages, and learns from reads of the same page what is not to be compared. */
export interface PageComparison {
  /** Whether two pages, or two reads of one, hold the same. */
  isSame(one: Page | undefined, other: Page | undefined): boolean;
  /** The same, of a page that is read again until that is certain: it may hold a field that is not known as volatile yet. */
  isStill(page: Page, readAgain: () => Promise<Page | undefined>): Promise<boolean>;
  /** Whether a page shows what another one did: `readAgain` reads that other one. */
  isRepeat(
    page: Page,
    other: Page | undefined,
    readAgain: (page: number) => Promise<Page | undefined>,
  ): Promise<boolean>;
  /**
   * Whether anything else stands behind a page that is like the one before it: never where a service repeats its last page. In the midst of
   * a list two pages may be alike: of one response with many equal records, or of several whose records are listed by what they do not tell.
   */
  isFollowed(page: Page, look: (page: number) => Promise<Page | undefined>): Promise<boolean>;
}

/**
 * `onLearned`: what was compared before is not comparable with what will be. `mayGoOn`: whether a list may go on behind a page of this size, as
 * far as is known.
 */
export function createPageComparison(
  volatile: VolatileFields,
  onLearned: () => void,
  mayGoOn: (page: Page) => boolean = isFull,
): PageComparison {
  /** By page and record and field: in how many reads in a row it was different. */
  const pages = new Map<number, Map<string, number>>();

  /** Whether something was learned. */
  const learn = (one: Page, other: Page): boolean => {
    const before = pages.get(other.number);
    pages.delete(other.number);
    if (!standsAs(one, other)) return false;
    const differences = new Map<string, number>();
    const found: string[] = [];
    const others = recordsOf(other);
    for (const [name, record] of recordsOf(one)) {
      for (const field of differencesOf(record, others.get(name))) {
        const times = (before?.get(`${field} ${name}`) ?? 0) + 1;
        differences.set(`${field} ${name}`, times);
        if (times >= DIFFERENCES) found.push(field);
      }
    }
    pages.set(other.number, differences);
    for (const oldest of pages.keys()) if (pages.size > PAGES) pages.delete(oldest);
    const volatileOnes = found.filter((field) => !IDENTITY.has(field));
    if (volatileOnes.length === 0 || !volatile.add(volatileOnes.filter((field) => field !== ORDER))) return false;
    onLearned();
    return true;
  };

  const compare = (one: Page | undefined, other: Page | undefined): boolean => {
    const isOnePage = one !== undefined && one.number === other?.number;
    if (!isSame(one, other)) return isOnePage && learn(one, other) && isSame(one, other);
    if (isOnePage) pages.delete(one.number);
    return true;
  };

  const isStill = async (page: Page, readAgain: () => Promise<Page | undefined>): Promise<boolean> => {
    let before = page;
    for (let reads = 0; reads < DIFFERENCES; reads += 1) {
      // One empty page may be a fault of the moment.
      const again = (await readAgain()) ?? (await readAgain());
      if (compare(before, again)) return true;
      if (again === undefined || !standsAs(before, again)) return false;
      before = again;
    }
    return false;
  };

  /** Pages behind a page that are all like it; undefined where something else is there. `short`: looks where none is to be behind it. */
  const alikeBehind = async (
    page: Page,
    look: (page: number) => Promise<Page | undefined>,
    isAlike: (one: Page | undefined, other: Page | undefined) => boolean,
    short: number,
  ): Promise<Page[] | undefined> => {
    const pages: Page[] = [];
    const looks = mayGoOn(page) ? MOST_ALIKE : short;
    for (let tries = 0; tries < looks; tries += 1) {
      const number = page.number + 2 ** tries;
      // One empty page may be a fault of the moment.
      const behind = (await look(number)) ?? (await look(number));
      if (behind === undefined || !isAlike(behind, page)) return undefined;
      pages.push(behind);
    }
    return pages;
  };

  return {
    isSame: compare,
    isStill,
    isFollowed: async (page, look) => (await alikeBehind(page, look, compare, 0)) === undefined,
    async isRepeat(page, other, readAgain) {
      if (isSame(page, other)) return true;
      // The same records with other contents: that tells once it is known what reads differently each time.
      if (!endsAs(page, other) || !standsAs(page, other)) return false;
      const isOtherStill = await isStill(other, () => readAgain(other.number));
      if (isSame(page, other)) return true;
      // Or they tell the page that was asked for: then each page reads the same each time, and no two of them are equal.
      const isKnown = (field: string): boolean => (field === ORDER ? volatile.version !== "" : volatile.has(field));
      const told = isOtherStill ? fieldsThatDiffer(page, other).filter((field) => !isKnown(field)) : [];
      if (told.length === 0 || told.some((field) => field === ORDER || IDENTITY.has(field))) return false;
      if (!(await isStill(page, () => readAgain(page.number)))) return false;
      // Where it stands no more as it did the list has become longer: then it was a repeat.
      const behind = await alikeBehind(page, readAgain, standsAs, 1);
      if (behind === undefined) return !standsAs(page, await readAgain(page.number));
      // A service that shows one page twice does not tell which one was asked for: then these are pages of the list.
      const digests = [other, page, ...behind].map(({ digest }) => digest);
      if (new Set(digests).size < digests.length) return false;
      if (!volatile.add(told)) return false;
      onLearned();
      return isSame(page, other);
    },
  };
}

/** In what two pages with the same records differ. */
function fieldsThatDiffer(page: Page, other: Page): string[] {
  const others = recordsOf(other);
  return [...new Set([...recordsOf(page)].flatMap(([name, record]) => differencesOf(record, others.get(name))))];
}

/** Whether the last response of a page is on the other one: mostly that is enough to tell them apart. */
function endsAs(page: Page, other: Page | undefined): other is Page {
  const last = page.runs.at(-1)?.responseId;
  return other !== undefined && (last === undefined || other.runs.some(({ responseId }) => responseId === last));
}

/** Whether two pages show the same records, whatever else is written in them: then they have not moved. */
export function standsAs(one: Page | undefined, other: Page | undefined): boolean {
  if (one === undefined || other === undefined || one.size !== other.size) return false;
  const [mine, others] = [recordsOf(one), recordsOf(other)];
  // Of the page before a slice nothing but digests is known.
  return mine.size === one.size && [...mine.keys()].every((name) => others.has(name));
}

/** The records of a page by what they are known by, and the how many-th of those that are alike in that, ordered by what they answer. */
function recordsOf(page: Page): Map<string, ReadRecord> {
  const { runs, orphans } = page;
  // Several responses show where a page begins. One alone may have moved by a few of its records, if these are of the same question.
  const isWithinOne = runs.length === 1 && isFull(page);
  const alike = new Map<string, ReadRecord[]>();
  for (const record of [...runs.flatMap((run) => run.records), ...orphans]) {
    const { questionId, answer, score, matrixScore } = fieldsOf(record);
    const answered = isWithinOne ? [answer, score, matrixScore] : [];
    const name = JSON.stringify([record.responseId, questionId, record.completed, ...answered]);
    const some = alike.get(name);
    if (some === undefined) alike.set(name, [record]);
    else some.push(record);
  }
  const records = new Map<string, ReadRecord>();
  for (const [name, some] of alike) {
    const ordered = some.length === 1 ? some : some.toSorted((a, b) => (answerOf(a) < answerOf(b) ? -1 : 1));
    for (const [time, record] of ordered.entries()) records.set(`${name} ${time}`, record);
  }
  return records;
}

function answerOf(record: ReadRecord): string {
  const { answer, score, matrixScore, comment } = fieldsOf(record);
  return JSON.stringify([answer, score, matrixScore, comment]);
}

const fieldsOf = ({ raw }: ReadRecord): Record<string, unknown> => (isObject(raw) ? raw : {});

function differencesOf(one: ReadRecord, other: ReadRecord | undefined): string[] {
  if (other === undefined || one.json === other.json) return [];
  const fields = differingFields(one.raw, other.raw);
  return fields.length === 0 ? [ORDER] : fields;
}
