import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import type { SurveyService } from "../../../lib/polling/index.ts";
import { toSurveyService } from "../../../lib/service/survey-service.ts";
import { operations, type SurveyApi } from "../../../lib/survey-api/index.ts";
import metadataList from "./documents/fixtures/metadata.json" with { type: "json" };
import questionList from "./documents/fixtures/questions.json" with { type: "json" };
import recordList from "./documents/fixtures/records.json" with { type: "json" };
import reportMetricsList from "./documents/fixtures/report-metrics.json" with { type: "json" };
import metricsList from "./documents/fixtures/response-metrics.json" with { type: "json" };
import surveyBody from "./documents/fixtures/survey.json" with { type: "json" };
import surveyList from "./documents/fixtures/survey-list.json" with { type: "json" };
import { type Answer, clientOf, startService, TOKEN } from "./support/service.ts";

// One table of what a service may answer, and what is made of it. It was asked for survey 1201, its response 44001 and its report 71.

/** What is made of an answer: a value, with the places that `strict` would not take, or an error. */
type Outcome =
  | { value: unknown; irregular: string[] }
  | { json: string }
  | { code: string; attempts: number; retryable: boolean };

const gives = (value: unknown, ...irregular: string[]): Outcome => ({ value, irregular });
/** A value as JSON, for what no literal can be compared with. */
const givesJson = (json: string): Outcome => ({ json });
/** An error at once, which would be the same the next time. */
const fails = (code: string): Outcome => ({ code, attempts: 1, retryable: false });
/** An error after so many attempts, which may be over the next time. */
const failsAfter = (attempts: number, code: string): Outcome => ({ code, attempts, retryable: true });
const unreadable = fails("UNREADABLE_BODY");
/** As a body that was cut off may come whole the next time. */
const brokenOff = failsAfter(3, "UNREADABLE_BODY");
const mismatch = failsAfter(3, "ANSWER_MISMATCH");
const notFound = fails("NOT_FOUND");

// What the poller makes of it. Irregular fields are judged further on.
const found = (body: unknown): Outcome => gives({ kind: "found", body });
const asFound = (body: unknown): [Outcome, Outcome] => [gives(body), found(body)];
const absent = gives({ kind: "absent" });
const page = (records: unknown): Outcome => gives({ kind: "page", records });
const asPage = (records: unknown): [Outcome, Outcome] => [gives(records), page(records)];
const none = gives({ kind: "none" });

const json = (value: unknown): Answer => ({ json: value });
const text = (body: string | Buffer, headers: Record<string, string> = {}): Answer => ({ body, headers });
const status = (code: number, headers: Record<string, string> = {}): Answer => ({ status: code, headers, body: "" });
const html = text("<!doctype html><title>Maintenance</title>", { "content-type": "text/html" });
const encoded = (encoding: string) => ({ "content-encoding": encoding });
const half = (whole: string): Answer => text(whole.slice(0, whole.length / 2));
const hangsUp: Answer = (response) => void response.socket?.destroy();
const hangsUpInIt: Answer = (response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write("[{", () => response.socket?.destroy());
};

interface Row {
  operation: string;
  name: string;
  path: string;
  answer: Answer;
  call: (api: SurveyApi) => Promise<unknown>;
  outcome: Outcome;
  port?: ((port: SurveyService) => Promise<unknown>) | undefined;
  polled?: Outcome | undefined;
}

/** Name, answer, what the client makes of it, and what the poller does: the same where that is left out. */
type Cells = [name: string, answer: Answer, outcome: Outcome, polled?: Outcome];

const table: Row[] = [];

function answersTo(operation: string, on: Pick<Row, "path" | "call" | "port">, rows: Cells[]): void {
  for (const [name, answer, outcome, polled = outcome] of rows)
    table.push({ operation, ...on, name, answer, outcome, polled });
}

