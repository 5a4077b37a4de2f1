import { isDeepStrictEqual } from "node:util";
import { type Answer, eventId, type ResponseCompleted } from "../../../lib/events/index.ts";
import { unsigned } from "../service/rereads.ts";
import {
  EXTRA_QUESTION,
  editionAt,
  editionOf,
  type Json,
  type SimResponse,
  type SimSurvey,
  type Version,
} from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { isExcluded, leewayOf } from "./excluded.ts";

/** What is wrong with the contents of an event at the moment at which the bus got it; undefined when nothing is. */
export function wrongContent(world: World, detail: ResponseCompleted): string | undefined {
  const { data, meta } = detail;
  const response = world.responses.get(data.responseId);
  if (response === undefined || response.survey.id !== data.surveyId) return "there is no such response";
  if (response.completedAt === undefined) return "it is not completed";
  const { source } = world.plan;
  if (meta.eventId !== eventId(source.name, data.surveyId, data.responseId, meta.revision))
    return "its event id is wrong";
  return (
    wrongAnswers(world, response, detail) ??
    wrongDetails(world, response, detail) ??
    wrongWords(world, response, detail)
  );
}

function wrongAnswers(world: World, response: SimResponse, detail: ResponseCompleted): string | undefined {
  // Where the single read has more than any page, contents come from it.
  const hadExtra = response.survey.traits.single === "more";
  const answers = detail.data.answers.filter(({ questionId }) => !hadExtra || questionId !== EXTRA_QUESTION);
  const dropComments = world.plan.source.privacy.comments === "drop";
  const text = eventAnswers(answers);
  const truths = completedVersions(response);
  const equal = truths.filter((version) => answersOf(version, dropComments) === text);
  if (equal.length > 0) {
    const extra = detail.data.answers.length - answers.length;
    const wrong = equal.map((version) => wrongFields(detail, version, { extra, anyDate: mayKnowOneDate(response) }));
    return wrong.includes(undefined) ? wrongComments(response, answers) : wrong[0];
  }
  const isPart = truths.some((version) => isPartOf(text, answersOf(version, dropComments)));
  // A repair is made of all its records: nothing excuses a second part, but two copies of the list that show it cut twice.
  const reason = isExcluded(world, response);
  const maybeAgain = reason === "records scattered unseen" || reason === "a copy of the list is behind";
  if (isPart && (detail.meta.revision === 1 || maybeAgain) && leewayOf(world, response).part) return undefined;
  const counts = truths.map(({ records }) => records.length).join(", ");
  return `its ${answers.length} answers are ${isPart ? "only some" : "not those"} of any moment since its completion (${counts} records)`;
}

const completedVersions = ({ versions }: SimResponse) => versions.filter(({ state }) => state === "completed");

/**
 * What operation 9 does not tell of a response as a whole comes from its page: where the records disagree about a date and lie apart, that is
 * what those say which were met.
 */
function mayKnowOneDate({ odd, survey }: SimResponse): boolean {
  return odd === "date-differs" && survey.traits.single === "bare" && survey.traits.layout !== "contiguous";
}

