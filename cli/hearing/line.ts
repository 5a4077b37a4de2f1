import type { Io } from "../io.ts";
import { surveyName } from "../printable.ts";
import { clock, span } from "../words.ts";
import { type Heard, readEnvelope } from "./envelope.ts";

const LONGEST_TYPE = "response.completed".length;

const COLOURS: Readonly<Record<string, "green" | "yellow" | "red">> = {
  promoter: "green",
  passive: "yellow",
  detractor: "red",
};

/** One line of an event: when it was heard, what it is and where it comes from. Nothing of what the respondent wrote is in it. */
export function lineOf(body: string | object, { style, now }: Pick<Io, "style" | "now">): string {
  const event = readEnvelope(body);
  if (event === undefined) return `${clock(now())}  an event that is none of the contract`;
  const { meta, data } = event.detail;
  const nps = data.summary?.nps;
  const parts = [
    clock(now()),
    event["detail-type"].padEnd(LONGEST_TYPE),
    surveyOf(event),
    data.responseId == null ? "" : `response ${data.responseId}`,
    nps?.score == null ? "" : style(COLOURS[nps.class ?? ""] ?? "reset", `NPS ${nps.score} ${nps.class ?? ""}`.trim()),
    lagOf(event),
    meta.origin ?? "",
    meta.revision == null || meta.revision === 1 ? "" : `revision ${meta.revision}`,
    [data.state, data.reason].filter((word) => word != null).join(": "),
    data.counts == null ? "" : `${data.counts.listed} listed, ${data.counts.emitted} emitted`,
    meta.complete === false ? style("yellow", `incomplete: ${(meta.missing ?? []).join(", ")}`) : "",
    meta.test === true ? style("cyan", "test") : "",
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function surveyOf({ detail: { data } }: Heard): string {
  const name = data.survey?.name ?? data.after?.name ?? null;
  return data.surveyId == null ? "" : surveyName({ surveyId: data.surveyId, name });
}

/** From completion to event. Only where a time zone says when it completed, and not for what was told before. */
function lagOf({ detail: { meta, data } }: Heard): string {
  const { at, ambiguous } = data.response?.completed ?? {};
  if (at == null || meta.detectedAt == null || ambiguous === true || (meta.revision ?? 1) > 1) return "";
  const lag = Date.parse(meta.detectedAt) - Date.parse(at);
  return Number.isNaN(lag) ? "" : `lag ${span(Math.max(0, lag))}`;
}
