import { z } from "zod";
import { chooseFailing, type PartialPlan, parse, toJson } from "./partial-plan.ts";

const putEvents = z.looseObject({ Entries: z.array(z.unknown()) });
const putEventsAnswer = z.looseObject({ FailedEntryCount: z.number(), Entries: z.array(z.unknown()) });

export function planPutEvents(body: Buffer, random: () => number): PartialPlan {
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

export function planQueueBatch(body: Buffer, random: () => number): PartialPlan {
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

export function planDeleteObjects(body: Buffer, random: () => number): PartialPlan {
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
