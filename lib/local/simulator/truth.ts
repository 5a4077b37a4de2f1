import { enrichmentAnswer } from "./enrichment.ts";
import { allRecords } from "./record-contents.ts";
import type { ListedRecord, SimulatedResponse } from "./responses.ts";
import type { Settings } from "./settings.ts";
import type { Survey } from "./survey.ts";
import { listedFacts } from "./survey-bodies.ts";

/** A completed response as it truly is: what a test compares events with. Instants are epoch milliseconds. */
export type TruthResponse = NonNullable<ReturnType<typeof responseTruth>>;

/** The truth of one response; undefined while it is open, or when it does not exist. */
export function responseTruth(survey: Survey, response: SimulatedResponse | undefined, settings: Settings) {
  if (response === undefined || response.completedAt === null) return undefined;
  const { responseId, startedAt, completedAt } = response;
  const { seed, surveyId, questions, edition } = survey;
  const bodyOf = (which: "metrics" | "metadata"): unknown => {
    // By its last read an enrichment that fails for a while has come through.
    const answer = enrichmentAnswer(which, survey, response, settings, Number.POSITIVE_INFINITY);
    return "body" in answer ? answer.body : null;
  };
  return {
    surveyId,
    responseId,
    startedAt,
    completedAt,
    /** The facts of its survey in the survey list. */
    survey: listedFacts(survey, settings),
    /** The numbers from which the questions of its survey are computed. */
    questions: { seed, surveyId, questions, edition },
    /** The records as they are listed, questions ascending. */
    records: allRecords(survey, response, settings).map(asListed),
    /**
     * The bodies of operations 11 and 13 once they no longer fail; null where there are none. Nothing of another response is
     * in them.
     */
    metrics: bodyOf("metrics"),
    metadata: bodyOf("metadata"),
  };
}

// As JSON has it: a field that is undefined is not there.
function asListed(record: ListedRecord): ListedRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
