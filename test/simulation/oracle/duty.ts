import { credible } from "../../../lib/events/build/date-string.ts";
import { isHistory, type Start, selected } from "../../../lib/polling/index.ts";
import { BEHIND, type SimResponse } from "../service/survey-model.ts";
import type { World } from "../world.ts";
import type { MarkFacts } from "./books-check.ts";

/** Whether a response has to be emitted, must not be, or may be: where it may have been met open, or by books that know nothing of it. */
export type Duty = "must" | "must-not" | "may";

/** By R15; from the truth about the response, the start that the poller has stored, and the first books of the survey. */
export function dutyOf(
  world: World,
  response: SimResponse,
  facts: MarkFacts | undefined,
  start: Start | undefined,
): Duty {
  const { endedAt = Infinity, completedAt = Infinity } = response;
  if (endedAt === completedAt) return dutyAt(world, response, completedAt, facts, start);
  // It could not be read at first, and its date decides, whatever books there have been: what that said then may have settled it.
  const duty = dutyAt(world, response, completedAt, undefined, start);
  if (duty !== "must") return duty;
  return dutyAt(world, response, endedAt, facts, start) === "must" ? "must" : "may";
}

function dutyAt(
  world: World,
  response: SimResponse,
  completedAt: number,
  facts: MarkFacts | undefined,
  start: Start | undefined,
): Duty {
  const { survey } = response;
  if (response.completedAt === undefined || !selected(survey.id, world.plan.source.surveys)) return "must-not";
  // Nothing goes out before the start stands.
  if (start === undefined) return "must-not";
  if (start.at === null || completedAt > (facts?.firstBooks?.closedAt ?? Infinity)) return "must";
  const date = dateOf(response, completedAt);
  if (date !== undefined && !isHistory(date, start)) return "must";
  const { copy, firstReadAt = Infinity } = survey;
  // A copy that is behind shows as open for a while what has completed.
  const shownBefore = copy === undefined ? firstReadAt : firstReadAt - BEHIND;
  // It may list once more what was deleted before the first books.
  const mayComeBack = copy !== undefined && response.removedAt !== undefined;
  const mayHaveSlipped = mayComeBack || facts?.firstBooks?.mayHaveSlipped === true;
  return completedAt <= shownBefore && !mayHaveSlipped ? "must-not" : "may";
}

/** The date by which it is judged: that of its completion, else that of its beginning. */
function dateOf(response: SimResponse, completedAt: number): string | undefined {
  const started = response.versions.at(-1)?.records[0]?.dateStart;
  const dates = [latestDate(response), typeof started === "string" ? started : null];
  return dates.find((date) => credible(date, completedAt)) ?? undefined;
}

/** The largest date of completion that its records have. */
export function latestDate({ versions }: SimResponse): string | null {
  const dates = versions.at(-1)?.records.map(({ dateCompleted }) => dateCompleted) ?? [];
  const texts = dates.filter((date) => typeof date === "string");
  return texts.sort().at(-1) ?? null;
}
