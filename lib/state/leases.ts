import { randomUUID } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import {
  emptyMark,
  type Lease,
  leaseLost,
  type Mark,
  type Role,
  type RoleLease,
  type RoleNote,
  type State,
} from "../polling/index.ts";
import { checkVersion, ITEM_VERSION } from "./item-version.ts";
import { MARK, roleKey, sourceKey, surveyKey } from "./keys.ts";
import type { Item, Table } from "./table-client.ts";

/** Milliseconds: leases are far shorter, and clocks differ by less. */
const FURTHEST_AHEAD = 300_000;

/**
 * Leases of one source: of its surveys, and of the roles of its invocations. The mark lives in the item of a survey's lease, so that every mark
 * write is conditional on the fence; the tick's note likewise.
 */
export type Leases = Pick<State, "acquire" | "renew" | "saveMark" | "release" | "takeRole" | "giveBackRole">;

/** The mark of a survey, without taking its lease: for people to look at. */
export async function readMark(table: Table, source: string, surveyId: number): Promise<Mark> {
  const key = { pk: surveyKey(source, surveyId), sk: MARK };
  const answer = await table.client.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
  return (checkVersion(answer.Item ?? {}).mark as Mark | undefined) ?? emptyMark();
}

/** A lease that was taken, and the item in which it stands. */
interface Taken {
  item: Item;
  held: Pick<Lease, "owner" | "fence" | "until">;
}

export function createLeases(table: Table, source: string, now: () => number): Leases {
  const surveyItem = (surveyId: number): Item => ({ pk: surveyKey(source, surveyId), sk: MARK });
  const roleItem = (role: Role): Item => ({ pk: sourceKey(source), sk: roleKey(role) });
  const keyOf = (lease: Lease | RoleLease): Item =>
    "role" in lease ? roleItem(lease.role) : surveyItem(lease.surveyId);

  async function read(key: Item): Promise<Item> {
    const answer = await table.client.send(new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true }));
    return checkVersion(answer.Item ?? {});
  }

  /** False when the condition failed. The SDK's own retry of a write that did apply fails too: see `stillMine`. */
  async function update(input: Omit<UpdateCommandInput, "TableName">): Promise<Item | undefined> {
    try {
      const answer = await table.client.send(new UpdateCommand({ TableName: table.name, ...input }));
      return answer.Attributes ?? {};
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }

  /** A write under the fence. When its condition fails, the item itself says whether it had been applied before. */
  async function fenced(
    lease: Lease | RoleLease,
    input: Partial<UpdateCommandInput>,
    applied: (item: Item) => boolean,
  ): Promise<void> {
    const done = await update({
      Key: keyOf(lease),
      ConditionExpression: "#owner = :owner AND fence = :fence",
      ...input,
      ExpressionAttributeNames: { "#owner": "owner", ...input.ExpressionAttributeNames },
      ExpressionAttributeValues: { ":owner": lease.owner, ":fence": lease.fence, ...input.ExpressionAttributeValues },
    });
    if (done !== undefined || applied(await read(keyOf(lease)))) return;
    throw leaseLost(lease);
  }

  /** Takes the lease in an item; undefined while someone else holds it. */
  async function take(key: Item, owner: string, duration: number): Promise<Taken | undefined> {
    // Unique for each taking, so that a re-read can tell this one from any other.
    const me = `${owner}/${randomUUID()}`;
    const until = now() + duration;
    const taken = await update({
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
        ":now": now(),
        ":most": now() + FURTHEST_AHEAD,
        ":v": ITEM_VERSION,
        ":one": 1,
      },
      ReturnValues: "ALL_NEW",
    });
    const item = taken ?? (await read(key));
    return item.owner === me ? { item, held: { owner: me, fence: Number(item.fence), until } } : undefined;
  }

  /** The last write of the mark under each lease. */
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
      const taken = await take(surveyItem(surveyId), owner, duration);
      if (taken === undefined) return undefined;
      return { surveyId, ...taken.held, mark: (taken.item.mark as Mark | undefined) ?? emptyMark() };
    },
    async takeRole(role, owner, duration) {
      const taken = await take(roleItem(role), owner, duration);
      if (taken === undefined) return undefined;
      return { role, ...taken.held, note: (taken.item.note as RoleNote | undefined) ?? {} };
    },
    giveBackRole: (lease) =>
      fenced(
        lease,
        {
          UpdateExpression: "SET note = :note REMOVE #owner, #until",
          ExpressionAttributeNames: { "#until": "until" },
          ExpressionAttributeValues: { ":note": lease.note },
        },
        (item) => item.owner === undefined && item.fence === lease.fence,
      ),
    async renew(lease, duration) {
      const until = now() + duration;
      await fenced(
        lease,
        {
          UpdateExpression: "SET #until = :until",
          ExpressionAttributeNames: { "#until": "until" },
          ExpressionAttributeValues: { ":until": until },
        },
        (item) => item.owner === lease.owner && item.fence === lease.fence,
      );
      lease.until = until;
    },
    saveMark: (lease, mark) =>
      inOrder(lease, () =>
        fenced(
          lease,
          { UpdateExpression: "SET mark = :mark", ExpressionAttributeValues: { ":mark": mark } },
          (item) => item.owner === lease.owner && item.fence === lease.fence,
        ),
      ),
    release: (lease, mark) =>
      inOrder(lease, () =>
        fenced(
          lease,
          {
            UpdateExpression: "SET mark = :mark REMOVE #owner, #until",
            ExpressionAttributeNames: { "#until": "until" },
            ExpressionAttributeValues: { ":mark": mark },
          },
          (item) => item.owner === undefined && item.fence === lease.fence,
        ),
      ),
  };
}
