import {
  CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { DescribeEventBusCommand } from "@aws-sdk/client-eventbridge";
import { GetScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { Option } from "@commander-js/extra-typings";
import type { SourceConfig } from "../../config/index.ts";
import { errorCode } from "../../errors.ts";
import { describeFailure } from "../../monitoring/log.ts";
import { type CheckLine, fail, findingOf, ok, QUESTIONS, warn } from "../../operator/probe/findings.ts";
import { type ProbeReport, probe } from "../../operator/probe/probe.ts";
import { ACCOUNT, sourceKey } from "../../state/keys.ts";
import { baseUrlProblem } from "../../survey-api/base-url.ts";
import { type Credentials, createSurveyApi } from "../../survey-api/index.ts";
import { EXIT, exitOf, InterruptedError, UsageError } from "../errors.ts";
import { credentialVariables, givenCredentials } from "../given-credentials.ts";
import { sweepExpired } from "../hearing/temporary-rules.ts";
import type { Io } from "../io.ts";
import { askingAws } from "../target/aws-failure.ts";
import { type Flags, openTarget } from "../target/open-target.ts";
import { unlistedText } from "../target/surveys.ts";
import { sourcesOf, type Target } from "../target/target.ts";
import { targetVerb, type Verb } from "../verb.ts";
import { ago, count, nextCommand } from "../words.ts";
import { type SourceStatus, type StatusAnswer, sumOf } from "./status/answer.ts";
import { isSilent, readStatus } from "./status/verb.ts";

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

async function examineService(baseUrl: string, io: Io) {
  const problem = baseUrlProblem(baseUrl);
  const hint = "See survey-poller doctor --help.";
  if (problem !== undefined) throw new UsageError(`--base-url ${problem}`, { hint });
  const credentials = await credentialsFor(baseUrl, io);
  const service = await lookAtService({ baseUrl, credentials }, io);
  return { poller: null, checks: [] as CheckLine[], services: [service], requests: service.requests };
}

async function examine(options: Flags, io: Io) {
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

export type ServiceAnswer = ProbeReport & { source: string | null };

/** The output of `doctor --json`, beside `schemaVersion`. Where only a service was looked at there is no poller. */
export type DoctorAnswer = Awaited<ReturnType<typeof examine | typeof examineService>>;

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
      ...{ suggests: { config: {}, notes: [] }, zones: [], requests: 0, surveyId: null },
    };
  }
}

export interface CheckContext {
  target: Target;
  sources: readonly SourceConfig[];
  looks: StackLooks | undefined;
  io: Pick<Io, "now">;
}

/** Looks at one side of a poller. It gives no line where there is nothing to say. */
type Check = (context: CheckContext) => Promise<CheckLine[]>;

const PERMISSIONS = "permissions";

/**
 * Runs a check that needs a right of AWS. Without the right it is told as such, and is no failure: whoever looks need not be allowed everything.
 *
 * @param permission such as "scheduler:GetSchedule"
 */
async function allowed(
  check: string,
  permission: string,
  work: () => Promise<CheckLine | CheckLine[]>,
): Promise<CheckLine[]> {
  try {
    return [await askingAws(`${check} could not be looked at`, work)].flat();
  } catch (error) {
    if (errorCode(error) === "ACCESS_DENIED") {
      const todo = `Allow ${permission} to whoever runs this, or have somebody look who may.`;
      return [warn(PERMISSIONS, `without ${permission} nothing is known of: ${check}`, todo)];
    }
    const { code, message, hint } = describeFailure(error);
    return [fail(check, message, hint, code)];
  }
}

/** Without its schedule nothing polls a source. */
export const schedules: Check = async ({ looks, sources }) => {
  if (looks === undefined) return [];
  const permission = "cloudformation:ListStackResources and scheduler:GetSchedule";
  return allowed("schedule", permission, async () => {
    const names = await looks.resources("AWS::Scheduler::Schedule");
    const all = await Promise.all(names.map((name) => looks.schedule(name)));
    return sources.map((source) => {
      const check = sources.length === 1 ? "schedule" : `schedule of ${source.name}`;
      const own = all.find(({ description }) => description.endsWith(` source ${source.name}`));
      if (own === undefined) return fail(check, "there is none", "Deploy the stack again: `npx cdk deploy`.");
      if (own.isEnabled) return ok(check, "enabled");
      if (!source.enabled) return warn(check, "disabled, as the configuration says", `Set "enabled": true to poll it.`);
      return fail(check, "disabled: nothing polls", "Switch it on in EventBridge Scheduler.");
    });
  });
};

export const alarms: Check = async ({ looks }) => {
  if (looks === undefined) return [];
  const permission = "cloudformation:ListStackResources and cloudwatch:DescribeAlarms";
  return allowed("alarms", permission, async () => {
    const names = await looks.resources("AWS::CloudWatch::Alarm");
    const raised = await looks.raised(names);
    if (raised.length === 0) return ok("alarms", `none of ${count(names.length, "alarm")} is raised`);
    return raised.map((name) => fail("alarms", `raised: ${name}`, "See docs/runbook.md, which has each alarm."));
  });
};

