import type { Credentials } from "../../../lib/survey-api/index.ts";
import { CommandError, exitOf, InterruptedError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import { credentialsFor } from "../doctor/credentials-for.ts";
import { lookAtService } from "../doctor/service.ts";

export interface Checked {
  credentials: Credentials;
  /** Of the service's dates, where it is known. */
  timeZone: string | undefined;
  notes: string[];
}

/**
 * Looks at the service as doctor does.
 *
 * @throws CommandError where it fails, or does not take the credentials
 */
export async function checkService(baseUrl: string, io: Io): Promise<Checked> {
  const credentials = await credentialsFor(baseUrl, io);
  io.say("Looking at the service, as `survey-poller doctor` does …");
  const { checks, suggests } = await lookAtService({ baseUrl, credentials }, io);
  if (io.signal.aborted) throw new InterruptedError();
  const failed = checks.find(({ state }) => state === "fail");
  if (failed !== undefined) {
    const { code, says, todo } = failed;
    const hint = `${todo ?? ""} Nothing was written. --no-check leaves this out.`.trim();
    const next = `survey-poller doctor --base-url ${baseUrl}`;
    throw new CommandError(code ?? "CHECK_FAILED", says, { hint, next }, exitOf(code ?? ""));
  }
  for (const { check, says, todo } of checks.filter(({ state }) => state === "warn")) {
    io.say(`${check}: ${says}. ${todo ?? ""}`.trim());
  }
  const { timeZone } = suggests.config;
  return {
    credentials,
    timeZone: typeof timeZone === "string" ? timeZone : undefined,
    notes: suggests.notes,
  };
}
