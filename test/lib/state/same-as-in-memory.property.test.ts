import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { errorCode } from "../../../lib/errors.ts";
import {
  type Lease,
  type LedgerEntry,
  NEW_SURVEY,
  type RoleLease,
  type State,
  type SurveyRow,
} from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { memoryState } from "../../support/state-store.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const SECOND = 1_000;
const TERM = 15 * SECOND;
const noon = Date.UTC(2026, 2, 10, 12);
const NEVER = { at: Number.POSITIVE_INFINITY, every: 1, triedAt: 0 };

/** A table, and the leases that were taken of it. */
interface Side {
  state: State;
  leases: Lease[];
  roles: RoleLease[];
}
/** Done to both sides: what it gives has to be the same. */
type Step = { told: string; run: (side: Side) => Promise<unknown> } | { told: string; passes: number };

const surveyId = fc.constantFrom(1, 2);
const small = fc.nat({ max: 5 });
const owner = fc.constantFrom("one", "two", "one-1");
const time = fc.nat({ max: 40 }).map((seconds) => noon + seconds * SECOND);
const kind = fc.constantFrom("open", "held", "waiting", "quarantined", "refused");
const optional = { requiredKeys: ["id", "state"] as ["id", "state"] };

const entry: fc.Arbitrary<LedgerEntry> = fc.oneof(
  fc.record(
    {
      id: fc.nat({ max: 12 }),
      state: fc.constant("emitted" as const),
      ...{ digest: fc.constantFrom("a", "b"), count: small, eventId: fc.constantFrom("e1", "e2"), emittedAt: time },
      ...{ revision: fc.constantFrom(1, 2), refusedRevision: fc.constant("Odd"), gone: fc.record({ since: time }) },
    },
    { requiredKeys: ["id", "state", "digest", "eventId", "emittedAt", "revision"] },
  ),
  fc.record({ id: fc.nat({ max: 12 }), state: fc.constant("before-start" as const) }),
  fc.record(
    {
      id: fc.oneof(fc.nat({ max: 12 }), fc.constant("record-abc" as const)),
      state: kind,
      ...{ digest: fc.constantFrom("a", "b"), reason: fc.constant("r"), firstSeen: time, attempts: small },
      ...{ nextCheck: time, kept: fc.constant({ records: [{ comment: "c", none: null }], details: {} }) },
    },
    optional,
  ),
);

const row: fc.Arbitrary<SurveyRow> = fc.record(
  {
    counts: fc.tuple(small, fc.constantFrom(null, 3), small),
    rest: fc.record({ recheck: fc.constant(NEVER), rescan: rest(), "full read": rest() }),
    ...{ polledAt: time, workedAt: time, dueAt: time, failingSince: time, booksAt: time },
    ...{ found: small, known: small, isBehind: fc.constant(true as const) },
    ...{
      hint: fc.record({ missing: small, tries: small, nextAt: time }),
      counted: fc.record({ shown: small, at: time }),
    },
  },
  { requiredKeys: ["counts", "rest", "polledAt", "workedAt"] },
);

function rest() {
  return fc.record({ at: time, every: small, triedAt: time });
}

/** What others may know of a lease: the owner has a part that is unique for each taking. */
const shown = (lease: Lease | RoleLease | undefined) => lease && { ...lease, owner: lease.owner.split("/")[0] };

const of = <T>(told: string, one: fc.Arbitrary<T>, run: (side: Side, one: T) => Promise<unknown>) =>
  one.map((given): Step => ({ told: `${told} ${JSON.stringify(given)}`, run: (side) => run(side, given) }));

/** By a lease that was taken at any time before. */
const by = (told: string, run: (state: State, lease: Lease, number: number) => Promise<unknown>) =>
  of(told, fc.tuple(fc.nat(), small), async ({ state, leases }, [which, number]) => {
    const lease = leases[which % leases.length];
    return lease && run(state, lease, number);
  });