const recordsText = JSON.stringify(recordList);
const listText = JSON.stringify(surveyList);
/** An id beyond 2^53. */
const GREAT = "9007199254740993";
const [record, second] = [recordList[0] ?? {}, recordList[1] ?? {}];
const [metadata] = metadataList;
const [survey] = surveyBody;
const [listed] = surveyList;
const [metrics] = metricsList;
const metric = metrics?.["31"];
const [reportMetrics] = reportMetricsList;
const otherMetadata = { ...metadata, responseId: 44002, ip: "203.0.113.77" };
const ofOther = (part: object): object => ({ ...part, responseId: 44002 });
const elsewhere = (part: object): object => ({ ...part, surveyId: 1202 });
const nameless = ({ responseId: _, surveyId: __, ...rest }: Record<string, unknown>): object => rest;
const head = { responseId: 44001, surveyId: 1201, completed: 1 };
const answers = [{ questionId: 9001 }, { questionId: 9002 }];
const answered = answers.map((answer) => ({ ...head, ...answer }));
const error = { success: false, error: { code: 101, type: "invalid_access_key" } };
const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** What services say where there is nothing. */
const nothings: [string, Answer][] = [
  ["204", status(204)],
  ["`null`", json(null)],
  ["`[]`", json([])],
  ["`{}`", json({})],
  ["`[{}]`", json([{}])],
  ["`[[]]`", json([[]])],
];
const nothingIs = (outcome: Outcome, polled = outcome): Cells[] =>
  nothings.map(([name, answer]) => [name, answer, outcome, polled]);

const tokens = { path: "/oauth/token/", call: (api: SurveyApi) => api.token() };
const jwt = "eyJhbGciOiJIUzI1NiJ9.e30.c2ln";

answersTo("1 get token", tokens, [
  ["a field `token`", json({ token: "abc.def" }), gives("abc.def")],
  ["the bare token, and no JSON", text("abc.def.ghi\n"), gives("abc.def.ghi")],
  ["an object in an object", json({ token: { access_token: "abc.def", expires_in: 3600 } }), gives("abc.def")],
  ["an object under `response`", json({ response: { token: "abc.def" } }), gives("abc.def")],
  ["its scheme before it", json({ token: "Bearer abc.def" }), gives("abc.def")],
  ["a form", text("token_type=bearer&access_token=abc.def&expires_in=3600"), gives("abc.def")],
  ["the only JWT, in a field of any name", json({ host: "api.example.com", pass: jwt }), gives(jwt)],
  ["another token beside an access token", json({ id_token: "x.y", access_token: "abc.def" }), gives("abc.def")],
  ["two that are as likely", json({ a: { token: "abc" }, b: { token: "def" } }), unreadable],
  ["none", json({ message: "your plan has no API access" }), unreadable],
  ["a token that would break its header", json({ token: "abc\r\nx-evil: 1" }), unreadable],
  ["a word", text("Unauthorized"), unreadable],
  ["nothing but white space", text(" \n"), brokenOff],
  ["a body that was cut off in it", text('{"token":"aaaaaaaaaaaaaaa.bbbbbbb'), brokenOff],
  ["an HTML page with status 200", html, brokenOff],
  ["204", status(204), failsAfter(1, "UNREADABLE_BODY")],
  ["401", status(401), fails("WRONG_CREDENTIALS")],
  ["404", status(404), notFound],
]);

const surveys = { path: "/api/v3/surveys/", call: (api: SurveyApi) => api.surveys() };
const polled = (id: unknown): object => ({
  surveyId: id,
  created: 1_709_287_200,
  name: "After the visit",
  modified: "2026-02-11 09:30:00",
  languageId: 23,
  impressions: 940,
  opened: 410,
  responses: 312,
  correct: 300,
  unpaidResponses: 0,
});
const seen = (...ids: unknown[]) => gives(ids.map(polled));

