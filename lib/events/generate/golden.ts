import { v5 } from "uuid";
import { checkIn } from "../../publisher/claim-check.ts";
import { buildEvent, type EventFacts, toUpdate } from "../build/build-event.ts";
import { buildBooksClosed, buildDeleted, buildSurveyChanged, buildSurveyCounted } from "../build/build-told.ts";
import type { SurveyDefinition } from "../build/definition.ts";
import type { EventEnvelope } from "../envelope.ts";
import { eventIdOf } from "../event-id.ts";
import { booksSums, type DetailOf, detailSchemas, type EventType, eventId } from "../index.ts";

// What the service said of a made-up survey and of one response to it. Every golden event is made of these, with what it is about changed.

const SOURCE_NAME = "main";
const SURVEY_ID = 103;

/** 2026-03-10 12:00:30 UTC. */
const noon = Date.UTC(2026, 2, 10, 12, 0, 30);

const survey = { name: "After a visit", modified: "2026-03-01 10:00:00", languageId: 23 };

const plain = { others: [], isMatrix: false };
const liked = { choices: ["The place", "The people", "The price"], isMatrix: false };
const definition: SurveyDefinition = {
  modified: survey.modified,
  indexBase: 1,
  questions: {
    421997: { number: 1, type: "simple", text: "How was it?", choices: ["Bad", "Fair", "Good", "Very good"], ...plain },
    421998: { number: 2, type: "multi", text: "What did you like?", ...liked, others: ["Other", "None of these"] },
    421999: { number: 3, type: "nps", text: "Would you recommend us?", choices: [], ...plain },
    422000: { number: 4, type: "single", text: "What did you like most?", ...liked, others: ["Something else"] },
    422001: { number: 5, type: "matrix", text: "How were they?", choices: ["Staff", "Food"], ...plain, isMatrix: true },
  },
};

export const record = {
  surveyId: SURVEY_ID,
  iso3166: "PL",
  crk: "customer-1042",
  promoCode: null,
  completed: 1,
  dateStart: "2026-03-10 12:45:00",
  dateCompleted: "2026-03-10 12:58:20",
  questionId: 421997,
  answer: [4],
  comment: "",
  score: 4,
  matrixScore: null,
};

const records = [
  record,
  { ...record, questionId: 421998, answer: [1, 2], score: null },
  { ...record, questionId: 421999, answer: [], score: 9 },
];

const metric = { surveyId: SURVEY_ID, testMode: 0, created: "2026-01-01 00:00:00" };

/** Metrics of operation 11, whose recommendation has these points. */
const metrics = (points: number) => ({
  "31": {
    ...metric,
    metricId: 31,
    metricName: "NPS",
    presentation: "points",
    maxValueIncludingEmptyAnswer: 10,
    firstLevelThreshold: 6,
    secondLevelThreshold: 8,
    score: { pointsSum: points, maxPointsSum: 10, minPointsSum: 0, nps: true },
  },
  "32": {
    ...metric,
    metricId: 32,
    metricName: "Effort",
    presentation: "percent",
    maxValueIncludingEmptyAnswer: 5,
    firstLevelThreshold: null,
    secondLevelThreshold: null,
    score: { pointsSum: 3.5, maxPointsSum: 5, minPointsSum: 0, nps: false },
  },
});

const metadata = {
  ip: "203.0.113.77",
  referrer: "order-20417",
  iso3166: "PL",
  languageId: 5,
  languageName: "Polish",
  languageSymbol: "pl",
  deviceType: "desktop",
  deviceTypeName: "Desktop",
  os: "Linux",
  browser: "Firefox 150",
};

