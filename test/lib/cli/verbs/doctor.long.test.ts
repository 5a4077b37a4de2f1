import { expect, it } from "vitest";
import {
  alarms,
  type CheckContext,
  type DoctorAnswer,
  lastTick,
  type StackLooks,
  schedules,
} from "../../../../lib/cli/verbs/doctor.ts";
import type { SettingsPatch, Simulator, SurveySpec } from "../../../../lib/local/simulator/index.ts";
import type { Question } from "../../../../lib/operator/probe/findings.ts";
import { answerOf, environmentOf, polledFolder, simulated, survey } from "../support/command.ts";
import { inAws } from "../support/folder-aws.ts";

it("examines a data folder and the service behind it, with the token that is kept", async () => {
  const settings = { surveys: [{ surveyId: 7, responses: 30 }] };
  const { data, simulator } = await polledFolder(settings, ["--time-zone", "Asia/Tokyo"]);
  simulator.resetCounters();

  const ran = await survey(["doctor", "--data", data]);

  expect(ran.code).toBe(0);
  for (const line of [
    /^✓ function +answers$/m,
    /^✓ last tick +\d+ s ago$/m,
    /^✓ bus +survey-poller answers/m,
    /^✓ table/m,
    /^✓ questions /m,
    /^✓ metrics /m,
    /^✓ metadata /m,
    /^✓ status /m,
  ])
    expect(ran.stdout).toMatch(line);
  expect(ran.stdout).toMatch(
    /^▲ timeZone +Asia\/Tokyo does not fit the service's dates\n +→ Set one that fits, such as UTC/m,
  );
  expect(ran.stdout).toMatch(/^ {2}operation 9 +all records: /m);
  expect(ran.stdout).toContain(`${simulator.counters().requests} requests made to the service.`);
  expect(simulator.counters().token).toBeUndefined();
  expect(ran.stdout).not.toContain(simulator.clientSecret);

  // Long after the run has ended, and the service fails.
  simulator.fault({ kind: "status", status: 404, operation: "survey" });
  const late = await survey(["doctor", "--data", data, "--json"], { now: () => Date.now() + 7_200_000 });
  const { checks, services } = answerOf<DoctorAnswer>(late);
  expect(late.code).toBe(1);
  expect(checks).toContainEqual(
    expect.objectContaining({ check: "last tick", state: "warn", says: "2 h ago; no run is at work on the folder" }),
  );
  expect(services[0]?.checks).toContainEqual(
    expect.objectContaining({ check: "questions", state: "fail", code: "NOT_FOUND" }),
  );

  await simulator.close();
  const gone = await survey(["doctor", "--data", data]);
  expect(gone.code).toBe(3);
  expect(gone.stdout).toMatch(/^■ survey list .*cannot be reached/m);
}, 60_000);

it("tries what an event needs, and repeats the open problem of status", async () => {
  const { data, simulator } = await polledFolder({ surveys: [{ surveyId: 7, responses: 30 }] });
  simulator.fault({ kind: "status", status: 500, operation: "metadata" });
  const failing = await survey(["doctor", "--data", data]);
  expect(failing.code).not.toBe(0);
  expect(failing.stdout).toMatch(/^■ metadata +/m);
  expect(failing.stdout).toMatch(/^✓ metrics +/m);

  await inAws(data, async ({ state }) => state.putEntries(7, [{ id: 99, state: "quarantined", reason: "unreadable" }]));
  const open = await survey(["doctor", "--data", data]);
  expect(open.code).toBe(5);
  expect(open.stdout).toMatch(
    /^■ status +1 response does not go out: 1 quarantined\.\n +→ Run: survey-poller quarantine list/m,
  );
  const status = await survey(["status", "--data", data]);
  expect(status).toMatchObject({ code: 5, stdout: expect.stringMatching(/^■ 1 response does not go out/) });
}, 60_000);

it("looks at a service before anything is deployed", async () => {
  const simulator = await simulated({ surveys: [{ surveyId: 7, responses: 30 }] });
  const right = environmentOf(simulator);

  const ran = await survey(["doctor", "--base-url", simulator.url], { environment: right });
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/^✓ credentials +the service gives a token for them$/m);
  expect(ran.stdout).toMatch(/^For the configuration:\n {2}\{"timeZone":"UTC"\}$/m);

  const wrong = { ...right, SURVEY_CLIENT_SECRET: "hunter2" };
  const refused = await survey(["doctor", "--base-url", simulator.url], { environment: wrong });
  expect(refused.code).toBe(4);
  expect(refused.stdout).toMatch(/^■ credentials .*\(401\)\n +→ Put the right clientId/m);
  expect(refused.stdout + refused.stderr).not.toContain("hunter2");

  simulator.fault({ kind: "status", status: 429, retryAfter: 600, operation: "surveys" });
  expect((await survey(["doctor", "--base-url", simulator.url], { environment: right })).code).toBe(3);
});

