import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AttributeValue, ConditionalCheckFailedException, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { LedgerEntry } from "../../lib/polling/model/ledger-entry.ts";
import { pollSources } from "../../lib/run/poll-sources.ts";
import { createDynamoState } from "../../lib/state/dynamo-state.ts";
import { useAws } from "../lib/support/aws.ts";
import { memoryGraph } from "../lib/support/graph.ts";
import { memoryLog } from "../lib/support/log.ts";
import { at, deliveredIds, HOUR, recordsOf, worldWith } from "../support/survey.ts";

const test = useAws();
const page = readFileSync(join(import.meta.dirname, "../../docs/security.md"), "utf8");

/** What follows a flag of the only `aws` command of the page that has this text in it, in single quotes. */
function flag(text: string, name: string): string {
  const commands = page.split(/^aws /m).filter((command) => command.split("```")[0]?.includes(text));
  expect(commands).toHaveLength(1);
  return new RegExp(`--${name} '([^']*)'`).exec(commands[0] ?? "")?.[1] ?? "";
}

/** The command that settles a response, as the page has it. */
async function forget(source: string, responseId: number): Promise<void> {
  const command = "SET #state = :settled";
  await test.clients.dynamodb.send(
    new UpdateItemCommand({
      TableName: test.table,
      Key: { pk: { S: `SURVEY#${source}#1` }, sk: { S: `RESPONSE#${responseId}` } },
      ConditionExpression: flag(command, "condition-expression"),
      UpdateExpression: flag(command, "update-expression"),
      ExpressionAttributeNames: JSON.parse(flag(command, "expression-attribute-names")) as Record<string, string>,
      ExpressionAttributeValues: JSON.parse(flag(command, "expression-attribute-values")) as Record<
        string,
        AttributeValue
      >,
    }),
  );
}

/** Two responses that the service lists, both waiting with what was kept of them, and a tick over them. */
async function twoWaiting() {
  const name = `s${randomUUID().slice(0, 8)}`;
  const responses = [1, 2].map((responseId) => ({ responseId, completed: at(0) }));
  const world = worldWith(responses);
  const state = createDynamoState({ client: test.clients.dynamodb, name: test.table }, name);
  await state.putEntries(
    1,
    responses.map((response) => ({
      id: response.responseId,
      state: "waiting" as const,
      reason: "metrics:absent",
      firstSeen: world.time.now,
      attempts: 1,
      nextCheck: world.time.now,
      kept: { records: recordsOf({ ...response, fields: { comment: "jane@example.com" } }), details: {} },
    })),
  );
  const graph = memoryGraph({ ports: { ...world.ports, state } }, { name });
  return {
    name,
    world,
    tick: () => pollSources({ graphs: [graph], owner: "o", remaining: () => 60_000, logger: memoryLog() }),
    put: (entry: LedgerEntry) => state.putEntries(1, [entry]),
    item: async (responseId: number) => {
      const Key = { pk: `SURVEY#${name}#1`, sk: `RESPONSE#${responseId}` };
      return (await test.clients.dynamodb.send(new GetCommand({ TableName: test.table, Key }))).Item;
    },
  };
}

describe("the command that forgets a response", () => {
  it("leaves an item without contents, and no tick emits the response although it is listed", async () => {
    const { name, world, tick, item } = await twoWaiting();
    expect(JSON.stringify(await item(1))).toContain("jane@example.com");

    await forget(name, 1);
    await tick();
    world.time.now += HOUR;
    await tick();

    expect(deliveredIds(world)).toEqual([2]);
    const left = { pk: `SURVEY#${name}#1`, sk: "RESPONSE#1", v: 1, state: "before-floor" };
    expect(await item(1)).toEqual({ ...left, firstSeen: expect.any(Number) });
  });

  it("settles one that is held, too", async () => {
    const { name, item, put } = await twoWaiting();
    await put({ id: 3, state: "held", reason: "records-apart", firstSeen: 1, attempts: 1, nextCheck: 1 });

    await forget(name, 3);

    const left = { pk: `SURVEY#${name}#1`, sk: "RESPONSE#3", v: 1, state: "before-floor", firstSeen: 1 };
    expect(await item(3)).toEqual(left);
  });

  it("refuses one that went out, whose item has no contents", async () => {
    const { name, tick, item } = await twoWaiting();
    await tick();
    await expect(forget(name, 1)).rejects.toBeInstanceOf(ConditionalCheckFailedException);
    expect(await item(1)).toMatchObject({ state: "emitted" });
    expect(JSON.stringify(await item(1))).not.toContain("jane@example.com");
  });
});
