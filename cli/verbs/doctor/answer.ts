import * as z from "zod";
import { checkLine, probeReport } from "../../../lib/operator/probe/report.ts";

/** The output of `doctor --json`, beside `schemaVersion`. */
export const doctorAnswer = z.strictObject({
  poller: z.string().nullable().describe("The stack or data folder; null where only a service was looked at"),
  checks: z.array(checkLine).describe("Of the poller itself"),
  services: z.array(z.strictObject({ source: z.string().nullable(), ...probeReport.shape })),
  requests: z.int().describe("Made to survey services for it"),
});

export type DoctorAnswer = z.infer<typeof doctorAnswer>;
export type ServiceAnswer = DoctorAnswer["services"][number];
