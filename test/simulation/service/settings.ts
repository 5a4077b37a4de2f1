import type { CountRule, Settings, SettingsPatch } from "../../../lib/local/simulator/settings.ts";
import { mix } from "../engine/random.ts";
import type { ServiceClock } from "../plan/plan.ts";
import type { SimSurvey, Traits } from "./survey-model.ts";

const pastEnd: Record<Traits["pastEnd"], Settings["pastEnd"]> = {
  empty: "empty",
  "no-content": "204",
  "not-found": "404",
  "bad-request": "400",
  repeat: "repeatLast",
  fault: "500",
};

const openDates = { null: null, empty: "", zeros: "0000-00-00 00:00:00", start: "dateStart" } as const;

const rereads = { none: "same", undocumented: "readAt", comment: "same", order: "fieldOrder" } as const;

type Told = Pick<SimSurvey, "id" | "traits" | "words" | "orphans">;

/** The service as the traits of one of its surveys have it. What no setting is for, its answers are changed for. */
export function settingsOf(survey: Told, clock: ServiceClock, now: () => number): SettingsPatch {
  const { traits, words } = survey;
  const [least, most] = traits.answers;
  const { pastEnd: end } = traits;
  return {
    // As many questions as a response may have records, and never few: labels are judged by several.
    recordsPerResponse: [least, Math.max(40, most)],
    sortKey: traits.sortKey,
    layout: traits.layout,
    descQuestions: traits.stableDesc ? "ascending" : "descending",
    openListed: traits.listsOpen,
    openDateCompleted: openDates[traits.openDate],
    zone: (at) => (at < clock.changesAt ? clock.offset : clock.offsetAfter),
    pageSize: traits.shortPages ? "short" : "full",
    pastEnd: pastEnd[end],
    emptyList: end === "no-content" ? "204" : end === "not-found" ? "404" : "array",
    rereads: rereads[traits.volatile],
    recordSurveyId: traits.namesItself ? "present" : "missing",
    answersFrom: words.base,
    metricContainer: traits.metricsAs === "list" ? "list" : "map",
    metadataList: traits.metadataAs,
    counts: countsOf(survey, now),
    countLagMs: traits.countLag,
  };
}

/** The three counts of the survey list. */
function countsOf(survey: Told, now: () => number): Settings["counts"] {
  const { id, traits } = survey;
  // Some services count what was deleted as well: a deletion and an arrival cancel each other where they do not.
  const completed: CountRule = (tally) => (id % 2 === 0 ? tally.completed : tally.everCompleted) - survey.orphans;
  const started: CountRule = (tally) => completed(tally) + tally.open;
  const fixed =
    (count: unknown): CountRule =>
    () =>
      count as number;
  switch (traits.counts) {
    case "right":
      return { responses: completed, correct: completed, unpaidResponses: "zero" };
    case "lagging":
      return { responses: "lagging", correct: "lagging", unpaidResponses: "zero" };
    case "starts":
      return { responses: started, correct: completed, unpaidResponses: "zero" };
    case "one":
      return id % 3 === 0
        ? { responses: fixed(7), correct: fixed(5), unpaidResponses: completed }
        : { responses: fixed(7), correct: completed, unpaidResponses: fixed(2) };
    case "frozen":
      return { responses: fixed(41), correct: fixed(40), unpaidResponses: "zero" };
    case "lying":
      return {
        responses: () => mix(now(), id) % 50,
        correct: fixed(12),
        unpaidResponses: () => mix(id, now()) % 3,
      };
    case "odd":
      return id % 2 === 0
        ? { responses: fixed(null), correct: fixed("many"), unpaidResponses: fixed(null) }
        : {
            responses: (tally) => String(completed(tally)) as never,
            correct: fixed(null),
            unpaidResponses: fixed(undefined),
          };
  }
}
