import { LeaseLostError } from "../../../lib/polling/errors.ts";
import type { AccountState } from "../../../lib/polling/model/account.ts";
import type { CheckedState, EntryState, LedgerEntry } from "../../../lib/polling/model/ledger-entry.ts";
import { isForRedrive, JUDGED_BY } from "../../../lib/polling/model/ledger-entry.ts";
import type { Lease, Mark } from "../../../lib/polling/model/mark.ts";
import { emptyMark } from "../../../lib/polling/model/mark.ts";
import type { RedrivePage } from "../../../lib/polling/ports.ts";
import { mayReplace } from "../../support/may-replace.ts";
import { copyOf } from "./copy.ts";
import { MisuseError } from "./misuse.ts";

type Id = LedgerEntry["id"];

/** The item that holds a survey's mark and lease. */
export interface MarkItem {
  fence: number;
  owner: string | undefined;
  until: number;
  mark: Mark;
}

/** The table: what is in it at this very moment. Every method is one atomic effect. It keeps what it is given, and gives copies. */
export interface Store {
  account: AccountState;
  objects: Map<string, unknown>;
  marks: Map<number, MarkItem>;
  acquire(surveyId: number, me: string, same: string, now: number, until: number): Lease | undefined;
  renew(lease: Lease, until: number): void;
  saveMark(lease: Lease, mark: Mark): Mark;
  release(lease: Lease, mark: Mark): Mark;
  read(surveyId: number, ids: Id[]): Map<Id, LedgerEntry>;
  /** Gives what was there before. */
  write(surveyId: number, entry: LedgerEntry): LedgerEntry | undefined;
  entries(surveyId: number): Map<Id, LedgerEntry>;
  /** Some of the quarantined entries, by place in the table. */
  forRedrive(surveyId: number, from: string | undefined): RedrivePage;
  due(surveyId: number, kind: CheckedState, until: number, limit: number): LedgerEntry[];
  nextDue(surveyId: number, kind: CheckedState): number | undefined;
}

/** The index shows what was written only after a while. */
export interface Lag {
  /** Epoch milliseconds; what was written after it is not in the index yet. */
  shownUntil(): number;
  /** Called when it has not, and that can be seen. */
  showsOld(): void;
}

/** Items that one read of the quarantined ones goes through. */
const QUARANTINE_PAGE = 40;

interface Written {
  entry: LedgerEntry;
  at: number;
  /** What the index shows until it has caught up. */
  before: LedgerEntry | undefined;
}

export function createStore(now: () => number, lag: Lag): Store {
  const account: AccountState = { rows: new Map() };
  const marks = new Map<number, MarkItem>();
  const ledger = new Map<number, Map<Id, Written>>();
  const survey = (surveyId: number): Map<Id, Written> => {
    const entries = ledger.get(surveyId) ?? new Map<Id, Written>();
    ledger.set(surveyId, entries);
    return entries;
  };
  const fenced = (lease: Lease): MarkItem => {
    const item = marks.get(lease.surveyId);
    if (item?.owner === lease.owner && item.fence === lease.fence) return item;
    throw new LeaseLostError(`survey ${lease.surveyId} is being polled by someone else now`, { retryable: true });
  };
  const write = (item: MarkItem, mark: Mark): Mark => {
    const before = item.mark;
    item.mark = mark;
    return before;
  };
  /** What the index shows of a survey. */
  const indexed = (surveyId: number, kind: CheckedState): LedgerEntry[] => {
    const shownUntil = lag.shownUntil();
    const found: LedgerEntry[] = [];
    for (const { entry, at, before } of survey(surveyId).values()) {
      const shown = at > shownUntil ? before : entry;
      if (shown?.nextCheck === undefined || indexState(shown.state) !== kind) continue;
      if (shown !== entry) lag.showsOld();
      found.push(shown);
    }
    return found;
  };

  return {
    account,
    marks,
    objects: new Map(),
    acquire(surveyId, me, same, calledAt, until) {
      const item = marks.get(surveyId);
      // The SDK's own retry of a taking that did apply.
      const mine = item?.owner?.startsWith(`${same}/`) === true;
      if (item?.owner !== undefined && item.until >= calledAt && !mine) return undefined;
      const fence = (item?.fence ?? 0) + 1;
      const mark = item?.mark ?? emptyMark();
      marks.set(surveyId, { fence, owner: me, until, mark });
      return { surveyId, owner: me, fence, until, mark: copyOf(mark) };
    },
    renew(lease, until) {
      fenced(lease).until = until;
    },
    saveMark: (lease, mark) => write(fenced(lease), mark),
    release(lease, mark) {
      const given = marks.get(lease.surveyId);
      // The SDK's own retry of a release that did apply.
      if (given?.owner === undefined && given?.fence === lease.fence) return given.mark;
      const item = fenced(lease);
      item.owner = undefined;
      return write(item, mark);
    },
    read(surveyId, ids) {
      if (ids.length > 100 || new Set(ids).size < ids.length) throw new MisuseError("not a batch the table would read");
      const entries = survey(surveyId);
      const found = new Map<Id, LedgerEntry>();
      for (const id of ids) {
        const entry = entries.get(id)?.entry;
        if (entry !== undefined) found.set(id, projected(entry));
      }
      return found;
    },
    write(surveyId, entry) {
      const entries = survey(surveyId);
      const before = entries.get(entry.id)?.entry;
      if (!mayReplace(before, entry)) return before;
      entries.set(entry.id, { entry, at: now(), before });
      return before;
    },
    entries: (surveyId) => new Map([...survey(surveyId)].map(([id, { entry }]) => [id, entry])),
    forRedrive(surveyId, from = "0") {
      const all = [...survey(surveyId).values()];
      const to = Number(from) + QUARANTINE_PAGE;
      const entries = all.slice(Number(from), to).filter(({ entry }) => isForRedrive(entry));
      return { entries: entries.map(({ entry }) => copyOf(entry)), ...(to < all.length ? { next: String(to) } : {}) };
    },
    due: (surveyId, kind, until, limit) =>
      copyOf(
        indexed(surveyId, kind)
          .filter(({ nextCheck = 0 }) => nextCheck <= until)
          .sort((a, b) => (a.nextCheck ?? 0) - (b.nextCheck ?? 0))
          .slice(0, limit),
      ),
    nextDue: (surveyId, kind) => {
      let next: number | undefined;
      for (const { nextCheck = 0 } of indexed(surveyId, kind))
        if (next === undefined || nextCheck < next) next = nextCheck;
      return next;
    },
  };
}

/** As `dueKey` has it. */
const indexState = (state: EntryState): CheckedState =>
  state === "emitted" || state === "before-floor" ? "waiting" : state;

/** What a batch read gives of an entry. */
const SHORT = ["id", ...JUDGED_BY] as const;

function projected(entry: LedgerEntry): LedgerEntry {
  const result: Record<string, unknown> = {};
  for (const name of SHORT) if (entry[name] !== undefined) result[name] = copyOf(entry[name]);
  return result as unknown as LedgerEntry;
}