answersTo("2 get survey list", { ...surveys, port: (port) => port.surveys() }, [
  ["as documented", json(surveyList), gives(surveyList), seen(1201)],
  ...nothingIs(gives([])),
  ["an object with digits for keys", json({ "0": listed, "2": listed }), gives([listed, listed]), seen(1201, 1201)],
  [
    "what is no survey, and odd fields beside those that are polled",
    json([{ surveyId: "seven", responses: -1, correct: null, name: 5, url: "y" }, 8, null]),
    unreadable,
    gives([{ surveyId: "seven", name: 5, responses: -1, correct: null }, 8, null]),
  ],
  ["an id in quotes", json([{ ...listed, surveyId: "1201" }]), gives(surveyList, "[0].surveyId"), seen("1201")],
  ["an id beyond 2^53", text(`[{"surveyId":${GREAT}}]`), unreadable, gives([{ surveyId: GREAT }])],
  ["a byte order mark", text(`\uFEFF${listText}`), gives(surveyList), seen(1201)],
  ["two marks behind blank lines", text(`\r\n\r\n\uFEFF\uFEFF${listText}`), gives(surveyList), seen(1201)],
  ["zstd that nothing tells of", text(zstdCompressSync(listText)), gives(surveyList), seen(1201)],
  ["a bare error", json(error), unreadable],
  ["an error in an array", json([error]), unreadable],
  ["a string", json("denied"), unreadable],
  ["an HTML page with status 200", html, brokenOff],
  ["half of a body", half(listText), brokenOff],
  ["nothing, with status 200", text(""), brokenOff],
  ["400 whatever the token", status(400), fails("WRONG_TOKEN")],
]);

const full = { path: "/api/v3/surveys/1201/", call: (api: SurveyApi) => api.survey(1201) };

answersTo("3 get survey", full, [
  ["as documented", json(surveyBody), gives(survey)],
  ["the survey without its array", json(survey), gives(survey)],
  ["empty maps as `[]`", json([{ ...survey, pagesById: [] }]), gives({ ...survey, pagesById: {} })],
  ["another survey", json([elsewhere({ ...survey })]), mismatch],
  ["two of it", json([survey, survey]), unreadable],
  ...nothingIs(notFound),
  ["an error in an array", json([error]), unreadable],
  ["5,000 arrays in each other", text(`[${nested(5_000)}]`), unreadable],
  [
    "its id twice, of which the last counts",
    text(JSON.stringify(surveyBody).replace('"surveyId":1201', '"surveyId":1202,"surveyId":1201')),
    gives(survey),
  ],
]);

const questionsOf = { path: "/api/v3/surveys/1201/questions/", call: (api: SurveyApi) => api.questions(1201) };

answersTo("4 get survey questions", questionsOf, [
  ["as documented", json(questionList), gives(questionList)],
  ...nothingIs(gives([])),
  ["an error in an array", json([error]), unreadable],
  ["404", status(404), notFound],
]);

const reportsOf = { path: "/api/v3/surveys/1201/reports/", call: (api: SurveyApi) => api.reports(1201) };
const report = { reportId: 71, surveyId: 1201 };

answersTo("5 get reports list", reportsOf, [
  ["a list", json([report]), gives([{ reportId: 71, raw: report }])],
  [
    "a list of ids",
    json([71, "72"]),
    gives([
      { reportId: 71, raw: 71 },
      { reportId: 72, raw: "72" },
    ]),
  ],
  ["a map by id", json({ "71": "All of it" }), gives([{ reportId: 71, raw: "All of it" }])],
  ["a list under a usual name", json({ reports: [{ id: 71 }] }), gives([{ reportId: 71, raw: { id: 71 } }])],
  ...nothingIs(gives([])),
  [
    "those that name another survey, of which the document does not say whose it is",
    json([elsewhere(report)]),
    gives([{ reportId: 71, raw: elsewhere(report) }]),
  ],
  ["a list of texts", json(["All of it"]), unreadable],
  ["a bare error", json({ message: "no" }), unreadable],
]);

answersTo("6 get survey responses", { path: "/api/v3/surveys/1201/responses/", call: (api) => api.records(1201) }, [
  ["as documented", json(recordList), gives(recordList)],
  ["204", status(204), gives([])],
  ["one record of another survey", json([record, elsewhere(second)]), mismatch],
  ["401 to a token that opens the survey list", status(401), fails("NOT_ALLOWED")],
  ["429 each time", status(429), failsAfter(10, "TOO_MANY_REQUESTS")],
]);

answersTo(
  "7 get survey responses, page",
  { path: "/api/v3/surveys/1201/responses/page/2/", call: (api) => api.records(1201, { page: 2 }) },
  [
    ["as documented", json(recordList), gives(recordList)],
    ["`[{}]`", json([{}]), gives([])],
    ["400", status(400), fails("BAD_REQUEST")],
    ["records of another survey", json(recordList.map(elsewhere)), mismatch],
  ],
);

