import { surveyName } from "../../printable.ts";
import { columns, count } from "../../words.ts";
import type { ForgetAnswer } from "./answer.ts";

/** The parts that are held and go, those that stay, and those that lie elsewhere. */
export function forgetText({
  dryRun,
  id,
  source,
  surveyId,
  name,
  state,
  held,
  stays,
  records,
  elsewhere,
}: ForgetAnswer): string[] {
  if (surveyId === null) {
    return [
      `Nothing is held of response ${id}: it was never met.`,
      "Nothing was written either. To note it beforehand, so that it never goes out, name its survey: --survey.",
    ];
  }
  const isHeld = held.entry.length + held.mark.length + held.objects.length > 0;
  const where = `response ${id} of ${surveyName({ surveyId, name })}, source ${source}`;
  const lines = [
    ...(held.entry.length === 0 ? [] : [["table", `its entry (${state}): ${held.entry.join(", ")}`]]),
    ...(held.mark.length === 0 ? [] : [["mark", held.mark.join(", ")]]),
    ...held.objects.map((key) => ["bucket", key]),
  ];
  function headline(): string {
    if (isHeld) return `${dryRun ? "Would be forgotten" : "Forgotten"}: ${where}`;
    if (state !== null) return `Nothing more is held of ${where}.`;
    return `Never met: ${where}. It ${dryRun ? "would be" : "is"} noted as forgotten.`;
  }
  const until = (at: number | null): string =>
    at === null ? "" : ` (until ${new Date(at).toISOString().slice(0, 10)})`;
  return [
    headline(),
    ...columns(lines).map((line) => `  ${line}`),
    ...(stays === null ? [] : [`What stays, so that it never goes out again: ${JSON.stringify(stays)}`]),
    ...(records === 0
      ? []
      : [
          `${count(records, "single record")} of this survey may be of it: nobody knows whose they are. See quarantine list, show and forget with their ids.`,
        ]),
    "Not purged by this:",
    ...elsewhere.map((one) => `  ${one.where}${until(one.until)}: ${one.what}.`),
  ];
}