/** The facts of a response: of a promoter without a comment, but for `changes`. */
export function response(responseId: number, changes: Partial<EventFacts> = {}): EventFacts {
  const facts: EventFacts = {
    sourceName: SOURCE_NAME,
    surveyId: SURVEY_ID,
    responseId,
    survey,
    listedAt: noon - 10_000,
    definition,
    questions: "full",
    records,
    metrics: metrics(9),
    metadata: { responseId, ...metadata },
    missing: [],
    origin: "head",
    revision: 1,
    detectedAt: noon,
    timeZone: "Europe/Warsaw",
    thresholds: { Effort: [4, 5] },
    ...changes,
  };
  return { ...facts, records: facts.records.map((read) => ({ responseId, ...(read as object) })) };
}

export type GoldenEvent = EventEnvelope & { "detail-type": EventType };

type Completed = DetailOf<"response.completed">;

/** Events by the name of their file, as EventBridge delivers them: one for each thing that a consumer has to cope with. */
export async function goldenEvents(): Promise<Map<string, GoldenEvent>> {
  const { ordinary, ...others } = completed();
  const updated = updateOf(ordinary);
  const large = buildEvent(response(46377, { records: withComments(20_000) }));
  return new Map([
    golden("ordinary", "response.completed", ordinary),
    ...Object.entries(others).map(([name, detail]) => golden(name, "response.completed", detail)),
    // Its answers went to the bucket, as the publisher writes it.
    golden(
      "large",
      "response.completed",
      JSON.parse(await checkIn(large, 200_000, "survey-poller-answers", async () => {})),
    ),
    golden("updated", "response.updated", updated),
    golden("deleted", "response.deleted", deleted(updated)),
    golden("books-closed", "books.closed", booksClosed(updated.meta.eventId)),
    golden("survey-changed", "survey.changed", surveyChanged),
    golden("survey-counted", "survey.counted", surveyCounted),
  ]);
}

function golden<T extends EventType>(name: string, type: T, detail: DetailOf<T>): [string, GoldenEvent] {
  const parsed = detailSchemas[type].parse(JSON.parse(JSON.stringify(detail)));
  return [
    name,
    {
      version: "0",
      id: v5(`https://survey-poller/golden/${name}`, v5.URL),
      "detail-type": type,
      source: "survey-poller",
      account: "111122223333",
      time: `${parsed.meta.detectedAt.slice(0, 19)}Z`,
      region: "eu-west-1",
      resources: [],
      detail: parsed,
    },
  ];
}

/** Records of which one has so many sentences of a comment. */
const withComments = (sentences: number) => [
  { ...record, comment: "The coffee was cold. ".repeat(sentences).trim() },
  ...records.slice(1),
];

function completed() {
  const event = (responseId: number, changes?: Partial<EventFacts>): Completed =>
    buildEvent(response(responseId, changes));
  const without = { definition: undefined, metrics: undefined, metadata: undefined };
  const rated = { ...record, questionId: 422001, answer: [2, 1], score: null, matrixScore: [2, 1] };
  const several = { ...record, questionId: 421998, answer: [1, 4], score: null };
  const minimal = { ...record, iso3166: null, crk: null, answer: [], score: null };
  const setBack = Date.UTC(2026, 9, 25, 0, 31);
  const test = event(46382);
  return {
    ordinary: event(46374),
    detractor: event(46375, { metrics: metrics(2) }),
    comment: event(46376, { records: withComments(1) }),
    incomplete: event(46378, {
      ...without,
      missing: ["metrics:gave-up", "metadata:absent", "questions:gave-up"],
      origin: "backlog",
    }),
    /** Fields that are not as documented: an answer as text, a country that is a number, and a score that is no object. */
    irregular: event(46379, {
      records: [{ ...record, answer: "4", iso3166: 616 }],
      metrics: { "31": { ...metrics(9)["31"], score: 9, addedByTheService: { unit: "points" } } },
    }),
    /** A question with columns: its answers are numbers of these, for which there are no labels. */
    matrix: event(46385, { records: [record, rated] }),
    /** Answers beside the choices: one of which only one question can be sure. */
    other: event(46386, { records: [several, { ...several, questionId: 422000, answer: [4] }] }),
    /** Fields that the API document does not have: one of the response, one of each answer. */
    "extra-field": event(46387, {
      records: records.map((one, i) => ({ ...one, channel: "kiosk", secondsShown: 4 + i })),
    }),
    /** The clock was set back between 02:00 and 03:00, and showed 02:30 twice. */
    "ambiguous-date": event(46380, {
      records: [{ ...record, dateStart: "2026-10-25 01:50:00", dateCompleted: "2026-10-25 02:30:00" }],
      detectedAt: setBack,
      listedAt: setBack - 10_000,
    }),
    /** All that can be null or empty is. */
    minimal: event(46381, {
      ...without,
      survey: undefined,
      records: [minimal],
      questions: "none",
      timeZone: undefined,
    }),
    test: { ...test, meta: { ...test.meta, test: true } },
    "unknown-future-field": fromTheFuture(event(46383)),
  };
}

