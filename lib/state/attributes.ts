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
  if (!(await updateItem(table, key, all, { once }))) throw otherVersion();
}

/** The conditions of an update beside the item's version. */
interface UpdateRules {
  once?: readonly string[];
  /** Further conditions, in which `#a<i>` is the attribute at place `i`, and the values that they name. */
  conditions?: readonly string[];
  values?: Item;
}

/** Sets attributes, of which the first one is the version; false where a condition failed. */
export async function updateItem(
  table: Table,
  key: Item,
  all: [string, unknown][],
  { once = [], conditions = [], values }: UpdateRules,
): Promise<boolean> {
  const shown = (name: string, i: number): string => (once.includes(name) ? `if_not_exists(#a${i}, :a${i})` : `:a${i}`);
  const updated = await updateIf(table, {
    Key: key,
    // What another version has written is left alone.
    ConditionExpression: ["(attribute_not_exists(#a0) OR #a0 = :a0)", ...conditions].join(" AND "),
    UpdateExpression: `SET ${all.map(([name], i) => `#a${i} = ${shown(name, i)}`).join(", ")}`,
    ExpressionAttributeNames: Object.fromEntries(all.map(([name], i) => [`#a${i}`, name])),
    ExpressionAttributeValues: { ...Object.fromEntries(all.map(([, value], i) => [`:a${i}`, value])), ...values },
  });
  return updated !== undefined;
}
