import { randomUUID } from "node:crypto";
import {
  type Lease,
  leaseLost,
  NEW_SURVEY,
  type Role,
  type RoleLease,
  type RoleNote,
  type State,
  type SurveyState,
} from "../polling/index.ts";
import { ITEM_VERSION } from "./item-version.ts";
import { MARK, roleKey, sourceKey, surveyKey } from "./keys.ts";
import { type Item, readItem, type Table, updateIf } from "./table-client.ts";

/** Milliseconds: leases are far shorter, and clocks differ by less. */
const FURTHEST_AHEAD = 300_000;

/** The state of a survey, without taking its lease: for people to look at. */
export async function readMark(table: Table, source: string, surveyId: number): Promise<SurveyState> {
  return stateOf(await readItem(table, { pk: surveyKey(source, surveyId), sk: MARK }));
}

const stateOf = ({ mark }: Item): SurveyState => (mark as SurveyState | undefined) ?? NEW_SURVEY;

/** Takes the lease in an item from `now` on (epoch milliseconds), and gives both; undefined while someone else holds it. */
export async function takeLease(table: Table, key: Item, owner: string, now: number, duration: number) {
  // Unique for each taking, so that a re-read can tell this one from any other.
  const me = `${owner}/${randomUUID()}`;
  const until = now + duration;
  const taken = await updateIf(table, {
    Key: key,
    UpdateExpression: "SET #owner = :me, #until = :until, v = :v ADD fence :one",
    // A lease of a clock that was far ahead would keep everybody from its work until then.
    ConditionExpression:
      "(attribute_not_exists(#until) OR #until < :now OR #until > :most OR begins_with(#owner, :same)) AND (attribute_not_exists(v) OR v = :v)",
    ExpressionAttributeNames: { "#owner": "owner", "#until": "until" },
    ExpressionAttributeValues: {
      ":me": me,
      // Whoever is alone under its name goes on with what an earlier process of that name, which has ended, still holds.
      ":same": `${owner}/`,
      ":until": until,
      ":now": now,
      ":most": now + FURTHEST_AHEAD,
      ":v": ITEM_VERSION,
      ":one": 1,
    },
    ReturnValues: "ALL_NEW",
  });
  const item = taken ?? (await readItem(table, key));
  return item.owner === me ? { item, held: { owner: me, fence: Number(item.fence), until } } : undefined;
}

/**
 * Leases of one source: of its surveys, and of the roles of its invocations. The state lives in the item of a survey's lease, so that every
 * state write is conditional on the fence; the tick's note likewise.
 */
export function createLeases(
  table: Table,
  source: string,
  now: () => number,
): Pick<State, "acquire" | "renew" | "saveState" | "release" | "takeRole" | "giveBackRole"> {
  const surveyItem = (surveyId: number): Item => ({ pk: surveyKey(source, surveyId), sk: MARK });
  const roleItem = (role: Role): Item => ({ pk: sourceKey(source), sk: roleKey(role) });
  const keyOf = (lease: Lease | RoleLease): Item =>
    "role" in lease ? roleItem(lease.role) : surveyItem(lease.surveyId);

  /** Sets an attribute under the fence; `back`: and gives the lease back. */
  async function fenced(lease: Lease | RoleLease, name: string, value: unknown, back = false): Promise<void> {
    const done = await updateIf(table, {
      Key: keyOf(lease),
      ConditionExpression: "#owner = :owner AND fence = :fence",
      UpdateExpression: `SET #name = :value${back ? " REMOVE #owner, #until" : ""}`,
      ExpressionAttributeNames: { "#owner": "owner", "#name": name, ...(back ? { "#until": "until" } : {}) },
      ExpressionAttributeValues: { ":owner": lease.owner, ":fence": lease.fence, ":value": value },
    });
    if (done !== undefined) return;
    // It may have been applied before: the item itself says.
    const { owner, fence } = await readItem(table, keyOf(lease));
    if (fence !== lease.fence || owner !== (back ? undefined : lease.owner)) throw leaseLost(lease);
  }

  /** The last write of the state under each lease. */
  const writing = new WeakMap<Lease, Promise<void>>();

  /** Writes one at a time, in the order in which they were begun: an older write must not come after a newer one. */
  function inOrder(lease: Lease, write: () => Promise<void>): Promise<void> {
    const before = writing.get(lease);
    const written = before === undefined ? write() : before.then(write, write);
    writing.set(lease, written);
    return written;
  }

  return {
    async acquire(surveyId, owner, duration) {
      const taken = await takeLease(table, surveyItem(surveyId), owner, now(), duration);
      if (taken === undefined) return undefined;
      return { surveyId, ...taken.held, state: stateOf(taken.item) };
    },
    async takeRole(role, owner, duration) {
      const taken = await takeLease(table, roleItem(role), owner, now(), duration);
      if (taken === undefined) return undefined;
      return { role, ...taken.held, note: (taken.item.note as RoleNote | undefined) ?? {} };
    },
    giveBackRole: (lease) => fenced(lease, "note", lease.note, true),
    async renew(lease, duration) {
      const until = now() + duration;
      await fenced(lease, "until", until);
      lease.until = until;
    },
    saveState: (lease, state) => inOrder(lease, () => fenced(lease, "mark", state)),
    release: (lease, state) => inOrder(lease, () => fenced(lease, "mark", state, true)),
  };
}
