import * as z from "zod";

/** A line of `tail --json`: the event's envelope as EventBridge delivers it, beside `schemaVersion`. `detail` is the contract's. */
export const tailAnswer = z.looseObject({
  "detail-type": z.string(),
  source: z.string(),
  detail: z.looseObject({ meta: z.looseObject({}), data: z.looseObject({}) }),
});
