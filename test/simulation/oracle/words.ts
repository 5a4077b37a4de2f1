import { isDeepStrictEqual } from "node:util";
import type { Answer, ResponseCompleted } from "../../../lib/events/index.ts";
import { editionAt, editionOf } from "../service/survey-facts.ts";
import type { SimResponse, SimSurvey } from "../service/survey-model.ts";
import type { World } from "../world.ts";

/** Milliseconds that may pass between the survey list of a tick and a completion that it still finds: an edit in between is not seen. */
const ONE_TICK = 6 * 60_000;

/** What is wrong with what an event says of its survey and its questions; undefined when nothing is. */
export function wrongWords(world: World, response: SimResponse, { data, meta }: ResponseCompleted): string | undefined {
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
