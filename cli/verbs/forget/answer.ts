import * as z from "zod";

/** The output of `forget --json`, beside `schemaVersion`. */
export const forgetAnswer = z.strictObject({
  dryRun: z.boolean(),
  id: z.union([z.int(), z.string()]),
  source: z.string().nullable(),
  surveyId: z.int().nullable().describe("Null where no ledger knows the response"),
  name: z.string().nullable(),
  state: z.string().nullable().describe("In which it was"),
  held: z
    .strictObject({
      entry: z.array(z.string()).describe("Fields of its entry in the table that go"),
      mark: z.array(z.string()).describe("Parts of the survey's mark that name it"),
      objects: z.array(z.string()).describe("Keys of objects in the bucket"),
    })
    .describe("What is held of it beside the settled entry: in a dry run now, else before it was forgotten"),
  stays: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The entry that is left, so that it never goes out again"),
  records: z
    .int()
    .describe("Single records of the survey that belong to nobody knows which response: they may be of it"),
  elsewhere: z
    .array(
      z.strictObject({
        where: z.string(),
        what: z.string(),
        until: z.int().nullable().describe("Epoch milliseconds by which it is gone at the latest, where that is known"),
      }),
    )
    .describe("What this command cannot purge"),
});

export type ForgetAnswer = z.infer<typeof forgetAnswer>;
