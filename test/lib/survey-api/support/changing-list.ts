import type { ResponseRecord } from "../../../../lib/survey-api/index.ts";

export interface Listed {
  id: number;
  /** One text for each record; they may be equal. */
  records: string[];
}

/** A place is in [0, 1]: of the response that is changed, or between the responses. */
export type Change =
  | { kind: "arrive"; place: number; size: number }
  | { kind: "leave"; place: number }
  | { kind: "grow"; place: number; at: number; size: number }
  | { kind: "shrink"; place: number; at: number; size: number }
  | { kind: "edit"; place: number };

export interface ListOptions {
  /** What happens before the nth read, counted from 0. */
  changes?: ReadonlyMap<number, readonly Change[]>;
  /** Reads that give an empty page by mistake. */
  glitches?: ReadonlySet<number>;
  /** Records of a page where these are not 100. */
  sizes?: ReadonlyMap<number, number>;
  pastEnd?: "empty" | "repeatLast";
  /** More reads than that fail. */
  mostReads?: number;
}

export interface ChangingList {
  read: (page: number) => Promise<ResponseRecord[]>;
  /** Pages in the order in which they were read. */
  pages: number[];
  /** Every state in which the list has been. */
  versions: Listed[][];
  /** Responses that came in behind everything that had been read by then, while the list had not been seen to end. */
  arrivedAhead: Set<number>;
  /**
   * How many pairs of reads of one page gave the same although the page had held something else between them: no reader
   * can tell such a page from one that held still. A read that failed with an empty page in step with a change counts twice.
   */
  deceptions: () => number;
}

export function response(id: number, size: number, equal = false): Listed {
  return { id, records: Array.from({ length: size }, (_, k) => (equal ? `${id}` : `${id}/${k}`)) };
}

/** A list of whole responses that changes between the reads of its pages, by itself. */
export function changingList(initial: readonly Listed[], options: ListOptions = {}): ChangingList {
  const { sizes = new Map(), pastEnd = "empty", changes, glitches, mostReads = 2_000 } = options;
  const versions: Listed[][] = [[...initial]];
  const reads: { page: number; version: number; text: string; glitch: boolean }[] = [];
  const arrivedAhead = new Set<number>();
  const seen = new Set<number>();
  let endSeen = false;
  let fresh = 1_000_000;

  function change(one: Change): void {
    const list = [...(versions.at(-1) ?? [])];
    const index = Math.min(list.length - 1, Math.floor(one.place * list.length));
    const target = list[index];
    fresh += 1;
    if (one.kind === "arrive") {
      const at = Math.round(one.place * list.length);
      list.splice(at, 0, response(fresh, one.size));
      if (!endSeen && !list.slice(at).some(({ id }) => seen.has(id))) arrivedAhead.add(fresh);
    } else if (target === undefined) return;
    else if (one.kind === "leave") list.splice(index, 1);
    else list[index] = { id: target.id, records: changed(target.records, one, fresh) };
    versions.push(list);
  }

  function serve(version: number, page: number): string[] {
    const records = (versions[version] ?? []).flatMap(({ id, records: texts }) => texts.map((text) => `${id} ${text}`));
    const slice = (at: number): string[] => {
      let start = 0;
      for (let before = 1; before < at; before += 1) start += sizes.get(before) ?? 100;
      return records.slice(start, start + (sizes.get(at) ?? 100));
    };
    let start = 0;
    let last = 0;
    for (let at = 1; start < records.length; at += 1) {
      start += sizes.get(at) ?? 100;
      last = at;
    }
    return pastEnd === "repeatLast" && page > last && last > 0 ? slice(last) : slice(page);
  }

  return {
    versions,
    arrivedAhead,
    get pages() {
      return reads.map(({ page }) => page);
    },
    async read(page) {
      if (reads.length >= mostReads) throw new Error("endless");
      for (const one of changes?.get(reads.length) ?? []) change(one);
      const version = versions.length - 1;
      const glitch = glitches?.has(reads.length) === true;
      const keys = glitch ? [] : serve(version, page);
      const text = keys.join();
      endSeen ||= keys.length === 0 || reads.some((read) => read.page !== page && read.text === text);
      reads.push({ page, version, text, glitch });
      const records = keys.map(toRecord);
      for (const { responseId } of records) seen.add(responseId);
      return records;
    },
    deceptions: () =>
      reads.reduce((count, first, i) => {
        const second = reads.slice(i + 1).find(({ page }) => page === first.page);
        if (second === undefined || second.text !== first.text) return count;
        for (let version = first.version; version <= second.version; version += 1) {
          if (serve(version, first.page).join() !== first.text) return count + (first.glitch || second.glitch ? 2 : 1);
        }
        return count;
      }, 0),
  };
}

function changed(records: string[], one: Change, fresh: number): string[] {
  if (one.kind === "edit") return records.map((_, k) => `edited ${fresh}/${k}`);
  if (one.kind !== "grow" && one.kind !== "shrink") return records;
  const at = Math.floor(one.at * records.length);
  const added = one.kind === "grow" ? Array.from({ length: one.size }, (_, k) => `grown ${fresh}/${k}`) : [];
  const next = records.toSpliced(at, one.kind === "shrink" ? one.size : 0, ...added);
  return next.length === 0 || next.length > 250 ? records : next;
}

/** A record whose comment is its text, and whose answer stands for that: a comment alone is not compared. */
export function toRecord(key: string): ResponseRecord {
  const space = key.indexOf(" ");
  const text = key.slice(space + 1);
  return {
    responseId: Number(key.slice(0, space)),
    surveyId: 7,
    iso3166: "PL",
    completed: 1,
    dateStart: "2026-03-10 11:00:00",
    dateCompleted: "2026-03-10 12:00:00",
    questionId: 1,
    answer: [...Buffer.from(text)],
    comment: text,
    score: null,
  };
}