async function allPages<T>(read: (from?: string) => Promise<{ entries: T[]; next?: string }>): Promise<T[]> {
  const all: T[] = [];
  for (let from: string | undefined; ; ) {
    const { entries, next } = await read(from);
    all.push(...entries);
    if (next === undefined) return all.sort((a, b) => String(Object(a).id).localeCompare(String(Object(b).id)));
    from = next;
  }
}

const marked = (responseId: number) => ({ ...NEW_SURVEY, highWater: { responseId, completed: "" } });
const entries = fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 6 });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(0, 1, 5, 15).map((seconds): Step => ({ told: `${seconds} s pass`, passes: seconds * SECOND })),
  of("acquire", fc.tuple(surveyId, owner), async ({ state, leases }, [id, name]) => {
    const lease = await state.acquire(id, name, TERM);
    if (lease !== undefined) leases.push(lease);
    return shown(lease);
  }),
  by("renew", (state, lease) => state.renew(lease, TERM)),
  by("saveState", (state, lease, number) => state.saveState(lease, marked(number))),
  by("release", (state, lease, number) => state.release(lease, marked(number))),
  of("takeRole", fc.tuple(fc.constantFrom("tick", "backlog"), owner), async ({ state, roles }, [role, name]) => {
    const lease = await state.takeRole(role, name, TERM);
    if (lease !== undefined) roles.push(lease);
    return shown(lease);
  }),
  of("giveBackRole", fc.tuple(fc.nat(), time), async ({ state, roles }, [which, lastTick]) => {
    const lease = roles[which % roles.length];
    if (lease !== undefined) await state.giveBackRole(Object.assign(lease, { note: { lastTick } }));
  }),
  of("putEntries", fc.tuple(surveyId, entries), ({ state }, [id, some]) => state.putEntries(id, some)),
  of("entries", surveyId, async ({ state }, id) => {
    const found = await state.entries(id, [...Array.from({ length: 13 }, (_, i) => i), "record-abc"]);
    return new Map([...found].sort(([a], [b]) => String(a).localeCompare(String(b))));
  }),
  of("due", fc.tuple(surveyId, kind, time), async ({ state }, [id, which, until]) =>
    (await state.due(id, which, until, 100)).map((one) => JSON.stringify(Object.entries(one).sort())).sort(),
  ),
  of("nextDue", fc.tuple(surveyId, kind), ({ state }, [id, which]) => state.nextDue(id, which)),
  of("emitted", surveyId, ({ state }, id) => allPages((from) => state.emitted(id, from))),
  of("forRedrive", surveyId, ({ state }, id) => allPages((from) => state.forRedrive(id, from))),
  of("saveRows", fc.array(fc.tuple(fc.constantFrom(1, 2, 1_001), row)), ({ state }, rows) =>
    state.saveRows(new Map(rows)),
  ),
  of(
    "saveAccount",
    fc.record({ firstTick: time, service: owner, overdrawn: small }, { requiredKeys: [] }),
    (side, some) => side.state.saveAccount(some),
  ),
  of("account", fc.constant(undefined), ({ state }) => state.account()),
);

// R25, R27: the simulation holds the poller over the ports in memory.
it("the table does what the ports in memory do, whatever is done in whichever order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: "max" }), async (steps) => {
      let now = noon;
      const table = { client: test.clients.dynamodb, name: test.table };
      const sides: Side[] = [
        memoryState(() => now).state,
        createDynamoState(table, `s${randomUUID().slice(0, 8)}`, () => now),
      ].map((state) => ({ state, leases: [], roles: [] }));
      for (const one of steps) {
        if ("passes" in one) now += one.passes;
        else {
          const [inMemory, inTable] = await Promise.all(sides.map((side) => one.run(side).catch(errorCode)));
          expect(inTable, one.told).toEqual(inMemory);
        }
      }
    }),
    { numRuns: 15 },
  );
}, 60_000);