const ordered = {
  path: "/api/v3/surveys/1201/responses/page/2/order/asc/",
  call: (api: SurveyApi) => api.records(1201, { page: 2, order: "asc" }),
  port: (port: SurveyService) => port.page(1201, 2, "asc"),
};
const quoted = { ...record, responseId: "44001", completed: "1" };
const odd = { ...second, responseId: "none" };
const unnamed = recordList.map(({ surveyId: _, ...rest }) => rest);

answersTo("8 get survey responses, page and order", ordered, [
  ["as documented", json(recordList), ...asPage(recordList)],
  ...nothingIs(gives([]), none),
  ["404", status(404), notFound, none],
  ["400", status(400), fails("BAD_REQUEST"), none],
  ["500", status(500), failsAfter(4, "SERVER_ERROR")],
  ["a status that nobody documents", status(418), fails("SERVER_ERROR")],
  ["a success that nobody documents", status(201), fails("SERVER_ERROR")],
  ["a redirect to nowhere", status(301), fails("SERVER_ERROR")],
  ["a redirect to the start page", status(302, { location: "/" }), fails("SERVER_ERROR")],
  ["an object with digits for keys", json({ "0": record, "7": second }), ...asPage(recordList)],
  ["ids and flags in quotes", json([quoted]), gives([record], "[0].responseId", "[0].completed"), page([quoted])],
  ["records without their survey", json(unnamed), gives(unnamed, "[0].surveyId", "[1].surveyId"), page(unnamed)],
  ["records of another survey", json(recordList.map(elsewhere)), mismatch],
  ["one of another survey, its id in quotes", json([record, { ...second, surveyId: "1202" }]), mismatch],
  ["a record without a readable id", json([record, odd]), unreadable, page([record, odd])],
  [
    "an id beyond 2^53",
    text(JSON.stringify([record]).replace("44001", GREAT)),
    unreadable,
    page([{ ...record, responseId: GREAT }]),
  ],
  ["what is no record beside one", json([record, 8, null]), unreadable, page([record, 8, null])],
  ["an error in an array", json([error]), unreadable],
  ["a bare error", json(error), unreadable],
  ["half of a body", half(recordsText), brokenOff],
  ["a connection that ends in the body", hangsUpInIt, failsAfter(4, "UNREACHABLE")],
  ["a connection that ends before", hangsUp, failsAfter(4, "UNREACHABLE")],
  ["plain text that claims to be gzip", text(recordsText, encoded("gzip")), ...asPage(recordList)],
  ["Content-Encoding: UTF-8", text(recordsText, encoded("UTF-8")), ...asPage(recordList)],
  ["brotli that claims to be gzip", text(brotliCompressSync(recordsText), encoded("gzip")), ...asPage(recordList)],
  ["gzip that was cut off", text(gzipSync(recordsText).subarray(0, 60)), brokenOff],
]);

const single = {
  path: "/api/v3/surveys/1201/responses/44001/",
  call: (api: SurveyApi) => api.response(1201, 44001).then(({ responseId, records }) => ({ responseId, records })),
  port: (port: SurveyService) => port.response(1201, 44001),
};
const response = (records: unknown) => gives({ responseId: 44001, records });
const byQuestion = { "9001": answers[0], "9002": answers[1] };
const asResponse = (records: unknown): [Outcome, Outcome] => [response(records), found(records)];
const wrapped = (of: object) => json({ response: of, answers });
const wrappedNone = (of: object) => json({ response: of, answers: [] });