/** What `status` tells: of each source how long ago its last tick came to its end, surveys that it lacks, and the verdict. */
const state: Check = ({ target, sources, io }) =>
  allowed("status", "dynamodb:GetItem and dynamodb:Query", async () => {
    const polled = sources.filter(({ enabled }) => enabled);
    const status = await readStatus(target, polled, io.now());
    const lines = sources.flatMap(({ name, interval }) => {
      const of = sources.length === 1 ? "" : ` of ${name}`;
      const source = status.sources.find((one) => one.source === name);
      if (source === undefined) return ok(`last tick${of}`, "the source is not enabled");
      const last = lastTick(`last tick${of}`, source, { target, interval, now: io.now() });
      const todo = "Nothing of them is polled until the list shows them.";
      return source.unlisted.length === 0 ? last : [last, warn(`surveys${of}`, unlistedText(source.unlisted), todo)];
    });
    return polled.length === 0 ? lines : [...lines, verdictLine(status)];
  });

export function lastTick(
  check: string,
  status: Pick<SourceStatus, "source" | "problem" | "pausedSince" | "pausedUntil" | "lastTick">,
  { target, interval, now }: { target: Pick<Target, "flags" | "data">; interval: number; now: number },
): CheckLine {
  const { source, problem, pausedSince, pausedUntil } = status;
  const at = ago(status.lastTick, now);
  if (problem === null) return ok(check, at);
  if (pausedSince !== null) return warn(check, problem, nextCommand("resume", { source, ...target }, "--yes"));
  if (pausedUntil !== null) return warn(check, problem, "Wait: it goes on by itself.");
  // Ticks come: it is the service that fails, of which its own checks tell.
  if (!isSilent(status, { interval, now })) return warn(check, problem, "Look at the checks of the service.");
  if (target.data === undefined) return fail(check, problem, "Look at the schedule above and at the function's log.");
  if (target.data.isRunning) return fail(check, problem, "Look at what npm start says.");
  const again = "Start it again: npm start, with the flags that it had.";
  return warn(check, `${at}; no run is at work on the folder`, again);
}

function verdictLine({ verdict, sentence, next }: StatusAnswer): CheckLine {
  if (verdict === "complete" || verdict === "working") return ok("status", sentence);
  const isAnother = next !== null && !next.startsWith("survey-poller doctor");
  const todo = isAnother
    ? `Run: ${next}`
    : "Where no other check says why, docs/runbook.md#something-stands-still does.";
  return verdict === "late" || verdict === "unknown"
    ? warn("status", sentence, todo)
    : fail("status", sentence, todo, "UNACCOUNTED");
}

/** Checks that bus and table are there and answer. Nothing is put on the one, or written into the other. */
const smoke: Check = async ({ target: { clients, resources, table }, sources }) => {
  const bus = await allowed("bus", "events:DescribeEventBus", async () => {
    await clients.events.send(new DescribeEventBusCommand({ Name: resources.busName }));
    return ok("bus", `${resources.busName} answers DescribeEventBus`);
  });
  const [source] = sources;
  if (source === undefined) return bus;
  const account = { pk: sourceKey(source.name), sk: ACCOUNT };
  const tableLines = await allowed("table", "dynamodb:GetItem", async () => {
    await table.client.send(new GetCommand({ TableName: table.name, Key: account }));
    return ok("table", `${table.name} answers GetItem`);
  });
  return [...bus, ...tableLines];
};

/** Takes away what a killed `tail` has left on the bus, once its time is over. It is the one thing that doctor changes. */
const leftovers: Check = ({ target, io }) =>
  allowed("leftovers", "events:ListRules, sqs:ListQueues", async () => {
    const gone = await sweepExpired(target, io.now());
    return gone.length === 0 ? [] : ok("leftovers", `${count(gone.length, "expired rule")} of tail removed`);
  });

const MOST_ALARMS = 100;

export type StackLooks = ReturnType<typeof createStackLooks>;

function createStackLooks(stackName: string) {
  const settings = { maxAttempts: 3 };
  const formation = new CloudFormationClient(settings);
  const scheduler = new SchedulerClient(settings);
  const cloudwatch = new CloudWatchClient(settings);
  let all: StackResourceSummary[] | undefined;
  return {
    /** Names of the stack's resources of a type such as "AWS::CloudWatch::Alarm". */
    async resources(type: string): Promise<string[]> {
      if (all === undefined) {
        all = [];
        const pages = paginateListStackResources({ client: formation }, { StackName: stackName });
        for await (const { StackResourceSummaries = [] } of pages) all.push(...StackResourceSummaries);
      }
      return all.flatMap((one) => (one.ResourceType === type ? (one.PhysicalResourceId ?? []) : []));
    },
    async schedule(name: string) {
      // The name of the resource may have that of its group before it.
      const answer = await scheduler.send(new GetScheduleCommand({ Name: name.split("|").at(-1) ?? name }));
      return { description: answer.Description ?? "", isEnabled: answer.State === "ENABLED" };
    },
    async raised(names: readonly string[]): Promise<string[]> {
      const found = [];
      for (let i = 0; i < names.length; i += MOST_ALARMS) {
        const some = names.slice(i, i + MOST_ALARMS);
        const answer = await cloudwatch.send(new DescribeAlarmsCommand({ AlarmNames: some, StateValue: "ALARM" }));
        found.push(...(answer.MetricAlarms ?? []), ...(answer.CompositeAlarms ?? []));
      }
      return found.map(({ AlarmName = "" }) => AlarmName);
    },
    close(): void {
      for (const client of [formation, scheduler, cloudwatch]) client.destroy();
    },
  };
}

/** In the order of the answer. */
const runChecks: Check = async (context) => {
  const lines = [];
  for (const check of [schedules, alarms, state, smoke, leftovers]) lines.push(...(await check(context)));
  if (context.looks === undefined || lines.some(({ check }) => check === PERMISSIONS)) return lines;
  return [...lines, ok(PERMISSIONS, "everything that was looked at may be looked at")];
};
