import type { ResponseCompleted } from "../../lib/events/index.ts";
import type { EventEnvelope } from "../aws/index.ts";

/** What a line says of an event: of the contents of a response, or of something else. */
type Detail = Partial<ResponseCompleted["data"]> & { asOf?: string; counts?: { listed?: number } };

const SURVEY_WIDTH = 22;
const SAID_WIDTH = 16;

/**
 * An event as a line for people: when, survey by name, NPS, lag. Nothing that a respondent has said beside the NPS is in it.
 *
 * @param now epoch milliseconds
 * @example "20:15:03  After the purchase        NPS 9 promoter    lag 1.2 s  response 46374"
 */
export function eventLine({ "detail-type": type, detail }: EventEnvelope, now: number): string {
  const data = (detail.data ?? {}) as Detail;
  const id = data.responseId;
  return [
    new Date(now).toLocaleTimeString("en-GB"),
    toWidth(data.survey?.name ?? `survey ${data.surveyId ?? "?"}`, SURVEY_WIDTH),
    toWidth(saidOf(type, data), SAID_WIDTH),
    lagOf(data, now).padEnd(11),
    id === undefined ? "" : `response ${id}`,
  ]
    .join("  ")
    .trimEnd();
}

function saidOf(type: string, { summary }: Detail): string {
  const nps = summary?.nps;
  const said = nps === undefined || nps === null ? "no NPS" : `NPS ${nps.score} ${nps.class}`;
  if (type === "response.completed") return said;
  return type.replace(/^response\./, "").replace(".", " ");
}

/** From completion to the bus. Unknown without a time zone. */
function lagOf({ response }: Detail, now: number): string {
  const at = response?.completed?.at;
  return at === undefined ? "" : `lag ${(Math.max(0, now - Date.parse(at)) / 1000).toFixed(1)} s`;
}

function toWidth(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