/** A stack whose schedule is on and whose alarms are silent, but for what a test says. */
function stackOf(own: Partial<StackLooks> = {}, enabled = true): CheckContext {
  const looks: StackLooks = {
    resources: async (type) => (type === "AWS::Scheduler::Schedule" ? ["schedule-1"] : ["alarm-1", "alarm-2"]),
    schedule: async (name) => ({ name, description: "Polls the survey service, source main", isEnabled: true }),
    raised: async () => [],
    close: () => {},
    ...own,
  };
  const target = { flags: "--stack SurveyPoller" };
  return { looks, target, sources: [{ name: "main", enabled }] } as unknown as CheckContext;
}
const denied = async (): Promise<never> => {
  throw Object.assign(new Error(), { name: "AccessDeniedException" });
};
const off = async (name: string) => ({ name, description: "Polls the survey service, source main", isEnabled: false });

const SWITCH_ON = "Switch it on in EventBridge Scheduler.";
const lacking = (permission: string) => {
  const names = expect.stringContaining(permission);
  return { check: "permissions", state: "warn", says: names, todo: names };
};

it.each([
  ["a schedule that is on", schedules, {}, { check: "schedule", state: "ok" }],
  ["no schedule", schedules, { resources: async () => [] }, { state: "fail", says: "there is none" }],
  ["a schedule that is off", schedules, { schedule: off }, { state: "fail", todo: SWITCH_ON }],
  ["silent alarms", alarms, {}, { state: "ok", says: "none of 2 alarms is raised" }],
  ["an alarm", alarms, { raised: async () => ["alarm-2"] }, { state: "fail", says: "raised: alarm-2" }],
  ["alarms that may not be looked at", alarms, { raised: denied }, lacking("cloudwatch:DescribeAlarms")],
  ["a schedule that may not be looked at", schedules, { schedule: denied }, lacking("scheduler:GetSchedule")],
])("a stack with %s", async (_what, check, own, line) => {
  expect(await check(stackOf(own))).toMatchObject([line]);
});

it("a schedule that the configuration has switched off is a warning", async () => {
  expect(await schedules(stackOf({ schedule: off }, false))).toMatchObject([{ state: "warn" }]);
});

interface Service {
  settings: SettingsPatch;
  surveys?: SurveySpec[];
  /** What happens to it before it is looked at. */
  before?: (simulator: Simulator) => void;
  /** The truth about it; null: no sample of it could tell. */
  found: Partial<Record<Question, string | null>>;
  /** A zone that fits its dates. */
  zone?: string;
}

/** Begun long before it got its id, so that the two orders differ. */
const begunEarly = (simulator: Simulator): void => {
  const [responseId] = simulator.complete(7);
  simulator.edit(7, responseId ?? 0, { startedAt: Date.UTC(2026, 0, 1) });
};
const ONE_PAGE: SurveySpec[] = [{ surveyId: 7, responses: 12, open: 2 }];
const MANY_PAGES: SurveySpec[] = [{ surveyId: 7, responses: 60, open: 3 }];

