import { dateTimeString } from "./dates.ts";
import { hash32, hashFraction } from "./hashing.ts";
import { countryOf, type ListedRecord, type SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import { countOf, type Survey } from "./survey.ts";
import { type SimulatedQuestion, type SurveyQuestions, surveyQuestions } from "./survey-questions.ts";

const userId = 501;
const themeId = 12;
const languageId = 23;

export function listedFacts(survey: Survey, settings: Settings) {
  return { name: survey.name, modified: dateTimeString(survey.modifiedAt, settings.zone), languageId };
}

/** Section 2.1: one element of the survey list. */
export function surveyListItem(survey: Survey, settings: Settings, now: number): Record<string, unknown> {
  return {
    surveyId: survey.surveyId,
    userId,
    surveyThemeId: themeId,
    ...listedFacts(survey, settings),
    defaultName: survey.name,
    questionNumbering: "survey",
    headerPageTitleShow: null,
    headerPageNumberShow: null,
    pageRotation: 0,
    blockRotation: 0,
    logoPlacement: null,
    layoutHideProgressBar: null,
    created: Math.floor(survey.createdAt / 1000),
    footerVisible: null,
    headerShowTitle: null,
    answerOneClick: null,
    logoVisibility: null,
    logoVisibilityEmbedded: null,
    logoURL: null,
    impressions: survey.impressions,
    responses: countOf(survey, "responses", settings, now),
    correct: countOf(survey, "correct", settings, now),
    unpaidResponses: countOf(survey, "unpaidResponses", settings, now),
    opened: survey.tally.everCompleted + survey.tally.open,
    campaignCount: 1,
  };
}

/** Section 2.2: the whole survey, with its questions on one page in one block. */
export function fullSurvey(survey: Survey, settings: Settings): Record<string, unknown> {
  const { surveyId, name } = survey;
  const questions = surveyQuestions(survey);
  // Pages and blocks are numbered through the account.
  const [pageId, blockId] = [surveyId * 1000 + 1, surveyId * 1000 + 1];
  return {
    surveyId,
    userId,
    modified: dateTimeString(survey.modifiedAt, settings.zone),
    surveyThemeId: themeId,
    languageId,
    name,
    title: name,
    questionNumbering: "survey",
    textDirection: "ltr",
    pageRotation: 0,
    blockRotation: 0,
    answerOneClick: false,
    blocksById: {
      [blockId]: {
        blockId,
        surveyId,
        blockIsRotated: 0,
        blockNumber: 1,
        blockIdBySurvey: 1,
        blockName: "Block 1",
        pagesOrder: { 1: pageId },
      },
    },
    pagesById: {
      [pageId]: {
        surveyId,
        pageId,
        number: 1,
        pageIdBySurvey: 1,
        welcomePage: 0,
        title: "Page 1",
        description: null,
        titleVisible: 1,
        blockId,
        questionOffset: 0,
        questionsOrder: questions.map(({ questionId }) => questionId),
        pageIsRotated: 0,
        questionsRotation: 0,
        randomQuestion: null,
      },
    },
    questionsById: Object.fromEntries(
      questions.map((question) => [question.questionId, { ...questionBody(question, settings), pageId }]),
    ),
    public: 1,
    defaultTranslation: 1,
    blocksOrder: { 1: blockId },
  };
}

function questionBody(question: SimulatedQuestion, settings: Settings): Record<string, unknown> {
  return {
    questionId: question.questionId,
    type: "simple",
    params: questionParams(question, settings),
    questionIsRotated: 0,
    isRandomQuestion: 0,
    numbering: true,
    number: question.number,
    questionIdBySurvey: question.number,
    addedToBank: false,
    templateFile: "questions/simple.tpl",
    points: 0,
    opentext: "",
    open: question.kind === "open" ? 1 : 0,
  };
}

/** Section 2.3: the questions alone. */
export function questionList(survey: SurveyQuestions, settings: Settings): Record<string, unknown>[] {
  return surveyQuestions(survey).map((question) => {
    const { text, answers } = question;
    return {
      questionId: question.questionId,
      number: question.number,
      questionIdBySurvey: question.number,
      type: "simple",
      questionParams: {
        ...questionParams(question, settings),
        exclusionQuestion: 0,
        translatable: { question: text, description: "", open: "", noneAbove: "", answers: [...answers] },
      },
    };
  });
}

/** Question params of section 2.2, misspelling included. */
function questionParams(
  { kind, text, answers }: SimulatedQuestion,
  { answersFrom }: Pick<Settings, "answersFrom">,
): Record<string, unknown> {
  return {
    question: text,
    description: "",
    required: 0,
    comments: 1,
    exclusionQuestion: false,
    questionImgURL: "",
    maxNumberOfAnswers: kind === "single" ? 1 : answers.length,
    minNumberOfAnswers: 0,
    answers,
    imageAnswer: [],
    open: "",
    multiple: kind === "multiple" ? 1 : 0,
    noneAbove: "",
    hideLableText: 0,
    points: 0,
    columnElements: 1,
    scoreArray: {
      ...Object.fromEntries(answers.map((_, index) => [index + answersFrom, String(index)])),
      max: String(Math.max(0, answers.length - 1)),
    },
    presentationTiled: 0,
    presentation: "tiles-horizontal",
    random: 0,
    randomizeOptions: false,
  };
}

/** Shapes that the API document does not show; each follows one plausible reading of it. */

const answerFields = ["questionId", "answer", "comment", "score", "matrixScore"];

/** Operations 9 and 10: one response from its records. */
export function singleResponseBody(records: readonly ListedRecord[], shape: Settings["singleResponseBody"]): unknown {
  const isOfAnswer = ([field]: [string, unknown]) => answerFields.includes(field);
  const head = Object.fromEntries(Object.entries(records[0] ?? {}).filter((entry) => !isOfAnswer(entry)));
  const answers = records.map((record) => Object.fromEntries(Object.entries(record).filter(isOfAnswer)));
  switch (shape) {
    case "records":
      return records;
    case "firstRecord":
      return records.slice(0, 1);
    case "objectWithAnswers":
      return { ...head, answers };
  }
}

export function reportIds(survey: Survey): number[] {
  return [survey.surveyId * 10 + 1, survey.surveyId * 10 + 2];
}

/** Operation 5. */
export function reportsBody(survey: Survey, settings: Settings): unknown {
  return reportIds(survey).map((reportId, index) => ({
    reportId,
    surveyId: survey.surveyId,
    name: `Report ${index + 1}`,
    created: dateTimeString(survey.createdAt, settings.zone),
  }));
}

/** The answer of operation 11 or 13 for a response: a body, or a status that stands for none. */
type EnrichmentAnswer = { body: unknown } | { status: number };

/** The answer to the read numbered `reads`: that of section 2.6 or 2.5, or what the overrides put in its place. */
export function enrichmentAnswer(
  which: "metrics" | "metadata",
  survey: Survey,
  response: SimulatedResponse,
  settings: Settings,
  reads: number,
): EnrichmentAnswer {
  const override = response.overrides[which];
  if (override !== undefined && "body" in override) return override;
  if (override !== undefined && "fail" in override && reads <= override.fail) return { status: 500 };
  if (override !== undefined && "absent" in override && reads <= (override.reads ?? Infinity)) return { status: 404 };
  return { body: (which === "metrics" ? metricsBody : metadataBody)(survey, response, settings) };
}

type Metric = [key: string, metric: Record<string, unknown>];

/** Section 2.6: the metrics of one response. */
function metricsBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(([key, head], index): Metric => {
    const pointsSum = hash32(survey.seed, response.responseId, response.revision, index, 82) % 11;
    return [key, { ...head, score: { pointsSum, maxPointsSum: 10, minPointsSum: 0, nps: index === 0 } }];
  });
  return [contained(metrics, settings)];
}

