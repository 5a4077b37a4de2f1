import { expect, test } from "vitest";
import { at, type Row, simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 80, open: 2, name: "Seven" }];

/** The kind of each field: what `typeof` says, or array, null, integer, date. */
function kinds(row: Row): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, kindOf(value)]));
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  if (typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value)) return "date";
  return typeof value;
}

const asRow = (value: unknown): Row => value as Row;

test("2.1 survey list item", async () => {
  const client = await simulate({ surveys });
  const items = await client.json("/api/v3/surveys/");
  expect(items).toHaveLength(1);
  expect(kinds(at(items, 0))).toEqual({
    surveyId: "integer",
    userId: "integer",
    surveyThemeId: "integer",
    name: "string",
    defaultName: "string",
    questionNumbering: "string",
    headerPageTitleShow: "null",
    headerPageNumberShow: "null",
    pageRotation: "integer",
    blockRotation: "integer",
    logoPlacement: "null",
    layoutHideProgressBar: "null",
    created: "integer",
    modified: "date",
    footerVisible: "null",
    headerShowTitle: "null",
    answerOneClick: "null",
    logoVisibility: "null",
    logoVisibilityEmbedded: "null",
    logoURL: "null",
    languageId: "integer",
    impressions: "integer",
    responses: "integer",
    correct: "integer",
    unpaidResponses: "integer",
    opened: "integer",
    campaignCount: "integer",
  });
  expect(items).toMatchObject([{ surveyId: 7, name: "Seven", responses: 80, correct: 80, unpaidResponses: 0 }]);
});

test("2.2 full survey: blocks, pages and questions refer to each other", async () => {
  const client = await simulate({ surveys, settings: { recordsPerResponse: [1, 43] } });
  const bodies = await client.json("/api/v3/surveys/7/");
  expect(bodies).toHaveLength(1);
  const survey = at(bodies, 0);
  const { blocksById, pagesById, questionsById, blocksOrder } = survey as Record<string, Record<string, Row>>;
  const order = Object.values(blocksOrder ?? {}).map(String);
  expect(order).toEqual(Object.keys(blocksById ?? {}));
  expect(Object.keys(blocksOrder ?? {})).toEqual(["1", "2", "3"]);
  const pageIds = order.flatMap((id) => Object.values(asRow(blocksById?.[id]?.pagesOrder)).map(String));
  expect(pageIds.sort()).toEqual(Object.keys(pagesById ?? {}).sort());
  const questionIds = pageIds.flatMap((id) => pagesById?.[id]?.questionsOrder as number[]);
  expect(questionIds.map(String).sort()).toEqual(Object.keys(questionsById ?? {}).sort());
  expect(questionIds).toHaveLength(43);
  for (const page of Object.values(pagesById ?? {})) {
    for (const id of page.questionsOrder as number[]) expect(questionsById?.[id]?.pageId).toBe(page.pageId);
  }
  expect(Object.keys(asRow(at(Object.values(blocksById ?? {}), 0)))).toEqual(
    "blockId surveyId blockIsRotated blockNumber blockIdBySurvey blockName pagesOrder".split(" "),
  );
  expect(Object.keys(asRow(at(Object.values(pagesById ?? {}), 0)))).toEqual(
    (
      "surveyId pageId number pageIdBySurvey welcomePage title description titleVisible blockId questionOffset " +
      "questionsOrder pageIsRotated questionsRotation randomQuestion"
    ).split(" "),
  );
  expect(kinds(at(Object.values(questionsById ?? {}), 0))).toEqual({
    questionId: "integer",
    pageId: "integer",
    type: "string",
    params: "object",
    questionIsRotated: "integer",
    isRandomQuestion: "integer",
    numbering: "boolean",
    number: "integer",
    questionIdBySurvey: "integer",
    addedToBank: "boolean",
    templateFile: "string",
    points: "integer",
    opentext: "string",
    open: "integer",
  });
  expect(kinds(survey)).toMatchObject({
    answerOneClick: "boolean",
    public: "integer",
    modified: "date",
    title: "string",
  });
});