answersTo("9 get survey response by id", single, [
  ["its records", json(recordList), ...asResponse(recordList)],
  ["a bare record", json(record), ...asResponse([record])],
  ["answers beside their head", wrapped(head), ...asResponse(answered)],
  ["answers by question", json([{ ...head, answers: byQuestion }]), ...asResponse(answered)],
  ["its records in one more array", json([recordList]), ...asResponse(recordList)],
  ["answers in their head", json({ response: { ...head, answers } }), ...asResponse(answered)],
  ["answers under other names", json({ data: { ...head, questions: answers } }), ...asResponse(answered)],
  ["answers beside questions", json({ questions: [{ questionId: 9 }], ...head, answers }), ...asResponse(answered)],
  ["answers beside an empty list", json({ answers: [], ...head, records: answers }), ...asResponse(answered)],
  ["no answers", json([{ ...head, answers: [] }]), ...asResponse([])],
  ["an empty map of them", json([{ ...head, answers: {} }]), ...asResponse([])],
  ["none beside the head", json({ response: head, answers: [] }), ...asResponse([])],
  [
    "`__proto__` beside answers of nobody",
    text('{"__proto__":{"responseId":44002},"answers":[{"questionId":1}]}'),
    givesJson('{"responseId":44001,"records":[{"responseId":44001,"__proto__":{"responseId":44002},"questionId":1}]}'),
    givesJson('{"kind":"found","body":[{"responseId":44001,"__proto__":{"responseId":44002},"questionId":1}]}'),
  ],
  ["no answers of another response", wrappedNone(ofOther(head)), mismatch],
  [
    "records that name nothing",
    json(recordList.map(nameless)),
    ...asResponse(recordList.map((each) => ({ ...nameless(each), responseId: 44001 }))),
  ],
  ["records of others among its own", json([...recordList.map(ofOther), ...recordList]), ...asResponse(recordList)],
  ["records of another response", json(recordList.map(ofOther)), mismatch],
  ["another response, wrapped", wrapped(ofOther(head)), mismatch],
  ["the same of another survey, wrapped", wrapped(elsewhere(head)), mismatch],
  ...nothingIs(notFound, absent),
  ["404", status(404), notFound, absent],
  ["texts", json({ answers: [1, 2] }), unreadable],
  ["records too far down", json([[[[recordList]]]]), unreadable],
  ["an empty list of nobody", json({ answers: [] }), unreadable],
  ["an error in an array", json([error]), unreadable],
  ["an error beside an empty list", json({ error: "none", data: [] }), unreadable],
  ["HTML with status 200", html, brokenOff],
]);

answersTo(
  "10 get survey response by crk",
  {
    path: "/api/v3/surveys/1201/responses/crk/visit-77/",
    call: (api) => api.responseByCrk(1201, "visit-77").then(({ responseId, records }) => ({ responseId, records })),
  },
  [
    ["its records", json(recordList), response(recordList)],
    ["answers of nobody", json(answers), gives({ responseId: undefined, records: answers })],
    ["records of two responses", json([record, ofOther(second)]), unreadable],
    ["a response of another survey", json(recordList.map(elsewhere)), mismatch],
    ["204", status(204), notFound],
    ["`[{}]`", json([{}]), notFound],
  ],
);

const metricsOf = {
  path: "/api/v3/surveys/1201/responses/44001/metrics/",
  call: (api: SurveyApi) => api.metrics(1201, 44001),
  port: (port: SurveyService) => port.metrics(1201, 44001),
};
const other = { ...metric, metricId: 32 };
const both = { "31": metric, "32": other };
const inQuotes = { "31": { ...metric, metricId: "31" } };
const metricText = JSON.stringify(metric);
const withDeep = JSON.stringify(metric).replace("}", `},"deep":${nested(1_000)}`);

answersTo("11 get metric, single response", metricsOf, [
  ["as documented", json(metricsList), ...asFound(metrics)],
  ["the map without its array", json(metrics), ...asFound(metrics)],
  ["a list in the array", json([[metric, other]]), gives({ "0": metric, "1": other }, ""), found([metric, other])],
  ["a list in place of all", json([metric, other]), gives({ "0": metric, "1": other }, ""), found([metric, other])],
  ["a map for each", json([{ "31": metric }, { "32": other }]), gives(both, ""), found(both)],
  ["one key in two maps", json([{ "31": metric }, { "31": other }]), unreadable],
  ["one key twice, of which the last counts", text(`[{"31":{"metricId":1},"31":${metricText}}]`), ...asFound(metrics)],
  ["a number in quotes", json([inQuotes]), gives(inQuotes, "[0].31.metricId"), found(inQuotes)],
  [
    "`__proto__` for a key",
    text(`[{"__proto__":${metricText}}]`),
    givesJson(`{"__proto__":${metricText}}`),
    givesJson(`{"kind":"found","body":{"__proto__":${metricText}}}`),
  ],
  ...nothingIs(gives({}), absent),
  ["404", status(404), notFound, absent],
  ["`[null]`", json([null]), gives({}), absent],
  ["a bare error", json(error), unreadable],
  ["an error in an array", json([error]), unreadable],
  ["texts by key", json([{ "31": "nine of ten" }]), unreadable],
  ["5,000 arrays in each other", text(nested(5_000)), unreadable],
  [
    "1,000 of them in a field that nobody documents",
    text(`[{"31":${withDeep}}]`),
    givesJson(`{"31":${withDeep}}`),
    givesJson(`{"kind":"found","body":{"31":${withDeep}}}`),
  ],
  ["zlib without a header", text(deflateSync(JSON.stringify(metricsList))), ...asFound(metrics)],
]);