const services: Record<string, Service> = {
  "as one would expect, sorted by responseId": {
    settings: {},
    surveys: ONE_PAGE,
    before: begunEarly,
    found: {
      ...{ "token shape": "{ token: string(165) }", "tokens at once": "several" },
      ...{ "records together": "yes", "sort key": "responseId", order: "obeyed" },
      ...{ "open responses": null, "past the end": "an empty page", "count responses": "completed or all" },
      ...{ "count unpaidResponses": "zero", "zone of dates": "+00:00", "index base": "1" },
      ...{ "operation 9": "all records", "Retry-After": null },
    },
    zone: "UTC",
  },
  "sorted by dateStart, one token at a time, 404 past the end, dates of Warsaw": {
    settings: {
      ...{ sortKey: "dateStart", newTokenRevokesOlder: true, pastEnd: "404", zone: "Europe/Warsaw" },
      ...{ tokenBody: "access_token", tokenLifetimeMs: 3_600_000, defaultOrder: "desc" },
    },
    surveys: ONE_PAGE,
    before: begunEarly,
    found: {
      ...{ "sort key": "dateStart", "tokens at once": "one", "past the end": "404" },
      ...{ "token shape": "{ access_token: string(165), token_type: string(6), expires_in: number }" },
    },
    zone: "Europe/Warsaw",
  },
  "sorted by dateCompleted, with open ones listed and counted": {
    settings: {
      ...{ sortKey: "dateCompleted", openListed: true, counts: { responses: "started", correct: "completed" } },
      ...{ singleResponseBody: "objectWithAnswers", pastEnd: "204", tokenBody: "raw" },
    },
    surveys: ONE_PAGE,
    found: {
      ...{ "sort key": "dateCompleted", "open responses": "listed", "count responses": "all" },
      ...{ "count correct": "completed", "operation 9": "all records", "past the end": "204" },
      ...{ "token shape": "text, 165 characters" },
    },
  },
  "in no order, its last page again and again, operation 9 with one record": {
    settings: { sortKey: "hash", pastEnd: "repeatLast", singleResponseBody: "firstRecord", recordsPerResponse: 5 },
    surveys: MANY_PAGES,
    found: {
      ...{ "sort key": "other", order: null, "past the end": "last page again", "operation 9": "one record" },
      ...{ "count responses": null },
    },
  },
  "records apart": {
    settings: { layout: "scattered" },
    surveys: ONE_PAGE,
    found: { "records together": "no", "sort key": null, order: null, "operation 9": null },
  },
  "its first page again, answers from 0, a token in a form": {
    settings: { pastEnd: "repeatFirst", answersFrom: 0, tokenBody: "form", zone: "Asia/Tokyo" },
    surveys: MANY_PAGES,
    found: {
      ...{ "past the end": "first page again", "index base": "0", "zone of dates": "+09:00" },
      "token shape": "form of { access_token: string(165), token_type: string(6), expires_in: string(7) }",
    },
    zone: "Asia/Tokyo",
  },
  "400 past the end, no operation 9, more counted than listed": {
    settings: { pastEnd: "400", counts: { responses: "started", correct: () => 1, unpaidResponses: () => 14 } },
    surveys: ONE_PAGE,
    before: (simulator) => void simulator.fault({ kind: "status", status: 404, operation: "response" }),
    found: {
      ...{ "past the end": "400", "operation 9": "absent", "count responses": "more than are listed" },
      ...{ "count correct": "fewer than are listed", "count unpaidResponses": "more than are listed" },
    },
  },
  "a rate limit that says when to come back, 500 past the end": {
    settings: { rateLimit: { perSecond: 20, burst: 4, retryAfter: "seconds" }, pastEnd: "500" },
    surveys: ONE_PAGE,
    found: { "Retry-After": "given", "past the end": "500" },
  },
  "a rate limit without Retry-After": {
    settings: { rateLimit: { perSecond: 20, burst: 4, retryAfter: "none" } },
    surveys: ONE_PAGE,
    found: { "Retry-After": "not given" },
  },
  "one page, which comes again": {
    settings: { pastEnd: "repeatLast" },
    surveys: ONE_PAGE,
    found: { "past the end": "only page again" },
  },
  "nothing listed yet": {
    settings: { emptyList: "404" },
    surveys: [{ surveyId: 7 }, { surveyId: 8, open: 3 }],
    found: {
      ...{ "sort key": null, "past the end": null, "operation 9": null, "index base": null, "open responses": null },
      ...{ "zone of dates": "+00:00", "tokens at once": "several" },
    },
  },
};

it.each(Object.entries(services))("doctor finds the truth about a service: %s", async (_name, service) => {
  const simulator = await simulated({ surveys: service.surveys ?? [], settings: service.settings });
  service.before?.(simulator);
  simulator.resetCounters();
  const environment = environmentOf(simulator);

  const ran = await survey(["doctor", "--base-url", simulator.url, "--json"], { environment });

  const { services: looked, requests, checks } = answerOf<DoctorAnswer>(ran);
  const found = Object.fromEntries(looked[0]?.findings.map((one) => [one.question, one.found]) ?? []);
  expect(found).toMatchObject(service.found);
  expect({ code: ran.code, checks, requests }).toEqual({
    ...{ code: 0, checks: [] },
    requests: simulator.counters().requests,
  });
  // A few, unless the service has refused some.
  expect(requests).toBeLessThan(service.settings.rateLimit === undefined ? 21 : 60);
  if (service.zone !== undefined) expect(looked[0]?.zones).toContain(service.zone);
  expect(ran.stdout).not.toContain(simulator.clientSecret);
});

it.each([
  ["the service fails while ticks come", 5, "warn"],
  ["no tick comes", 3_600, "fail"],
])("of the last tick, where %s", (_what, seconds, state) => {
  const now = Date.parse("2026-03-10T12:00:00Z");
  const status = {
    source: "main",
    problem: "Late.",
    pausedSince: null,
    pausedUntil: null,
    lastTick: now - seconds * 1_000,
  };
  const target = { flags: "--data here", data: { folder: "here", isRunning: true } };
  expect(lastTick("last tick", status, { target, interval: 60_000, now })).toMatchObject({ state });
});
