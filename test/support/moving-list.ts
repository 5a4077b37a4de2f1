import type { Order, PageRead, Run } from "../../lib/polling/index.ts";

/** Whether all of a response is needed, or it is to be noted, or nothing is to be done about it. */
export type Verdict = "whole" | "note" | "settled";

/** What a service may answer past the end of the list. */
export const pastEnds = ["empty", "404", "400", "repeats"] as const;
export type PastEnd = (typeof pastEnds)[number];

export interface ListedResponse {
  id: number;
  size: number;
  verdict: Verdict;
}

/** A change of the list: a whole response arrives at a place (0 is the asc end's far side, 1 the newest), or one goes. */
export type Change =
  | { kind: "arrival"; place: number; size: number; verdict: Verdict }
  | { kind: "deletion"; place: number };

/** What ties on the sort key, and so stands in another order on its page at each read: records of a response, or whole responses as well. */
export type Ties = "none" | "records" | "responses";

export interface MovingList {
  read: (page: number) => Promise<PageRead>;
  /** Every response that was ever listed, by id. */
  ever: Map<number, ListedResponse>;
  /** Ids of those that went or came while the list was read. */
  passing: Set<number>;
  reads: number[];
  /**
   * Whether two pages beside each other were each read twice with the same contents although they had held others in between: no reader
   * of both, in turns, can tell such a list from one that held still.
   */
  changedAndBack: () => boolean;
  pages: () => number;
  /** Reads by which its end may be told: a full page that is shown again may stand in the midst of a list too. */
  endReads: () => number;
}

const PAGE = 100;

/** A list of whole responses, all their records next to each other, that changes before the reads that `changes` names. */
export function movingList(
  initial: ListedResponse[],
  changes: ReadonlyMap<number, Change[]>,
  options: { order: Order; pastEnd: PastEnd; ties?: Ties },
): MovingList {
  const listed = [...initial];
  const ever = new Map(initial.map((response) => [response.id, response]));
  let nextId = 1 + Math.max(0, ...initial.map(({ id }) => id));
  const passing = new Set<number>();
  const versions: string[][] = [recordsOf(listed, options.order)];
  const reads: { page: number; version: number }[] = [];

  function change(one: Change): void {
    if (one.kind === "deletion") {
      for (const { id } of listed.splice(Math.floor(one.place * listed.length), 1)) passing.add(id);
    } else {
      const response = { id: nextId, size: one.size, verdict: one.verdict };
      nextId += 1;
      ever.set(response.id, response);
      passing.add(response.id);
      listed.splice(Math.round(one.place * listed.length), 0, response);
    }
    versions.push(recordsOf(listed, options.order));
  }

  const listedAs = (records: string[]): string[] => asTied(records, options.ties ?? "none", reads.length);
  const slice = (version: number, page: number): string[] =>
    versions[version]?.slice((page - 1) * PAGE, page * PAGE) ?? [];

  /** Whether a page is read again later, and holds the same, although it has held something else in between. */
  const changedAndBackSince = (first: { page: number; version: number }, i: number): boolean => {
    const contents = (version: number): string => slice(version, first.page).join();
    const before = contents(first.version);
    return reads.slice(i + 1).some((second) => {
      if (second.page !== first.page || contents(second.version) !== before) return false;
      const between = versions
        .slice(first.version, second.version)
        .map((_, passed) => contents(first.version + passed));
      return between.some((one) => one !== before);
    });
  };

  return {
    ever,
    passing,
    get reads() {
      return reads.map(({ page }) => page);
    },
    pages: () => Math.ceil((versions.at(-1)?.length ?? 0) / PAGE),
    endReads: () => (options.pastEnd === "repeats" && (versions.at(-1)?.length ?? 0) % PAGE === 0 ? 7 : 0),
    async read(page) {
      for (const one of changes.get(reads.length) ?? []) change(one);
      const version = versions.length - 1;
      reads.push({ page, version });
      const records = slice(version, page);
      if (records.length > 0) return { kind: "page", records: listedAs(records).map(toRecord) };
      if (options.pastEnd === "404") return { kind: "none", status: 404 };
      if (options.pastEnd === "400" && page > 1) return { kind: "none", status: 400 };
      const last = Math.ceil((versions[version]?.length ?? 0) / PAGE);
      if (options.pastEnd === "repeats" && last > 0) {
        return { kind: "page", records: listedAs(slice(version, last)).map(toRecord) };
      }
      return { kind: "page", records: [] };
    },
    changedAndBack: () => {
      const pages = reads.filter(changedAndBackSince).map(({ page }) => page);
      return pages.some((page) => pages.includes(page + 1));
    },
  };
}

/** `id/k` of every record, in the order of the list; desc is asc from its last record to its first. */
function recordsOf(listed: ListedResponse[], order: Order): string[] {
  const records = listed.flatMap(({ id, size }) => Array.from({ length: size }, (_, k) => `${id}/${k}`));
  return order === "asc" ? records : records.reverse();
}

/** Ids in a row that tie where whole responses do. */
const TIED = 3;

/** The records of a page, those that tie in an order that differs from read to read. */
function asTied(records: string[], ties: Ties, turn: number): string[] {
  if (ties === "none") return records;
  const idOf = (key: string): number => Number.parseInt(key, 10);
  const turned = <T>(some: T[]): T[] => [...some.slice(turn % some.length), ...some.slice(0, turn % some.length)];
  const runs = [...Map.groupBy(records, idOf).values()].map(turned);
  if (ties === "records") return runs.flat();
  const groups = Map.groupBy(runs, ([key = ""]) => Math.floor(idOf(key) / TIED));
  return [...groups.values()].flatMap((group) => turned(group).flat());
}

function toRecord(key: string): unknown {
  const [id, k] = key.split("/").map(Number);
  return { responseId: id, questionId: k, completed: 1, dateCompleted: "2026-03-10 12:00:00" };
}

/**
 * The same list as a service that works on several requests at a time: which of them it looks at next, and which of its answers
 * arrives next, is told by `choices`, again and again.
 */
export function shuffled({ read }: MovingList, choices: readonly number[]): (page: number) => Promise<PageRead> {
  const next: (() => Promise<void>)[] = [];
  let made = 0;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (next.length > 0) {
      // Whoever waits for an answer goes on first.
      await new Promise((resolve) => setImmediate(resolve));
      const choice = choices[made++ % choices.length] ?? 0;
      const [step] = next.splice(choice % next.length, 1);
      await step?.();
    }
    isRunning = false;
  }

  return (page) =>
    new Promise((resolve) => {
      next.push(async () => {
        const result = await read(page);
        next.push(async () => resolve(result));
      });
      if (!isRunning) void run();
    });
}

/** What is wrong with a run that was handed out as whole; undefined when it is the response as it truly is. */
export function flaw(run: Run, list: MovingList): string | undefined {
  const truth = list.ever.get(run.responseId);
  const questions = run.records.map(({ raw }) => (raw as { questionId: number }).questionId);
  const distinct = new Set(questions).size;
  if (truth === undefined) return `response ${run.responseId} was never listed`;
  if (distinct !== questions.length) return `response ${run.responseId} has a record twice`;
  if (distinct !== truth.size) return `response ${run.responseId} has ${distinct} of its ${truth.size} records`;
  return undefined;
}
