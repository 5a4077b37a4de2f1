import * as z from "zod";
import { PollerError } from "../../errors.ts";

/** What a tick leaves to the worker: one slice of a survey's catch-up. */
export interface SliceMessage {
  source: string;
  surveyId: number;
  /** Epoch milliseconds at which the next tick begins. */
  until: number;
  /** The how many-th slice of the survey it is; absent where an older version has sent it. */
  number?: number | undefined;
}

/** The queue holds what no tick has written. */
export class SliceMessageError extends PollerError {
  readonly code = "BAD_MESSAGE";
}

// Loose: a newer tick may say more.
const messageSchema = z.looseObject({
  source: z.string(),
  surveyId: z.int().nonnegative(),
  until: z.number(),
  number: z.number().optional(),
});

/** @throws SliceMessageError */
export function readSliceMessage(body: string): SliceMessage {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    // No message of ours: refused below.
  }
  const parsed = messageSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new SliceMessageError("a message of the work queue is not one of the poller's", {
    hint: "Only the poller's own ticks write to this queue. The message moves to the dead-letter queue by itself.",
  });
}
