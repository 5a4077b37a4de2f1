import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import type { State, SurveyRow } from "../../../lib/polling/index.ts";
import { createDynamoState } from "../../../lib/state/dynamo-state.ts";
import { ITEM_VERSION } from "../../../lib/state/item-version.ts";
import { createShared, type Shared } from "../../../lib/state/shared.ts";
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
      : source.matchAll(/^ {2}(?:readonly )?\w+\??: .*;$|^ {2}\| (?!\{ kind:).*$|^export type .*$/gm);
    return [...fields].map(([field]) => `${file}: ${field.replaceAll(/\s+/g, " ").trim()}`);
  });
}

// R27: whoever changes the form of an item raises `ITEM_VERSION`, and writes down here what it is by then. A field that only goes needs no new version, nor does one that may be absent and that older code can do without.
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

const never = { at: Number.POSITIVE_INFINITY, every: 1, triedAt: 0 };
const rest = { recheck: never, rescan: never, "full read": never };
const row: SurveyRow = { counts: [1, 1, 1], polledAt: 0, workedAt: 0, rest };
type Parts = { state: State; shared: Shared };
const uses: [string, string, (of: Parts) => Promise<unknown>][] = [
  ["account", "ACCOUNT", ({ state }) => state.account()],
  ["saveAccount", "ACCOUNT", ({ state }) => state.saveAccount({ overdrawn: 1 })],
  ["account", "COUNTS#0", ({ state }) => state.account()],
  ["saveRows", "COUNTS#0", ({ state }) => state.saveRows(new Map([[7, row]]))],
  ["account", "SHARED", ({ state }) => state.account()],
  ["pause", "SHARED", ({ shared }) => shared.pause(2_000)],
  ["saveLearned", "SHARED", ({ shared }) => shared.saveLearned({ at: 1 })],
  ["renewToken", "ROLE#token", ({ shared }) => shared.renewToken({ ask: async () => "token", look: nothing })],
  ["takeRole", "ROLE#tick", ({ state }) => state.takeRole("tick", "me", 1_000)],
  ["acquire", "MARK", ({ state }) => state.acquire(7, "me", 1_000)],
  ["entries", "RESPONSE#9", ({ state }) => state.entries(7, [9])],
  ["due", "RESPONSE#9", ({ state }) => state.due(7, "open", 9, 9)],
];
const nothing = async (): Promise<undefined> => undefined;

it.each(uses)(
  "%s refuses an item %s of another version, says what to do, and leaves it as it was",
  async (_name, sk, use) => {
    for (const [v, hint] of [
      [1, /earlier version.*remove the table.*`startFrom`|newer version/],
      [99, /newer version/],
    ] as const) {
      const source = randomUUID();
      const survey = `SURVEY#${source}#7`;
      const key = { pk: /^(MARK|RESPONSE)/.test(sk) ? survey : `SOURCE#${source}`, sk };
      const item = { ...key, v, fence: 1, state: "open", due: `${survey}#open`, dueAt: 1 };
      await put(item);
      const now = () => 1_000;
      const state = createDynamoState(table(), source, now);
      const shared = createShared(table(), source, { now, sleep: nothing });
      const refused = { code: "STATE_REFUSED", hint: expect.stringMatching(hint) };
      await expect(use({ state, shared })).rejects.toMatchObject(refused);
      const { Item } = await test.clients.dynamodb.send(new GetCommand({ TableName: test.table, Key: key }));
      expect(Item).toEqual(item);
    }
  },
);