/** Section 2.7: the metrics of one report. */
export function reportMetricsBody(survey: Survey, settings: Settings): unknown {
  const metrics = metricHeads(survey, settings).map(
    ([key, head]): Metric => [
      key,
      {
        ...head,
        score: (hash32(survey.seed, survey.tally.completed, 81) / 2 ** 32).toFixed(2),
        condition: "",
        maxPointsSum: 10,
        minPointSum: 0,
        responseSum: String(survey.tally.completed),
      },
    ],
  );
  return [contained(metrics, settings)];
}

function contained(metrics: readonly Metric[], { metricContainer }: Settings): unknown {
  return metricContainer === "map" ? Object.fromEntries(metrics) : metrics.map(([, metric]) => metric);
}

/** One to three metrics for each survey. */
function metricHeads(survey: Survey, settings: Settings): Metric[] {
  return Array.from({ length: 1 + (hash32(survey.seed, 83) % 3) }, (_, index) => {
    const metricId = survey.surveyId * 10 + index + 1;
    const head = {
      metricId,
      surveyId: survey.surveyId,
      metricName: ["NPS", "CSAT", "CES"][index] ?? "NPS",
      presentation: "points",
      maxValueIncludingEmptyAnswer: 0,
      testMode: 0,
      firstLevelThreshold: index === 0 ? null : 5,
      secondLevelThreshold: null,
      created: dateTimeString(survey.createdAt, settings.zone),
    };
    return [String(metricId), head];
  });
}

