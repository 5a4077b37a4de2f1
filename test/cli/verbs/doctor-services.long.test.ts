import { expect, it, onTestFinished } from "vitest";
import type { DoctorAnswer } from "../../../cli/verbs/doctor/service.ts";
import type { Question } from "../../../lib/operator/probe/report.ts";
import { type SettingsPatch, type Simulator, type SurveySpec, startSimulator } from "../../../local/simulator/index.ts";
import { answerOf, survey } from "../support/command.ts";

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
      ...{ "token shape": "{ token: string(165) }", "token life": "30 d", "tokens at once": "several" },
      ...{ "records together": "yes", "sort key": "responseId", order: "obeyed", "order without one": "asc" },
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
      ...{ "sort key": "dateStart", "tokens at once": "one", "past the end": "404", "token life": "60 min" },
      ...{ "token shape": "{ access_token: string(165), token_type: string(6), expires_in: number }" },
      ...{ "order without one": "desc" },
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
  const simulator = await startSimulator({ surveys: service.surveys ?? [], settings: service.settings });
  onTestFinished(() => simulator.close());
  service.before?.(simulator);
  simulator.resetCounters();
  const environment = { SURVEY_CLIENT_ID: simulator.clientId, SURVEY_CLIENT_SECRET: simulator.clientSecret };

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
