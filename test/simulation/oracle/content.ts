import { isDeepStrictEqual } from "node:util";
import { eventId, type ResponseCompleted } from "../../../lib/events/index.ts";
import { EXTRA_QUESTION, type Json, type SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { isExcluded, leewayOf } from "./excluded.ts";
import { answersOf, eventAnswers, wrongComments, wrongFields } from "./expected-answers.ts";
import { wrongWords } from "./words.ts";

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
