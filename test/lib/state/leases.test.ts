import { randomInt, randomUUID } from "node:crypto";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { type Lease, NEW_SURVEY, type RoleLease, type SurveyState } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { useAws } from "../support/aws.ts";

const test = useAws();
const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
const TERM = 15 * SECOND;
const noon = Date.UTC(2026, 2, 10, 12);
const lost = { code: "LEASE_LOST" };

/** A source and a survey that no other test uses, and the clock that their leases run by. */
function fresh() {
  const clock = { now: noon };
  const source = `s${randomUUID().slice(0, 8)}`;
  const surveyId = randomInt(1, 2 ** 47);
  const table = { client: test.clients.dynamodb, name: test.table };
  const state = createDynamoState(table, source, () => clock.now);
  return { state, clock, source, surveyId, mark: () => readMark(table, source, surveyId) };
}

type Fresh = ReturnType<typeof fresh>;

const marked = (responseId: number): SurveyState => ({ ...NEW_SURVEY, highWater: { responseId, completed: "" } });

/** What can be taken: the survey, whose mark is written under its lease, and the roles of its source, which have a note. */
interface Kind<L extends Lease | RoleLease> {
  ask: (of: Fresh, owner: string) => Promise<L | undefined>;
  /** Gives it back with the number, as its mark or in its note. */
  giveBack: (of: Fresh, lease: L, number: number) => Promise<void>;
  /** The number with which it was given back last. */
  numberOf: (lease: L) => number | undefined;
  key: (of: Fresh) => { pk: string; sk: string };
}

const survey: Kind<Lease> = {
  ask: ({ state, surveyId }, owner) => state.acquire(surveyId, owner, TERM),
  giveBack: ({ state }, lease, number) => state.release(lease, marked(number)),
  numberOf: ({ state }) => state.highWater?.responseId,
  key: ({ source, surveyId }) => ({ pk: `SURVEY#${source}#${surveyId}`, sk: "MARK" }),
};
const roleKind = (role: "tick" | "backlog"): Kind<RoleLease> => ({
  ask: ({ state }, owner) => state.takeRole(role, owner, TERM),
  giveBack({ state }, lease, number) {
    lease.note = { lastTick: number };
    return state.giveBackRole(lease);
  },
  numberOf: ({ note }) => note.lastTick,
  key: ({ source }) => ({ pk: `SOURCE#${source}`, sk: `ROLE#${role}` }),
});

async function taken<L extends Lease | RoleLease>(of: Fresh, { ask }: Kind<L>, owner: string): Promise<L> {
  const lease = await ask(of, owner);
  if (lease === undefined) throw new Error(`${owner} does not get the lease`);
  return lease;
}

const lose = () => test.aws.faults.add({ service: "dynamodb", operation: "UpdateItem", kind: "lose-answer", times: 1 });

// R25, R27
describe.each<[string, Kind<Lease | RoleLease>]>([
  ["a survey", survey as Kind<Lease | RoleLease>],
  ["the tick", roleKind("tick") as Kind<Lease | RoleLease>],
  ["the backlog", roleKind("backlog") as Kind<Lease | RoleLease>],
])("the lease of %s", (_name, kind) => {
  it("goes to exactly one of many who ask at once", async () => {
    const of = fresh();
    const asked = await Promise.all(Array.from({ length: 8 }, (_, i) => kind.ask(of, `o${i}`)));
    expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  it("that a clock far ahead has taken keeps nobody from it until then", async () => {
    const of = fresh();
    of.clock.now += DAY;
    const first = await taken(of, kind, "one");
    of.clock.now -= DAY;
    expect((await taken(of, kind, "two")).fence).toBe(2);
    await expect(of.state.renew(first, TERM)).rejects.toMatchObject(lost);
  });

  it("is taken, prolonged and given back where the answer was lost, and the SDK wrote again", async () => {
    const of = fresh();
    const faults = [lose()];
    const lease = await taken(of, kind, "one");
    faults.push(lose());
    await of.state.renew(lease, TERM);
    faults.push(lose());
    await kind.giveBack(of, lease, 4);
    expect(faults.map((fault) => fault.hits())).toEqual([1, 1, 1]);
    const next = await taken(of, kind, "two");
    expect([next.fence, kind.numberOf(next)]).toEqual([lease.fence + 1, 4]);
  });

  it("is not given back by somebody else's success", async () => {
    const of = fresh();
    const first = await taken(of, kind, "one");
    of.clock.now += 16 * SECOND;
    await taken(of, kind, "two");
    lose();
    await expect(kind.giveBack(of, first, 1)).rejects.toMatchObject(lost);
  });
});

describe("the mark of a survey", () => {
  it("is written one after the other, in the order in which that was begun, also after one that failed", async () => {
    const of = fresh();
    const { state } = of;
    const lease = await taken(of, survey, "one");
    const client = test.clients.dynamodb;
    const send = client.send.bind(client);
    const begun: (() => void)[] = [];
    const slow = vi.spyOn(client, "send").mockImplementation((async (command: never) => {
      const isFirst = begun.length === 0;
      await new Promise<void>((resolve) => begun.push(resolve));
      if (isFirst) throw new Error("the table is throttled");
      return send(command);
    }) as never);
    const writes = [
      state.saveState(lease, marked(1)),
      state.saveState(lease, marked(2)),
      state.release(lease, marked(3)),
    ];
    const outcome = Promise.allSettled(writes);
    for (let write = 0; write < writes.length; write += 1) {
      await vi.waitFor(() => expect(begun).toHaveLength(write + 1));
      begun[write]?.();
    }

    expect((await outcome).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    slow.mockRestore();
    expect(await of.mark()).toEqual(marked(3));
  });
});

describe("the note of the tick", () => {
  const note = { lastTick: noon, listedAt: noon - 60 * SECOND };
  const tick = roleKind("tick");

  it("is that of the account as soon as the role is given back, and until the next one is; nothing else is left", async () => {
    const of = fresh();
    const first = await taken(of, tick, "one");
    first.note = note;
    await of.state.giveBackRole(first);
    expect(await of.state.account()).toEqual({ ...note, rows: new Map() });
    const left = { TableName: test.table, Key: tick.key(of), ConsistentRead: true };
    const { Item } = await test.clients.dynamodb.send(new GetCommand(left));
    expect(Item).toEqual({ ...tick.key(of), v: 4, fence: 1, note });

    expect((await taken(of, tick, "two")).note).toEqual(note);
    of.clock.now += TERM + 1;
    expect(await of.state.account()).toEqual({ ...note, rows: new Map() });
  });
});