answersTo(
  "12 get metric, report",
  { path: "/api/v3/surveys/1201/reports/71/metrics/", call: (api) => api.reportMetrics(1201, 71) },
  [
    ["as documented", json(reportMetricsList), gives(reportMetrics)],
    ["a list in the array", json([[reportMetrics?.["31"]]]), gives({ "0": reportMetrics?.["31"] }, "")],
    ...nothingIs(gives({})),
    ["a bare error", json(error), unreadable],
    ["404", status(404), notFound],
  ],
);

const metadataOf = {
  path: "/api/v3/surveys/1201/responses/44001/metadata/",
  call: (api: SurveyApi) => api.metadata(1201, 44001),
  port: (port: SurveyService) => port.metadata(1201, 44001),
};
const anonymous = nameless({ ...metadata });
const ofNone = { ...metadata, responseId: 0 };

answersTo("13 get response metadata", metadataOf, [
  ["as documented", json(metadataList), gives(metadataList), found(metadata)],
  ["that of another response", json([otherMetadata]), mismatch],
  ["that of another response, its id in quotes", json([{ ...otherMetadata, responseId: "44002" }]), mismatch],
  ["that of one beyond 2^53", text(JSON.stringify(metadataList).replace("44001", "90071992547409931")), mismatch],
  ["that of response 0, which is none", json([ofNone]), gives([ofNone]), found(ofNone)],
  ["that of another response before ours", json([otherMetadata, metadata]), gives([metadata]), found(metadata)],
  ["that of nobody before that of another", json([anonymous, otherMetadata]), mismatch],
  ["that of nobody", json([anonymous]), gives([anonymous], "[0].responseId"), found(anonymous)],
  ["an object with digits for keys", json({ "0": metadata }), gives(metadataList), found(metadata)],
  ...nothingIs(gives([]), absent),
  ["404", status(404), notFound, absent],
  ["a bare error", json(error), unreadable],
  ["an error in an array", json([error]), unreadable],
  ["an error that repeats what was asked for", json({ ...error, responseId: 44001 }), unreadable],
  ["HTML with status 200", html, brokenOff],
  ["401 to a token that opens the survey list", status(401), fails("NOT_ALLOWED")],
]);

const unflagged = { ...record, completed: "yes" };
const asV2 = (value: unknown, raw: unknown = value, ...told: string[]) => gives({ value, raw }, ...told);

answersTo("v2 responses", { path: "/api/v2/surveys/1201/responses", call: (api) => api.v2.records(1201) }, [
  ["as in v3", json(recordList), asV2(recordList)],
  ["wrapped in `data`", json({ data: recordList }), asV2(recordList, { data: recordList })],
  ["204", status(204), asV2([], null)],
  ["an id in quotes", json([quoted]), asV2([record], [quoted], "[0].responseId", "[0].completed")],
  ["a flag that cannot be read", json([unflagged]), asV2(undefined, [unflagged])],
  ["records of another survey", json(recordList.map(elsewhere)), mismatch],
  ["the same, wrapped", json({ data: recordList.map(elsewhere) }), mismatch],
]);

