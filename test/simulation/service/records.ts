import { mix } from "../engine/random.ts";
import { localString, type ServiceClock } from "./service-clock.ts";
import type { Json, SimResponse, Version } from "./survey-model.ts";

const COUNTRIES = ["PL", "DE", "FR", "US"];
const COMMENTS = ["", "", "", "fine", "zażółć gęślą jaźń", "line\nbreak"];
/** Too long to be kept in an item of the table. */
const LARGE = "so much to say ".repeat(8_000);
/** Far further ahead than any zone, and less far: then it may be a zone. */
const FAR_FUTURE = 400 * 86_400_000;
const AHEAD = 9 * 3_600_000;

/** The records of a response as the service lists them: `edition` counts the changes of its contents. */
export function recordsOf(
  response: SimResponse,
  state: Version["state"],
  clock: ServiceClock,
  edition: number,
): readonly Json[] {
  const { id, odd, survey, answers } = response;
  const base = {
    responseId: odd === "id-text" ? String(id) : id,
    surveyId: survey.id,
    iso3166: COUNTRIES[id % 4],
    crk: id % 3 === 0 ? `crk-${id}` : null,
    promoCode: null,
    completed: completedFlag(response, state),
    dateStart: localString(clock, response.startedAt),
  };
  const date = dateCompleted(response, state, clock);
  const records: Json[] = [];
  for (let i = 0; i < answers; i += 1) {
    const chance = mix(id * 1_009 + i, edition);
    const twin = survey.traits.twins && i % 2 === 1;
    const content = twin ? mix(id * 1_009 + i - 1, edition) : chance;
    records.push(
      Object.freeze({
        ...base,
        dateCompleted: odd === "date-differs" && i % 2 === 1 && date !== null ? base.dateStart : date,
        questionId: twin ? i : i + 1,
        answer: odd === "answer-text" && i === 0 ? "3" : [(content % 5) + survey.words.base],
        comment: i === 0 && (odd === "comment-null" || odd === "large") ? oddComment(odd) : commentOf(content),
        score: odd === "score-text" && i === 0 ? "5" : (content >>> 8) % 3 === 0 ? (content >>> 10) % 11 : null,
        matrixScore: null,
      }),
    );
  }
  return records;
}

const commentOf = (chance: number): string | undefined => COMMENTS[(chance >>> 4) % COMMENTS.length];
const oddComment = (odd: "comment-null" | "large"): string | null => (odd === "large" ? LARGE : null);

function completedFlag({ odd }: SimResponse, state: Version["state"]): unknown {
  if (state === "unreadable") return "maybe";
  const completed = state === "completed";
  if (odd === "completed-text") return completed ? "1" : "0";
  return odd === "completed-true" ? completed : Number(completed);
}

function dateCompleted(response: SimResponse, state: Version["state"], clock: ServiceClock): string | null {
  const { odd, survey, startedAt, endedAt } = response;
  if (state === "open") {
    const { openDate } = survey.traits;
    if (openDate === "null") return null;
    if (openDate === "empty") return "";
    return openDate === "zeros" ? "0000-00-00 00:00:00" : localString(clock, startedAt);
  }
  if (odd === "date-null") return null;
  if (odd === "date-empty") return "";
  if (odd === "date-zeros") return "0000-00-00 00:00:00";
  const at = endedAt ?? startedAt;
  return localString(clock, at + aheadBy(odd));
}

/** Milliseconds by which the date of completion is wrong. */
export function aheadBy(odd: SimResponse["odd"]): number {
  if (odd === "date-future") return FAR_FUTURE;
  return odd === "date-ahead" ? AHEAD : 0;
}
