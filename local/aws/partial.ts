import { z } from "zod";
import type { Service } from "./services.ts";

/** How a batch request is carried out in part. */
export interface PartialPlan {
  /** The request with the failing entries taken out; absent when none is left. */
  body: Buffer | undefined;
  /** Puts the failures into the service's answer (of the reduced request, or of none). */
  merge(answer: Buffer | undefined): Buffer;
}

type Planner = (body: Buffer, random: () => number) => PartialPlan | "throttle";

const planners: Readonly<Partial<Record<Service, Readonly<Record<string, Planner>>>>> = {
  dynamodb: {
    BatchGetItem: (body, random) => planBatchGet(body, random),
    BatchWriteItem: (body, random) => planBatchWrite(body, random),
  },
  eventbridge: { PutEvents: (body, random) => planPutEvents(body, random) },
  s3: { DeleteObjects: (body, random) => planDeleteObjects(body, random) },
  sqs: {
    ChangeMessageVisibilityBatch: (body, random) => planQueueBatch(body, random),
    DeleteMessageBatch: (body, random) => planQueueBatch(body, random),
    SendMessageBatch: (body, random) => planQueueBatch(body, random),
  },
};

/**
 * Chooses which entries fail: at least one, and not all when there are several.
 *
 * @returns `throttle` where the service fails a batch as a whole instead; undefined for an operation without entries
 */
export function planPartial(
  service: Service,
  operation: string,
  body: Buffer,
  random: () => number,
): PartialPlan | "throttle" | undefined {
  return planners[service]?.[operation]?.(body, random);
}

function chooseFailing(count: number, random: () => number): Set<number> {
  const wanted = count < 2 ? count : 1 + Math.floor(random() * (count - 1));
  const left = Array.from({ length: count }, (_, index) => index);
  const failing = new Set<number>();
  while (failing.size < wanted) {
    const [index] = left.splice(Math.floor(random() * left.length), 1);
    if (index !== undefined) failing.add(index);
  }
  return failing;
}

function parse<T>(schema: z.ZodType<T>, body: Buffer | undefined, empty: string): T {
  return schema.parse(JSON.parse(body === undefined ? empty : body.toString("utf8")));
}

function toJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

const batchWrite = z.looseObject({ RequestItems: z.record(z.string(), z.array(z.unknown())) });
const batchWriteAnswer = z.looseObject({ UnprocessedItems: z.record(z.string(), z.array(z.unknown())).default({}) });

function planBatchWrite(body: Buffer, random: () => number): PartialPlan | "throttle" {
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

function planBatchGet(body: Buffer, random: () => number): PartialPlan | "throttle" {
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

const putEvents = z.looseObject({ Entries: z.array(z.unknown()) });
const putEventsAnswer = z.looseObject({ FailedEntryCount: z.number(), Entries: z.array(z.unknown()) });

function planPutEvents(body: Buffer, random: () => number): PartialPlan {
  const request = parse(putEvents, body, "{}");
  const failing = chooseFailing(request.Entries.length, random);
  const kept = request.Entries.filter((_, index) => !failing.has(index));
  return {
    body: kept.length === 0 ? undefined : toJson({ ...request, Entries: kept }),
    merge(answer) {
      const parsed = parse(putEventsAnswer, answer, '{"FailedEntryCount":0,"Entries":[]}');
      const done = parsed.Entries.values();
      // The two codes that AWS documents as worth a retry, so that both paths of a publisher are walked.
      const failures = [
        { ErrorCode: "ThrottlingException", ErrorMessage: "Rate exceeded" },
        { ErrorCode: "InternalFailure", ErrorMessage: "Unexpected failure" },
      ];
      const entries = request.Entries.map((_, index) =>
        failing.has(index) ? failures[index % failures.length] : done.next().value,
      );
      return toJson({ ...parsed, FailedEntryCount: parsed.FailedEntryCount + failing.size, Entries: entries });
    },
  };
}

const queueBatch = z.looseObject({ Entries: z.array(z.looseObject({ Id: z.string() })) });
const queueBatchAnswer = z.looseObject({
  Successful: z.array(z.unknown()).default([]),
  Failed: z.array(z.unknown()).default([]),
});

function planQueueBatch(body: Buffer, random: () => number): PartialPlan {
  const request = parse(queueBatch, body, "{}");
  const failing = chooseFailing(request.Entries.length, random);
  const kept = request.Entries.filter((_, index) => !failing.has(index));
  const failed = request.Entries.filter((_, index) => failing.has(index)).map(({ Id }) => ({
    Id,
    Code: "InternalError",
    Message: "Internal failure",
    SenderFault: false,
  }));
  return {
    body: kept.length === 0 ? undefined : toJson({ ...request, Entries: kept }),
    merge(answer) {
      const parsed = parse(queueBatchAnswer, answer, "{}");
      return toJson({ ...parsed, Failed: [...parsed.Failed, ...failed] });
    },
  };
}

function planDeleteObjects(body: Buffer, random: () => number): PartialPlan {
  const text = body.toString("utf8");
  const objects = [...text.matchAll(/<Object>[\s\S]*?<\/Object>/g)].map(([object]) => object);
  const failing = chooseFailing(objects.length, random);
  const failed = objects.filter((_, index) => failing.has(index));
  const errors = failed
    .map((object) => /<Key>[\s\S]*?<\/Key>/.exec(object)?.[0] ?? "")
    .map((key) => `<Error>${key}<Code>InternalError</Code><Message>Internal failure</Message></Error>`)
    .join("");
  const empty = '<?xml version="1.0" encoding="UTF-8"?><DeleteResult></DeleteResult>';
  return {
    body: failing.size === objects.length ? undefined : Buffer.from(without(text, failed)),
    merge: (answer) => Buffer.from(closeWith(answer?.toString("utf8") ?? empty, errors)),
  };
}

function without(text: string, parts: readonly string[]): string {
  return parts.reduce((rest, part) => rest.replace(part, () => ""), text);
}

function closeWith(xml: string, addition: string): string {
  const opened = xml.replace(/<DeleteResult([^>]*)\/>/, "<DeleteResult$1></DeleteResult>");
  return opened.replace("</DeleteResult>", () => `${addition}</DeleteResult>`);
}
