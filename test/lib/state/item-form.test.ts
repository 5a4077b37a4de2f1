import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { ITEM_VERSION } from "../../../lib/state/item-version.ts";
import { useAws } from "../support/aws.ts";
import fixture from "./items.v4.json" with { type: "json" };

const test = useAws();
const { items } = fixture;
const table = () => ({ client: test.clients.dynamodb, name: test.table });
const put = (Item: object) => test.clients.dynamodb.send(new PutCommand({ TableName: test.table, Item }));

/** Files that say which fields stored items have. */
const FORMS = ["survey-state", "books", "ledger-entry", "account", "source"].map((name) => `polling/model/${name}`);

/** The fields of the types in these files, without comments and code. */
function fieldsNow(): string[] {
  return [...FORMS, "state/rows"].flatMap((file) => {
    const source = readFileSync(join(import.meta.dirname, `../../../lib/${file}.ts`), "utf8").replaceAll(
      /\/\*[\s\S]*?\*\//g,
      "",
    );
    const isRows = file === "state/rows";
    const fields = isRows
      ? source.matchAll(/const \[[^\]]*\] = (?:list|rest|more);|return \[\.\.\.counts[^;]*;/g)
      : source.matchAll(/^ {2}(?:readonly )?\w+\??: .*;$|^ {2}\| .*$|^export type .*$/gm);
    return [...fields].map(([field]) => `${file}: ${field.replaceAll(/\s+/g, " ").trim()}`);
  });
}

// R27: whoever changes the form of an item raises `ITEM_VERSION`, and writes down here what it is by then. A field that only goes needs no new version: nobody reads it.
it("the form of stored items is that of their version", () => {
  const digest = createHash("sha256").update(fieldsNow().join("\n")).digest("hex").slice(0, 16);
  expect(fieldsNow().length).toBeGreaterThan(100);
  expect({ version: ITEM_VERSION, form: digest }).toEqual({ version: fixture.version, form: fixture.form });
});

it("items of this version are read as they were written", async () => {
  for (const item of Object.values(items)) await put(item);
  const state = createDynamoState(table(), "main", () => 1_000);
  expect((await state.acquire(7, "me", 1_000))?.state).toEqual(items.mark.mark);
  const { pk, sk, v, ...entry } = items.entry;
  expect((await state.entries(7, [9])).get(9)).toEqual({ id: 9, ...entry });
  const { rows, ...account } = await state.account();
  expect(account).toEqual({ firstTick: 1, service: "s", outages: { metrics: 5 }, scattered: 6 });
  expect(rows.get(7)).toMatchObject({
    counts: [5, 4, 3],
    dueAt: 20,
    isBehind: true,
    known: 77,
    counted: { shown: 99, at: 6 },
  });
});

it("those of an earlier one are refused before anything is written, with what to do", async () => {
  for (const item of Object.values(items)) await put({ ...item, pk: item.pk.replace("main", "old"), v: 1 });
  const role = { pk: "SOURCE#old", sk: "ROLE#tick" };
  await put({ ...role, v: 1, fence: 1 });
  const state = createDynamoState(table(), "old", () => 1_000);
  const refused = {
    code: "STATE_REFUSED",
    hint: expect.stringMatching(/earlier version.*remove the table.*`startFrom`/),
  };
  const { client, name } = table();
  await expect(state.takeRole("tick", "me", 1_000)).rejects.toMatchObject(refused);
  await expect(state.account()).rejects.toMatchObject(refused);
  await expect(state.acquire(7, "me", 1_000)).rejects.toMatchObject(refused);
  await expect(state.entries(7, [9])).rejects.toMatchObject(refused);
  // The earlier version finds its own as it was.
  const again = new UpdateCommand({
    TableName: name,
    Key: role,
    UpdateExpression: "SET fence = fence",
    ReturnValues: "ALL_NEW",
  });
  expect((await client.send(again)).Attributes).toEqual({ ...role, v: 1, fence: 1 });
});
