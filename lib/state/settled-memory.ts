import { eventId } from "../events/index.ts";
import type { LedgerEntry } from "../polling/index.ts";

/** Entries kept of one survey: those that its pages showed last. */
const MOST_OF_ONE = 500;
/** Entries kept in all: about 45 bytes each. */
const MOST_OF_ALL = 1_000_000;
const FIRST_CAPACITY = 32;

/** As `digestOf` writes it. */
const DIGEST = /^[\w-]{32}$/;
const DIGEST_BYTES = 24;
/** In the place of a revision, which is 1 at least. */
const BEFORE_FLOOR = 0;

/** Settled entries of one survey's ledger, as a process remembers them. */
export interface SettledEntries {
  get(id: LedgerEntry["id"]): LedgerEntry | undefined;
  /** Keeps a settled entry, where there are many in the place of the one that was kept first. */
  add(entry: LedgerEntry): void;
  remove(id: LedgerEntry["id"]): void;
}

/**
 * Settled entries of a source, emitted ones and those before the floor, as one process remembers them. They are as good as the table as
 * long as nobody else has had the survey's lease since. The next fence tells that.
 */
export interface SettledMemory {
  /** The entries that are still good under a lease with this fence. Entries learned under it go there too. */
  under(surveyId: number, fence: number): SettledEntries;
}

/** @param most entries in all: the surveys that were longest not polled are forgotten first */
export function createSettledMemory(source: string, most = MOST_OF_ALL): SettledMemory {
  /** Longest not polled first. */
  const surveys = new Map<number, { fence: number; entries: PackedEntries }>();
  const total = { size: 0 };

  const forget = (surveyId: number): void => {
    surveys.get(surveyId)?.entries.leave();
    surveys.delete(surveyId);
  };

  return {
    under(surveyId, fence) {
      const known = surveys.get(surveyId);
      // fault: old-memory-believed
      if (known?.fence !== fence - 1) forget(surveyId);
      const entries = surveys.get(surveyId)?.entries ?? new PackedEntries(source, surveyId, total);
      surveys.delete(surveyId);
      surveys.set(surveyId, { fence, entries });
      for (const oldest of surveys.keys()) {
        if (total.size <= most || oldest === surveyId) break;
        forget(oldest);
      }
      return entries;
    },
  };
}

/** Numbers and the bytes of digests: as objects ten thousand surveys with a hundred entries each would not fit into a function. */
class PackedEntries implements SettledEntries {
  private readonly source: string;
  private readonly surveyId: number;
  private total: { size: number };
  private ids = new Float64Array(0);
  private counts = new Uint32Array(0);
  private revisions = new Uint32Array(0);
  /** Not a number where the entry has none. */
  private emittedAt = new Float64Array(0);
  private digests = new Uint8Array(0);
  /** Place of the next one, where all are taken. */
  private next = 0;
  size = 0;

  constructor(source: string, surveyId: number, total: { size: number }) {
    this.source = source;
    this.surveyId = surveyId;
    this.total = total;
  }

  /** Counts no more, also what whoever still holds it adds. */
  leave(): void {
    this.total.size -= this.size;
    this.total = { size: this.size };
  }

  get(id: LedgerEntry["id"]): LedgerEntry | undefined {
    const place = this.placeOf(id);
    if (place === -1 || typeof id === "string") return undefined;
    const revision = this.revisions[place] ?? BEFORE_FLOOR;
    if (revision === BEFORE_FLOOR) return { id, state: "before-floor" };
    const emittedAt = this.emittedAt[place] ?? Number.NaN;
    const bytes = this.digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES);
    return {
      id,
      state: "emitted",
      digest: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url"),
      count: this.counts[place] ?? 0,
      eventId: eventId(this.source, this.surveyId, id, revision),
      revision,
      ...(Number.isNaN(emittedAt) ? {} : { emittedAt }),
    };
  }

  add(entry: LedgerEntry): void {
    if (typeof entry.id !== "number") return;
    if (entry.state === "before-floor" && Object.keys(entry).length === 2) {
      this.write(entry.id, BEFORE_FLOOR);
      return;
    }
    const { id, state, digest, count, eventId: written, revision, emittedAt, ...rest } = entry;
    const isPlain = typeof id === "number" && state === "emitted" && Object.keys(rest).length === 0;
    if (!isPlain || digest === undefined || !DIGEST.test(digest) || count === undefined || revision === undefined)
      return;
    // Written under another name of the source, or by other rules: what is given back must be what was read.
    if (written !== eventId(this.source, this.surveyId, id, revision)) return;
    const place = this.write(id, revision);
    this.counts[place] = count;
    this.emittedAt[place] = emittedAt ?? Number.NaN;
    this.digests.set(Buffer.from(digest, "base64url"), place * DIGEST_BYTES);
  }

  remove(id: LedgerEntry["id"]): void {
    const place = this.placeOf(id);
    // No id is negative.
    if (place !== -1) this.ids[place] = -1;
  }

  private placeOf(id: LedgerEntry["id"]): number {
    const place = typeof id === "number" ? this.ids.indexOf(id) : -1;
    return place < this.size ? place : -1;
  }

  /** Gives the place of an id, which is its own from now on. */
  private write(id: number, revision: number): number {
    let place = this.placeOf(id);
    if (place === -1 && this.size < MOST_OF_ONE) {
      if (this.size === this.ids.length) this.grow();
      place = this.size;
      this.size += 1;
      this.total.size += 1;
    } else if (place === -1) {
      place = this.next;
      this.next = (place + 1) % MOST_OF_ONE;
    }
    this.ids[place] = id;
    this.revisions[place] = revision;
    return place;
  }

  private grow(): void {
    const capacity = Math.min(MOST_OF_ONE, Math.max(FIRST_CAPACITY, this.ids.length * 2));
    const { ids, counts, revisions, emittedAt, digests } = this;
    this.ids = new Float64Array(capacity).fill(-1);
    this.counts = new Uint32Array(capacity);
    this.revisions = new Uint32Array(capacity);
    this.emittedAt = new Float64Array(capacity);
    this.digests = new Uint8Array(capacity * DIGEST_BYTES);
    this.ids.set(ids);
    this.counts.set(counts);
    this.revisions.set(revisions);
    this.emittedAt.set(emittedAt);
    this.digests.set(digests);
  }
}
