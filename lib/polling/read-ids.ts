import { gunzipSync, gzipSync } from "node:zlib";
import type { IdsRef } from "./model/books.ts";
import type { Survey } from "./survey.ts";

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

  /** Forgets where those begin that begin before a page, up to which all is dealt with. */
  settle(page: number): void {
    for (const [id, begins] of this.pages) {
      if (begins >= page) return;
      this.pages.delete(id);
    }
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