/** Whether all lines of one text are in another one, as often. */
function isPartOf(some: string, all: string): boolean {
  const left = all.split("\n");
  return some.split("\n").every((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function wrongDetails(world: World, response: SimResponse, { data, meta }: ResponseCompleted): string | undefined {
  const { enrich, privacy } = world.plan.source;
  const missing = (kind: string): boolean => meta.missing.some((name) => name.startsWith(`${kind}:`));
  if (enrich.metrics && !missing("metrics")) {
    const said = data.metrics.map(({ metricId, score }) => [metricId, score?.pointsSum]);
    // An open response has none.
    const isOfIt = completedVersions(response).some(({ metrics }) => isDeepStrictEqual(metrics.map(pointsOf), said));
    if (!isOfIt) return "its metrics are not those of the response";
  }
  if (enrich.metadata && !missing("metadata")) {
    const { ip = "" } = response;
    const expected = { keep: ip, truncate: ip.replace(/::7$|\d+$/, (end) => (end === "::7" ? "::" : "0")), drop: null };
    if (data.metadata?.ip !== expected[privacy.ip]) return "its metadata are not those of the response";
  }
  const points = data.metrics[0]?.score?.pointsSum ?? undefined;
  const nps = points === undefined ? null : { score: points, class: NPS_CLASSES[points] };
  if (!isDeepStrictEqual(data.summary.nps, nps)) return "its NPS is not that of its metric";
  if (meta.complete !== (meta.missing.length === 0)) return "it does not say whether it is complete";
  return undefined;
}

const pointsOf = ({ metricId, score }: Json): unknown[] => [metricId, (score as { pointsSum: unknown }).pointsSum];

/** What whole points from 0 to 10 are called. */
const NPS_CLASSES = [...Array<string>(7).fill("detractor"), "passive", "passive", "promoter", "promoter"];

// Contents are compared by what the service said: an irregular field by what stands under `raw`. All of it is of one moment but
// the texts of comments, which may read differently each time: each is one that its record had at some moment.

const truths = new WeakMap<Version, Map<boolean, string>>();

/** The answers of a version as one text, whatever the order of its records. */
export function answersOf(version: Version, dropComments: boolean): string {
  const texts = truths.get(version) ?? new Map<boolean, string>();
  truths.set(version, texts);
  let text = texts.get(dropComments);
  if (text === undefined) {
    text = joined(version.records.map((record) => truthKey(record, dropComments)));
    texts.set(dropComments, text);
  }
  return text;
}

function truthKey(record: Json, dropComments: boolean): string {
  const { questionId, answer, comment, score, matrixScore } = record;
  return JSON.stringify([questionId, answer, dropComments ? "" : withoutText(comment), score, matrixScore]);
}

/** The answers of an event in the same form. */
export function eventAnswers(answers: Answer[]): string {
  return joined(answers.map(eventKey));
}

const joined = (keys: string[]): string => keys.sort().join("\n");

function eventKey(answer: Answer): string {
  const read = { ...answer, ...answer.raw };
  return JSON.stringify([read.questionId, read.answer, withoutText(read.comment), read.score, read.matrixScore]);
}

/** Of the text of a comment only that there is one. */
const withoutText = (comment: unknown): unknown => (typeof comment === "string" && comment !== "" ? true : comment);

function wrongComments({ versions }: SimResponse, answers: Answer[]): string | undefined {
  const had = (answer: Answer): boolean =>
    versions.some(({ records }) =>
      records.some(
        ({ questionId, comment }) => questionId === answer.questionId && comment === unsigned(answer.comment),
      ),
    );
  const isWrong = answers.some((answer) => answer.comment !== "" && answer.raw === undefined && !had(answer));
  return isWrong ? "a comment is none that its record ever had" : undefined;
}

/** What an event cannot be blamed for. */
interface Leeway {
  /** Answers that are not those of records. */
  extra: number;
  /** Whether it may tell any of the dates of completion that its records tell, instead of the newest. */
  anyDate: boolean;
}

/** What is wrong with the fields of the response as a whole; undefined when nothing is. */
function wrongFields(
  { data, meta }: ResponseCompleted,
  version: Version,
  { extra, anyDate }: Leeway,
): string | undefined {
  const [first] = version.records;
  if (first === undefined) return "there is no record";
  const dates = version.records.map(({ dateCompleted }) => dateCompleted).filter((date) => typeof date === "string");
  const { response, answers } = data;
  const { local } = response.completed;
  const expected = {
    country: first.iso3166,
    crk: first.crk,
    promoCode: first.promoCode,
    started: first.dateStart,
    completed: anyDate && local !== null && dates.includes(local) ? local : (dates.sort().at(-1) ?? null),
    answerCount: version.records.length + extra,
    hasComment: answers.some(({ comment }) => comment !== ""),
  };
  const actual = {
    country: response.country,
    crk: response.crk,
    promoCode: response.promoCode,
    started: response.started.local,
    completed: response.completed.local,
    answerCount: response.answerCount,
    hasComment: response.hasComment,
  };
  const [was, is] = [JSON.stringify(expected), JSON.stringify(actual)];
  if (was !== is) return `${is} instead of ${was}`;
  const odd = answers.some(({ raw }) => raw !== undefined);
  return odd && meta.irregular.length === 0 ? "irregular fields are not named" : undefined;
}

/** Milliseconds that may pass between the survey list of a tick and a completion that it still finds: an edit in between is not seen. */
const ONE_TICK = 6 * 60_000;

/** What is wrong with what an event says of its survey and its questions; undefined when nothing is. */
function wrongWords(world: World, response: SimResponse, { data, meta }: ResponseCompleted): string | undefined {
  const { survey } = response;
  const now = world.scheduler.now();
  if (!survey.editions.some(({ facts }) => isDeepStrictEqual(data.survey, facts)))
    return `its survey is ${JSON.stringify(data.survey)}`;
  const { questions: mode } = world.plan.source;
  const isMissing = meta.missing.some((name) => name.startsWith("questions:"));
  if (mode === "none" || isMissing) return wrongNothing(data);
  const texts = data.answers.flatMap(({ question, labels }) => [question?.text, ...(labels ?? [])]);
  const editions = new Set(texts.filter((text) => typeof text === "string").map(editionOf));
  if (editions.size > 1) return "its words are of several editions";
  const [edition] = editions;
  // Nothing but what the survey does not have, or whose labels nobody can tell.
  if (edition === undefined) return undefined;
  if (edition > editionAt(survey, now)) return `its words are of edition ${edition}, which there is not yet`;
  for (const answer of data.answers) {
    const expected = expectedWords(survey, edition, answer, mode);
    const { question, labels } = answer;
    if (!isDeepStrictEqual({ question: question?.text ?? null, labels }, expected))
      return `its words are ${JSON.stringify({ question, labels })}, not ${JSON.stringify(expected)}`;
  }
  return data.labelsMayDiffer ? undefined : wrongEdition(world, response, edition);
}

function wrongNothing(data: ResponseCompleted["data"]): string | undefined {
  const isNothing = data.answers.every(({ question, labels }) => question === null && labels === null);
  return isNothing && !data.labelsMayDiffer ? undefined : "it has words of questions that it is to have none of";
}

function expectedWords(
  survey: SimSurvey,
  edition: number,
  { questionId, answer, raw }: Answer,
  mode: "full" | "labels",
): { question: string | null; labels: string[] | null } {
  const words = survey.editions[edition]?.definition.questionsById[String(questionId)]?.params;
  if (words === undefined) return { question: null, labels: null };
  const { base, evidence } = survey.words;
  const isOdd = raw !== undefined && "answer" in raw;
  const labels =
    isOdd || (evidence !== "told" && answer.length > 0)
      ? null
      : answer.map((index) => words.answers[index - base] ?? "");
  return { question: mode === "full" ? words.question : null, labels };
}

/** Words that are said to be certain are those of the edition in which the response completed. */
function wrongEdition(world: World, response: SimResponse, edition: number): string | undefined {
  const { survey, endedAt = 0, odd } = response;
  const { source, met } = world.plan;
  // Its dates are wrong, or the configured zone is: nobody can tell by them.
  if (odd?.startsWith("date") === true || (source.timeZone !== undefined && met.has("clock-change"))) return undefined;
  const [from, to] = [editionAt(survey, endedAt - ONE_TICK), editionAt(survey, endedAt)];
  if (edition >= from && edition <= to) {
    world.sometimes("the words of an event are certain");
    return undefined;
  }
  return `its words are of edition ${edition}, said to be those of its completion in edition ${to}`;
}
