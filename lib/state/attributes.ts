import { ITEM_VERSION, otherVersion } from "./item-version.ts";
import { type Item, type Table, updateIf } from "./table-client.ts";

/** Sets attributes of one item of any kind, but not over another version; those of `once` only where there are none. */
export async function setAttributes(
  table: Table,
  key: Item,
  attributes: [string, unknown][],
  once: readonly string[] = [],
): Promise<void> {
  const all: [string, unknown][] = [["v", ITEM_VERSION], ...attributes.filter(([, value]) => value !== undefined)];
  const shown = (name: string, i: number): string => (once.includes(name) ? `if_not_exists(#a${i}, :a${i})` : `:a${i}`);
  const updated = await updateIf(table, {
    Key: key,
    // What another version has written is left alone.
    ConditionExpression: "attribute_not_exists(#a0) OR #a0 = :a0",
    UpdateExpression: `SET ${all.map(([name], i) => `#a${i} = ${shown(name, i)}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(all.map(([name], i) => [`#a${i}`, name])),
    ExpressionAttributeValues: Object.fromEntries(all.map(([, value], i) => [`:a${i}`, value])),
  });
  if (updated === undefined) throw otherVersion();
}
