import { eventId, type ResponseCompleted } from "../../../lib/events/index.ts";
import { ipOf, pointsOf } from "../service/details.ts";
import type { SimResponse, Version } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import { answersOf, eventAnswers, wrongFields } from "./expected-answers.ts";

/** What is wrong with the contents of an event at the moment at which the bus got it; undefined when nothing is. */
export function wrongContent(world: World, detail: ResponseCompleted): string | undefined {
  const { data, meta } = detail;
  const response = world.responses.get(data.responseId);
  if (response === undefined || response.survey.id !== data.surveyId) return "there is no such response";
  if (response.completedAt === undefined) return "it is not completed";
  const { source } = world.plan;
  if (meta.eventId !== eventId(source.name, data.surveyId, data.responseId, meta.revision))
    return "its event id is wrong";
  return wrongAnswers(world, response, detail) ?? wrongDetails(world, response, detail);
}

function wrongAnswers(world: World, response: SimResponse, detail: ResponseCompleted): string | undefined {
  const { answers } = detail.data;
  const dropComments = world.plan.source.privacy.comments === "drop";
  const text = eventAnswers(answers);
  const equal = response.versions.filter((version) => isTruth(version) && answersOf(version, dropComments) === text);
  if (equal.length === 0) {
    const counts = response.versions.filter(isTruth).map(({ records }) => records.length);
    return `its ${answers.length} answers are those of no moment since its completion (${counts.join(", ")} records)`;
  }
  const wrong = equal.map((version) => wrongFields(detail, version));
  return wrong.includes(undefined) ? undefined : wrong[0];
}

const isTruth = (version: Version): boolean => version.state === "completed";

function wrongDetails(world: World, response: SimResponse, { data, meta }: ResponseCompleted): string | undefined {
  const { enrich, privacy } = world.plan.source;
  const missing = (kind: string): boolean => meta.missing.some((name) => name.startsWith(`${kind}:`));
  if (enrich.metrics && !missing("metrics")) {
    const [metric] = data.metrics;
    if (data.metrics.length !== 1 || metric?.metricId !== 31) return "its metrics are not those of the response";
    if (metric.score?.pointsSum !== pointsOf(response)) return "its score is not that of the response";
  }
  if (enrich.metadata && !missing("metadata")) {
    const ip = ipOf(response);
    const expected = { keep: ip, truncate: ip.replace(/\d+$/, "0"), drop: null }[privacy.ip];
    if (data.metadata?.ip !== expected) return "its metadata are not those of the response";
  }
  if (meta.complete !== (meta.missing.length === 0)) return "it does not say whether it is complete";
  return undefined;
}