/** An event of a later version: a field more in objects of each depth, and a word more in each list of words. */
function fromTheFuture({ meta, data }: Completed): Completed {
  const addedLater = { anything: [1, "two", null], more: true };
  return {
    meta: { ...meta, origin: "added-later", complete: false, missing: ["added:later"], addedLater },
    data: {
      ...data,
      summary: { ...data.summary, nps: { score: 9, class: "added-later", addedLater }, addedLater },
      answers: data.answers.map((answer) => ({ ...answer, addedLater: 2.5 })),
      addedLater: "text",
    },
    addedLater,
  };
}

/** The first answer was changed, which was seen an hour later. */
function updateOf({ meta, data }: Completed): DetailOf<"response.updated"> {
  const detectedAt = noon + 3_600_000;
  const read = [{ ...record, answer: [2], score: 2 }, ...records.slice(1)];
  const event = buildEvent(response(data.responseId, { records: read, revision: 2, detectedAt, origin: "rescan" }));
  return toUpdate(event, { replaces: meta.eventId, changes: ["answers"], observedAt: detectedAt - 61_000 });
}

/** The facts that events without contents share. */
const told = { sourceName: SOURCE_NAME, surveyId: SURVEY_ID, survey, detectedAt: noon };

function deleted({ meta, data }: DetailOf<"response.updated">): DetailOf<"response.deleted"> {
  const at = Date.parse("2026-03-12T04:10:00Z");
  const { eventId: lastEventId, revision } = meta;
  return buildDeleted({ ...told, responseId: data.responseId, revision, lastEventId, observedAt: at, detectedAt: at });
}

/** The second books of the survey: two responses have an event, of which one was updated. */
function booksClosed(updated: string): DetailOf<"books.closed"> {
  const sums = booksSums();
  for (const id of [updated, eventId(SOURCE_NAME, SURVEY_ID, 46375)]) sums.add(id);
  const previous = eventIdOf({ type: "books.closed", sourceName: SOURCE_NAME, surveyId: SURVEY_ID, which: 1 });
  const unread = { responseId: 46384, state: "quarantined", reason: "unreadable completed" };
  const counts = { emitted: 2, beforeStart: 8, open: 1, waiting: 0, held: 0, quarantined: 1, refused: 0 };
  const built = buildBooksClosed({
    ...told,
    from: "2026-03-10 00:00:00",
    books: { listed: 12, ...counts, withheld: [unread], passes: 2, deficit: 0, startedAt: noon + 7_200_000 },
    sums: sums.sums(),
    previous: { sequence: 1, eventId: previous, hash: "" },
    detectedAt: noon + 7_205_000,
  });
  if (built === undefined) throw new Error("these books say what the previous ones said");
  return built.detail;
}

const edited = { ...survey, modified: "2026-03-10 11:30:00" };
const surveyChanged = buildSurveyChanged({ ...told, sequence: 1, before: survey, after: edited });

const counts = { impressions: 480, opened: 96, responses: 12 };
const surveyCounted = buildSurveyCounted({ ...told, sequence: 1, counts, asOf: noon - 1_000 });
