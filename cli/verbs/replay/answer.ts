import * as z from "zod";
import { resentItem } from "../resend/answer.ts";

const stretch = {
  from: z.int().describe("Epoch milliseconds"),
  to: z.int().describe("Epoch milliseconds"),
};

const archive = z
  .strictObject({
    name: z.string().nullable().describe("Null in a dry run without --name"),
    archive: z.string().describe("ARN"),
    bus: z.string().describe("ARN"),
    rule: z.string().nullable().describe("ARN of the only rule that gets the events; null: all of them"),
    state: z.string().nullable().describe("As EventBridge names it; null before it was started"),
    reason: z.string().nullable(),
    lastReplayed: z.int().nullable().describe("Time of the event replayed last (epoch milliseconds)"),
  })
  .describe("A replay of the archive by EventBridge");

/** The output of `replay --json`, beside `schemaVersion`. */
export const replayAnswer = z.strictObject({
  dryRun: z.boolean(),
  sentence: z.string(),
  next: z.string().nullable(),
  by: z.enum(["archive", "ledger"]).describe("ledger: each event is made anew and sent again"),
  ...stretch,
  events: z.int().describe("Last events of responses that were emitted then, by the ledger"),
  archive: archive.nullable(),
  items: z.array(resentItem).nullable().describe("What became of each event, where they were sent again"),
});

/** The output of `replay --watch NAME` and `replay --cancel NAME`, beside `schemaVersion`. */
export const replayStateAnswer = z.strictObject({
  sentence: z.string(),
  replay: archive.extend({ ...stretch }),
});

export type ReplayAnswer = z.infer<typeof replayAnswer>;
export type ArchiveReplay = z.infer<typeof archive>;
export type ReplayState = z.infer<typeof replayStateAnswer>["replay"];
