import { mix } from "../engine/random.ts";
import type { World } from "../world.ts";
import type { SimSurvey } from "./survey-model.ts";

interface Movement {
  started?: number;
  completed?: number;
  removed?: number;
}

/** Moves the counts of a survey; tells whether the survey list shows it at once, and as it is. */
export function countChange(
  world: World,
  survey: SimSurvey,
  { started = 0, completed = 0, removed = 0 }: Movement,
): boolean {
  // Some services count what was deleted as well: a deletion and an arrival cancel each other where they do not.
  const lost = survey.id % 2 === 0 ? removed : 0;
  const move = (counts: SimSurvey["shown"]): void => {
    counts.started += started - lost;
    counts.completed += completed - lost;
  };
  move(survey.counted);
  const { counts, countLag } = survey.traits;
  if (counts !== "lagging") {
    move(survey.shown);
    return counts === "right" || counts === "one" || counts === "starts";
  }
  world.scheduler.at(world.scheduler.now() + countLag, () => move(survey.shown));
  return false;
}

/** The counts of a survey list item. */
export function shownCounts(survey: SimSurvey, now: number): Record<string, unknown> {
  const { started, completed } = survey.shown;
  switch (survey.traits.counts) {
    case "right":
    case "lagging":
      return { responses: completed, correct: completed, unpaidResponses: 0 };
    case "starts":
      return { responses: started, correct: completed, unpaidResponses: 0 };
    case "one":
      return survey.id % 3 === 0
        ? { responses: 7, correct: 5, unpaidResponses: completed }
        : { responses: 7, correct: completed, unpaidResponses: 2 };
    case "frozen":
      return { responses: 41, correct: 40, unpaidResponses: 0 };
    case "lying":
      return { responses: mix(now, survey.id) % 50, correct: 12, unpaidResponses: mix(survey.id, now) % 3 };
    case "odd":
      return survey.id % 2 === 0
        ? { responses: null, correct: "many", unpaidResponses: null }
        : { responses: String(completed), correct: null };
  }
}
