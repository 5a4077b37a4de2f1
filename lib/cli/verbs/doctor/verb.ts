import { Option } from "@commander-js/extra-typings";
import { describeFailure } from "../../../monitoring/log.ts";
import { type CheckLine, fail, findingOf, ok, QUESTIONS } from "../../../operator/probe/look.ts";
import { type ProbeReport, probe } from "../../../operator/probe/probe.ts";
import { baseUrlProblem } from "../../../survey-api/base-url.ts";
import { type Credentials, createSurveyApi } from "../../../survey-api/index.ts";
import { EXIT, exitOf, InterruptedError, UsageError } from "../../errors.ts";
import { credentialVariables, givenCredentials } from "../../given-credentials.ts";
import type { Io } from "../../io.ts";
import { type Flags, openTarget } from "../../target/open-target.ts";
import { sourcesOf, type Target } from "../../target/target.ts";
import { targetVerb, type Verb } from "../../verb.ts";
import { count } from "../../words.ts";
import { sumOf } from "../status/answer.ts";
import { createStackLooks, runChecks } from "./checks.ts";

const HELP = `
With --base-url nothing needs to be deployed: credentials are those of SURVEY_CLIENT_ID and
SURVEY_CLIENT_SECRET, or are asked for. It asks for two tokens then.
Exit code 4: credentials. 5: status says that something is unaccounted for, or does not go out. 3: the
service cannot be reached now, or asks to be left alone. 1: anything else fails. A warning is no failure.

Examples:
  survey-poller doctor --base-url https://surveys.example.com
  survey-poller doctor --stack SurveyPoller
  survey-poller doctor --data .survey-poller`;

export const doctorVerb: Verb = (act) =>
  targetVerb("doctor", "checks all that can be checked, and says what the survey service does", HELP)
    .option("--source <name>", "only this source")
    .addOption(
      new Option("--base-url <url>", "look at this survey service alone").conflicts(["stack", "data", "source"]),
    )
    .action((options) =>
      act(options, async (io) => {
        const { baseUrl } = options;
        const data = baseUrl === undefined ? await examine(options, io) : await examineService(baseUrl, io);
        if (io.signal.aborted) throw new InterruptedError();
        return { data, text: doctorText(data, io), exit: exitOfAll(data) };
      }),
    );

async function examineService(baseUrl: string, io: Io): Promise<DoctorAnswer> {
  const problem = baseUrlProblem(baseUrl);
  const hint = "See survey-poller doctor --help.";
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint });
  const credentials = await credentialsFor(baseUrl, io);
  const service = await lookAtService({ baseUrl, credentials }, io);
  return { poller: null, checks: [], services: [service], requests: service.requests };
}

async function examine(options: Flags, io: Io): Promise<DoctorAnswer> {
  await using target = await openTarget(options, io);
  const sources = await sourcesOf(target, options.source);
  const looks = target.stack === undefined ? undefined : createStackLooks(target.stack.stackName);
  try {
    const services: ServiceAnswer[] = [];
    // A source that is not enabled is none of the function's.
    for (const { name } of sources.filter(({ enabled }) => enabled)) services.push(await lookByFunction(target, name));
    const checks = await runChecks({ target, sources, looks, io });
    return { poller: target.name, checks, services, requests: sumOf(services, ({ requests }) => requests) };
  } finally {
    looks?.close();
  }
}

/** Credentials before all else, and trouble that passes without a person after all else. */
function exitOfAll({ checks, services }: DoctorAnswer) {
  const failed = [...checks, ...services.flatMap((service) => service.checks)].filter(({ state }) => state === "fail");
  const exits = failed.map(({ code }) => (code === null ? EXIT.failed : exitOf(code)));
  const worstFirst = [EXIT.credentials, EXIT.unaccounted, EXIT.failed, EXIT.notNow] as const;
  return worstFirst.find((exit) => exits.includes(exit)) ?? EXIT.done;
}

const LOOKS = { ok: ["✓", "green"], warn: ["▲", "yellow"], fail: ["■", "red"] } as const;

