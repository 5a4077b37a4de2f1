import { describeFailure } from "../../../lib/monitoring/log.ts";
import { probe } from "../../../lib/operator/probe/probe.ts";
import { type CheckLine, notSeen, type ProbeReport, QUESTIONS } from "../../../lib/operator/probe/report.ts";
import { type Credentials, createSurveyApi } from "../../../lib/survey-api/index.ts";
import { credentialVariables, givenCredentials } from "../../credentials/given.ts";
import { UsageError } from "../../errors.ts";
import type { Io } from "../../io.ts";
import type { Target } from "../../target/target.ts";
import { fail, ok, warn } from "./checks.ts";

/** The output of `doctor --json`, beside `schemaVersion`. */
export interface DoctorAnswer {
  /** The stack or data folder; null where only a service was looked at. */
  poller: string | null;
  /** Of the poller itself. */
  checks: CheckLine[];
  services: ServiceAnswer[];
  /** Made to survey services for it. */
  requests: number;
}

export interface ServiceAnswer extends ProbeReport {
  source: string | null;
}

/**
 * Credentials of the environment, or of whoever sits at the terminal; never of a pipe, which may not end.
 *
 * @throws UsageError where nobody can be asked for them
 */
export async function credentialsFor(secretId: string, io: Io): Promise<Credentials> {
  const isNone = Object.keys(credentialVariables(undefined, io.environment)).length === 0;
  if (isNone && !io.isInteractive) {
    const hint = "Set SURVEY_CLIENT_ID and SURVEY_CLIENT_SECRET; in a terminal they are asked for.";
    throw new UsageError("there are no credentials for the service", { hint });
  }
  return (await givenCredentials({ source: undefined, secretId }, io)).credentials;
}

/** Somebody waits for it. */
const TIMEOUTS = { connect: 5_000, headers: 15_000, body: 15_000, call: 30_000 };
const LONGEST_PAUSE = 20_000;

/** Looks at a service that no poller knows yet, with tokens of its own. */
export async function lookAtService(
  { baseUrl, credentials }: { baseUrl: string; credentials: Credentials },
  io: Pick<Io, "environment" | "signal" | "now">,
): Promise<ServiceAnswer> {
  const proxy = io.environment.SURVEY_PROXY;
  const create = () =>
    createSurveyApi({
      baseUrl,
      credentials,
      timeouts: TIMEOUTS,
      retry: { longestPause: LONGEST_PAUSE },
      ...(proxy === undefined ? {} : { proxy }),
    });
  const [api, another] = [create(), create()];
  try {
    return { source: null, ...(await probe({ api, another, signal: io.signal, now: io.now })) };
  } finally {
    await Promise.all([api.close(), another.close()]);
  }
}

/** Has the function of a poller look at the service of a source: a function that does not answer is a check that has failed. */
export async function lookByFunction(
  target: Target,
  source: string,
  timeZone: string | undefined,
): Promise<ServiceAnswer> {
  try {
    const report = await target.operate(source, "probe", {});
    const checks = [ok("function", "answers"), ...report.checks];
    return timeZone === undefined
      ? { source, ...report, checks }
      : { source, ...report, checks: [...checks, ...zoneCheck(timeZone, report)], suggests: withoutZone(report) };
  } catch (error) {
    const { code, message, hint } = describeFailure(error);
    return {
      source,
      checks: [fail("function", message, hint, code)],
      findings: QUESTIONS.map((question) => notSeen(question, "the function does not answer")),
      suggests: { config: {}, notes: [] },
      zones: [],
      requests: 0,
      surveyId: null,
    };
  }
}

/** Whether the zone that is configured is one in which the service's dates may be. */
function zoneCheck(timeZone: string, { zones }: ProbeReport): CheckLine[] {
  if (zones.length === 0) return [];
  if (zones.some((zone) => isSameClock(zone, timeZone)))
    return [ok("timeZone", `${timeZone} fits the service's dates`)];
  const todo = `Set one that fits, such as ${zones[0]}, and deploy.`;
  return [warn("timeZone", `${timeZone} does not fit the service's dates`, todo)];
}

/** There is one already. */
function withoutZone({ suggests }: ProbeReport): ProbeReport["suggests"] {
  return { config: {}, notes: suggests.notes.filter((note) => !note.includes("`timeZone`")) };
}

/** Zones have names of old and of new: Asia/Calcutta is Asia/Kolkata. */
function isSameClock(one: string, other: string): boolean {
  const [first, second] = [one, other].map(
    (timeZone) => new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" }),
  );
  const instants = Array.from({ length: 48 }, (_, i) => Date.UTC(2024, i, 1));
  return instants.every((at) => first?.format(at) === second?.format(at));
}
