import { z } from "zod";
import type { EventEnvelope } from "../../../lib/events/envelope.ts";
import { ACCOUNT, REGION } from "../services.ts";

/** One event of a PutEvents request. Fields for which a single entry fails are optional here. */
export const putEventsEntry = z.looseObject({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  /** JSON text. */
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  /** Epoch seconds, with fractions. */
  Time: z.number().optional(),
});
export type PutEventsEntry = z.infer<typeof putEventsEntry>;

export type { EventEnvelope };

/** @param now epoch milliseconds, used when the entry has no time of its own */
export function toEnvelope(
  entry: PutEventsEntry,
  detail: Record<string, unknown>,
  id: string,
  now: number,
): EventEnvelope {
  const milliseconds = entry.Time === undefined ? now : entry.Time * 1000;
  return {
    version: "0",
    id,
    "detail-type": entry.DetailType ?? "",
    source: entry.Source ?? "",
    account: ACCOUNT,
    time: `${new Date(milliseconds).toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: entry.Resources ?? [],
    detail,
  };
}