test("2.3 questions: params, their two differences and the translatable texts", async () => {
  const client = await simulate({ surveys });
  const list = await client.json("/api/v3/surveys/7/questions/");
  const full = at(await client.json("/api/v3/surveys/7/"), 0).questionsById as Record<string, { params: Row }>;
  for (const question of list) {
    expect(Object.keys(question)).toEqual(["questionId", "number", "questionIdBySurvey", "type", "questionParams"]);
    const { translatable, exclusionQuestion, ...shared } = asRow(question.questionParams);
    const { exclusionQuestion: exclusion, ...params } = full[String(question.questionId)]?.params ?? {};
    expect(shared).toEqual(params);
    expect([exclusionQuestion, exclusion]).toEqual([0, false]);
    expect(asRow(translatable).answers).toEqual(shared.answers);
    expect(shared).toHaveProperty("hideLableText");
    expect(asRow(shared.scoreArray).max).toBeTypeOf("string");
  }
});

test("2.4 response records", async () => {
  const client = await simulate({ surveys, settings: { crk: "none" } });
  const questions = (await client.json("/api/v3/surveys/7/questions/")).map((question) => question.questionId);
  const records = await client.all(7);
  for (const record of records) {
    expect({ ...kinds(record), score: "integer" }).toEqual({
      responseId: "integer",
      surveyId: "integer",
      iso3166: "string",
      crk: "null",
      promoCode: "null",
      completed: "integer",
      dateStart: "date",
      dateCompleted: "date",
      questionId: "integer",
      answer: "array",
      comment: "string",
      score: "integer",
      matrixScore: "null",
    });
    expect(questions).toContain(record.questionId);
  }
  expect(new Set(records.map((record) => kindOf(record.score)))).toEqual(new Set(["integer", "null"]));
});

test("2.5 metadata agrees with the records", async () => {
  const client = await simulate({ surveys });
  const first = at(await client.page(7, 1), 0);
  const bodies = await client.json(`/api/v3/surveys/7/responses/${first.responseId}/metadata/`);
  expect(bodies).toHaveLength(1);
  expect(Object.keys(at(bodies, 0))).toEqual(
    (
      "responseId ip referrer iso3166 languageId languageName languageSymbol deviceType deviceTypeName os " + "browser"
    ).split(" "),
  );
  expect(bodies).toMatchObject([{ responseId: first.responseId, iso3166: first.iso3166 }]);
});

test("2.6 and 2.7 metrics of a response and of a report", async () => {
  const client = await simulate({ surveys });
  const { responseId } = at(client.simulator.truth(), 0);
  const shared = {
    metricId: "integer",
    surveyId: "integer",
    metricName: "string",
    presentation: "string",
    maxValueIncludingEmptyAnswer: "integer",
    testMode: "integer",
    firstLevelThreshold: "null",
    secondLevelThreshold: "null",
    created: "date",
  };
  const [ofResponse = {}] = await client.json(`/api/v3/surveys/7/responses/${responseId}/metrics/`);
  const metric = asRow(at(Object.values(ofResponse), 0));
  expect(Object.keys(ofResponse)[0]).toBe(String(metric.metricId));
  expect(kinds(metric)).toEqual({ ...shared, score: "object" });
  expect(kinds(asRow(metric.score))).toEqual({
    pointsSum: "integer",
    maxPointsSum: "integer",
    minPointsSum: "integer",
    nps: "boolean",
  });
  const [ofReport = {}] = await client.json("/api/v3/surveys/7/reports/72/metrics/");
  const reported = asRow(at(Object.values(ofReport), 0));
  expect(kinds(reported)).toEqual({
    ...shared,
    score: "string",
    condition: "string",
    maxPointsSum: "integer",
    minPointSum: "integer",
    responseSum: "string",
  });
  expect(reported.responseSum).toBe("80");
});

test("operations 9 and 10 are interchangeable", async () => {
  const client = await simulate({ surveys, settings: { crk: "all" } });
  const { responseId, records } = at(client.simulator.truth(), 5);
  const byId = await client.json(`/api/v3/surveys/7/responses/${responseId}/`);
  expect(byId).toEqual(records);
  expect(await client.json(`/api/v3/surveys/7/responses/crk/${at(records, 0).crk}/`)).toEqual(byId);
});
