import { z } from "zod";
import { chooseFailing, type PartialPlan, parse, toJson } from "./partial-plan.ts";

const batchWrite = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const batchWriteAnswer = z.looseObject({ UnprocessedItems: z.record(z.string(), z.array(z.unknown())).default({}) });

export function planBatchWrite(body: Buffer, random: () => number): PartialPlan | "throttle" {
  const request = parse(batchWrite, body, "{}");
  const split = splitTables(request.RequestItems, random);
  if (split === undefined) return "throttle";
  return {
    body: toJson({ ...request, RequestItems: split.kept }),
    merge(answer) {
      const parsed = parse(batchWriteAnswer, answer, "{}");
      return toJson({ ...parsed, UnprocessedItems: joinTables(parsed.UnprocessedItems, split.failed) });
    },
  };
}

const tableKeys = z.looseObject({ Keys: z.array(z.unknown()) });
const batchGet = z.looseObject({ RequestItems: z.record(z.string(), tableKeys) });
const batchGetAnswer = z.looseObject({ UnprocessedKeys: z.record(z.string(), tableKeys).default({}) });

export function planBatchGet(body: Buffer, random: () => number): PartialPlan | "throttle" {
  const request = parse(batchGet, body, "{}");
  const split = splitTables(
    Object.fromEntries(Object.entries(request.RequestItems).map(([table, { Keys }]) => [table, Keys])),
    random,
  );
  if (split === undefined) return "throttle";
  const withOptions = (keys: Record<string, unknown[]>) =>
    Object.fromEntries(
      Object.entries(keys).map(([table, Keys]) => [table, { ...request.RequestItems[table], Keys }] as const),
    );
  return {
    body: toJson({ ...request, RequestItems: withOptions(split.kept) }),
    merge(answer) {
      const parsed = parse(batchGetAnswer, answer, "{}");
      const before = Object.fromEntries(
        Object.entries(parsed.UnprocessedKeys).map(([table, { Keys }]) => [table, Keys]),
      );
      return toJson({ ...parsed, UnprocessedKeys: withOptions(joinTables(before, split.failed)) });
    },
  };
}

/** Undefined when nothing would be left: DynamoDB then fails the whole call as throttled. */
function splitTables(tables: Record<string, unknown[]>, random: () => number) {
  const flat = Object.entries(tables).flatMap(([table, items]) => items.map((item) => ({ table, item })));
  const failing = chooseFailing(flat.length, random);
  if (failing.size === flat.length) return undefined;
  const kept: Record<string, unknown[]> = {};
  const failed: Record<string, unknown[]> = {};
  for (const [index, { table, item }] of flat.entries()) {
    const side = failing.has(index) ? failed : kept;
    side[table] = [...(side[table] ?? []), item];
  }
  return { kept, failed };
}

function joinTables(one: Record<string, unknown[]>, other: Record<string, unknown[]>): Record<string, unknown[]> {
  const joined = { ...one };
  for (const [table, items] of Object.entries(other)) joined[table] = [...(joined[table] ?? []), ...items];
  return joined;
}
