import * as z from "zod";
import { formats } from "./formats.ts";

const file = z.strictObject({
  format: z.enum(formats),
  type: z.string().nullable().describe("Null where all types are in it"),
  path: z.string().describe("Below contract/ of the package"),
  bytes: z.int(),
});

/** The output of `contract --list --json`, beside `schemaVersion`. */
export const contractList = z.strictObject({ files: z.array(file) });

/** The output of `contract --format … --json`: the text where it was not written to a file. */
export const contractAnswer = z.strictObject({
  files: z.array(file.extend({ text: z.string().nullable(), out: z.string().nullable() })),
});

export type ContractList = z.infer<typeof contractList>;
export type ContractAnswer = z.infer<typeof contractAnswer>;