/** A line for each check, with what to do below; then what each service does, and the configuration that goes with it. */
function doctorText({ checks, services, requests }: DoctorAnswer, { style }: Pick<Io, "style">): string[] {
  const several = services.length > 1;
  const named = services.flatMap(({ source, checks: own }) =>
    own.map((line) => (several ? { ...line, check: `${line.check} of ${source ?? "the service"}` } : line)),
  );
  return [
    ...checkLines([...named, ...checks], style),
    ...services.flatMap((service) => serviceLines(service, several)),
    "",
    `${count(requests, "request")} made to ${several ? "the services" : "the service"}.`,
  ];
}

function checkLines(checks: readonly CheckLine[], style: Io["style"]): string[] {
  const width = Math.max(0, ...checks.map(({ check }) => check.length));
  return checks.flatMap(({ check, state, says, todo }) => {
    const [glyph, colour] = LOOKS[state];
    const line = `${style(colour, glyph)} ${check.padEnd(width)}  ${says}`;
    return todo === null || todo === "" ? [line] : [line, `  ${" ".repeat(width)}  → ${todo}`];
  });
}

function serviceLines({ source, findings, suggests, surveyId }: ServiceAnswer, several: boolean): string[] {
  const shown = surveyId === null ? findings.filter(({ found }) => found !== null) : findings;
  if (shown.length === 0) return [];
  const width = Math.max(...shown.map(({ question }) => question.length));
  const config = Object.keys(suggests.config).length === 0 ? [] : [`  ${JSON.stringify(suggests.config)}`];
  const notes = suggests.notes.map((note) => `  ${note}`);
  return [
    "",
    `What the API document leaves open, and ${several ? `the service of ${source}` : "this service"} does${surveyId === null ? "" : `, by survey ${surveyId}`}:`,
    ...shown.map(({ question, found, says }) => {
      const text = found === null || found === says ? says : `${found}: ${says}`;
      return `  ${question.padEnd(width)}  ${text}`;
    }),
    ...(config.length + notes.length === 0 ? [] : ["", "For the configuration:", ...config, ...notes]),
  ];
}

/** The output of `doctor --json`, beside `schemaVersion`. */
export interface DoctorAnswer {
  /** The stack or data folder; null where only a service was looked at. */
  poller: string | null;
  checks: CheckLine[];
  services: ServiceAnswer[];
  /** Made to survey services for it. */
  requests: number;
}

export interface ServiceAnswer extends ProbeReport {
  source: string | null;
}

/** Credentials of the environment, or of whoever sits at the terminal; never of a pipe, which may not end. */
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
  { baseUrl, credentials, timeZone }: { baseUrl: string; credentials: Credentials; timeZone?: string | undefined },
  io: Pick<Io, "environment" | "signal" | "now">,
): Promise<ServiceAnswer> {
  const proxy = io.environment.SURVEY_PROXY;
  const retry = { longestPause: LONGEST_PAUSE };
  const settings = { baseUrl, credentials, timeouts: TIMEOUTS, retry, ...(proxy === undefined ? {} : { proxy }) };
  const [api, another] = [createSurveyApi(settings), createSurveyApi(settings)];
  try {
    return { source: null, ...(await probe({ api, another, timeZone, signal: io.signal, now: io.now })) };
  } finally {
    await Promise.all([api.close(), another.close()]);
  }
}

/** Has the function of a poller look at the service of a source: a function that does not answer is a check that has failed. */
async function lookByFunction(target: Target, source: string): Promise<ServiceAnswer> {
  try {
    const report = await target.operate(source, "probe", {});
    return { source, ...report, checks: [ok("function", "answers"), ...report.checks] };
  } catch (error) {
    const { code, message, hint } = describeFailure(error);
    return {
      source,
      checks: [fail("function", message, hint, code)],
      findings: QUESTIONS.map((question) => findingOf(question, "the function does not answer")),
      suggests: { config: {}, notes: [] },
      zones: [],
      requests: 0,
      surveyId: null,
    };
  }
}