/** Section 2.5: the metadata of one response. */
function metadataBody(survey: Survey, response: SimulatedResponse, settings: Settings): unknown[] {
  const draw = hash32(survey.seed, response.responseId, 84);
  const mobile = draw % 2 === 0;
  const language = hashFraction(draw, 1) < 0.8;
  const metadata = {
    // Blocks reserved for documentation: addresses of nobody.
    ip: draw % 5 === 0 ? `2001:db8:${draw % 9}::7` : `203.0.113.${1 + (draw % 254)}`,
    referrer: draw % 3 === 0 ? "https://shop.example/thanks" : null,
    iso3166: countryOf(survey.seed, response),
    languageId: language ? 23 : null,
    languageName: language ? "Polish" : null,
    languageSymbol: language ? "pl" : null,
    deviceType: mobile ? "mobile" : "desktop",
    deviceTypeName: mobile ? "Mobile" : "Desktop",
    os: mobile ? "Android 16" : "Windows 11",
    browser: mobile ? "Chrome 142.0" : "Firefox 145.0",
  };
  return [settings.metadataList === "anonymous" ? metadata : { responseId: response.responseId, ...metadata }];
}

/** Metadata as operation 13 shows them: also, or only, those of another completed response where the settings say so, the same one at each read. */
export function metadataShown(
  ...[which, survey, response, settings, reads]: Parameters<typeof enrichmentAnswer>
): EnrichmentAnswer {
  const own = enrichmentAnswer(which, survey, response, settings, reads);
  const { metadataList } = settings;
  const isMixed = metadataList === "other" || metadataList === "several";
  if (!isMixed || response.overrides.metadata !== undefined || !("body" in own)) return own;
  const list = survey.list(settings);
  const from = Math.floor(hashFraction(survey.seed, response.responseId, 85) * list.total());
  const listed = list.read(0, list.total(), "asc").map((place) => place.response);
  const other = [...listed.slice(from), ...listed.slice(0, from)].find(
    ({ responseId, completedAt, overrides }) =>
      responseId !== response.responseId && completedAt !== null && overrides.metadata === undefined,
  );
  const others = other === undefined ? [] : metadataBody(survey, other, settings);
  return { body: metadataList === "other" ? others : [...others, ...(own.body as unknown[])] };
}