answersTo("v2 survey list", { path: "/api/v2/surveys/", call: (api) => api.v2.surveys() }, [
  ["as in v3", json(surveyList), asV2(surveyList)],
]);
answersTo("v2 survey", { path: "/api/v2/surveys/1201/", call: (api) => api.v2.survey(1201) }, [
  ["as in v3", json(surveyBody), asV2(survey, surveyBody)],
]);
answersTo("v2 questions", { path: "/api/v2/surveys/1201/questions/", call: (api) => api.v2.questions(1201) }, [
  ["as in v3", json(questionList), asV2(questionList)],
]);
answersTo(
  "v2 responses, page",
  { path: "/api/v2/surveys/1201/page/2/responses", call: (api) => api.v2.records(1201, { page: 2 }) },
  [
    ["as in v3", json(recordList), asV2(recordList)],
    ["something else", json({ odd: true }), asV2(undefined, { odd: true })],
  ],
);
answersTo(
  "v2 response by crk",
  { path: "/api/v2/surveys/1201/crk/visit-77", call: (api) => api.v2.responseByCrk(1201, "visit-77") },
  [["its records", json(recordList), asV2({ responseId: 44001, records: recordList }, recordList)]],
);

answersTo(
  "v2 response by id",
  { path: "/api/v2/surveys/1201/responses/44001", call: (api) => api.v2.response(1201, 44001) },
  [
    ["its records", json(recordList), asV2({ responseId: 44001, records: recordList }, recordList)],
    ["another response, wrapped", json({ data: { ...ofOther(head), answers } }), mismatch],
    ["204", status(204), asV2(undefined, null)],
    ["an error with status 200", json(error), asV2(undefined, error)],
  ],
);

const wrappedBoth = { data: [otherMetadata, metadata] };

answersTo(
  "v2 response metadata",
  { path: "/api/v2/surveys/1201/responses/44001/metadata/", call: (api) => api.v2.metadata(1201, 44001) },
  [
    ["as in v3", json(metadataList), asV2(metadataList)],
    ["that of another response", json([otherMetadata]), mismatch],
    ["that of another response before ours, wrapped", json(wrappedBoth), asV2(metadataList, wrappedBoth)],
    ["204", status(204), asV2([], null)],
  ],
);

answersTo(
  "8 get survey responses, page and order",
  { path: "/api/v3/surveys/1201/responses/page/1/order/desc/", call: (api) => api.records(1201, { order: "desc" }) },
  [["page 1 where none is named", json(recordList), gives(recordList)]],
);

const type = "application/json";
const documented = { authorization: `bearer ${TOKEN}`, "content-type": type, accept: type };

it("no operation of the API document is left out: 13 of v3 and, with the token, 9 of v2", () => {
  const named = Object.keys(operations).filter((name) => name !== "request");
  expect(named.filter((name) => name.startsWith("v2 "))).toHaveLength(8);
  expect(named).toHaveLength(13 + 8);
  const numbers = new Map(named.slice(0, 13).map((name, i) => [name, `${i + 1} ${name}`]));
  expect(new Set(table.map(({ operation }) => operation))).toEqual(
    new Set(named.map((name) => numbers.get(name) ?? name)),
  );
});

// R1, R3
it.each(table)("$operation: $name", async ({ operation, path, answer, call, outcome, port, polled }) => {
  const service = await startService();
  service.answers.set(path, () => answer);
  await expectOutcome(call(clientOf(service).api), outcome);
  const [sent] = operation.startsWith("1 ") ? [] : service.data();
  if (sent !== undefined) expect(sent).toMatchObject({ method: "GET", path, body: "", headers: documented });
  if ("irregular" in outcome) {
    const strict = await call(clientOf(service, { strict: true }).api).catch((error: Error) => error.message);
    if (outcome.irregular.length > 0 && operation.startsWith("v2")) expect(strict).toMatchObject({ value: undefined });
    else if (outcome.irregular.length > 0) expect(toldIn(strict)).toEqual(outcome.irregular);
    else expect(strict).toEqual(outcome.value);
  }
  if (port !== undefined && polled !== undefined)
    await expectOutcome(port(toSurveyService(clientOf(service).api)), polled);
});

/** The places that an error names. */
const toldIn = (message: unknown): string[] =>
  [...String(message).matchAll(/(\S+) should be /g)].map(([, path = ""]) => path.replace("(", "").replace(/^it$/, ""));

async function expectOutcome(made: Promise<unknown>, wanted: Outcome): Promise<void> {
  if ("code" in wanted) await expect(made).rejects.toMatchObject(wanted);
  else if ("json" in wanted) expect(JSON.stringify(await made)).toBe(wanted.json);
  else expect(await made).toEqual(wanted.value);
}
