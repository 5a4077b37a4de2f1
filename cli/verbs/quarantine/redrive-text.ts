import { surveyName } from "../../printable.ts";
import { columns, count } from "../../words.ts";
import type { RedriveAnswer } from "./answers.ts";

type Survey = RedriveAnswer["surveys"][number];

const LEFT: Record<keyof NonNullable<Survey["left"]>, string> = {
  unreadable:
    "cannot be read by this version either, or is a single record, or of a survey whose records may lie apart",
  withoutRecords: "was never readable, and its records were dropped when their time was over (retention.quarantine)",
  beforeFloor: "was completed before the floor: it never goes out",
  failed: "has records that could not be read now",
};

const OUTCOMES: Partial<Record<NonNullable<Survey["outcome"]>, string>> = {
  busy: "is being polled just now: try again in a minute",
  unfinished: "is not done yet: run it again to go on",
  "not polled":
    "is left out by the source's `surveys`, and nothing put back would go out: take it in, deploy, and redrive again",
};

/** The responses that would be put back, by reason. Or those that were, by survey, with those that are left and why. */
export function redriveText({ dryRun, total, reasons, surveys }: RedriveAnswer): string[] {
  if (total === 0) return ["Nothing is set aside there."];
  if (dryRun) {
    const rows = reasons.map(({ state, reason, count: number, kept }) => [
      `${number}`,
      reason,
      state,
      `records of ${kept} kept`,
    ]);
    return [
      `${count(total, "response or record", "responses and records")} of ${count(surveys.length, "survey")} would be tried:`,
      ...columns(rows).map((row) => `  ${row}`),
    ];
  }
  const back = surveys.reduce((sum, { putBack }) => sum + putBack, 0);
  return [
    ...surveys.flatMap(surveyText),
    back === 0 ? "Nothing was put back." : `${count(back, "response")} put back: they go out at the next tick.`,
  ];
}

function surveyText(survey: Survey): string[] {
  const { outcome, putBack, left, failure } = survey;
  const reasons = Object.entries(left ?? {}).filter(([, number]) => number > 0);
  const why = outcome === null ? undefined : OUTCOMES[outcome];
  return [
    `${surveyName(survey)}: ${putBack} put back, ${reasons.reduce((sum, [, number]) => sum + number, 0)} left`,
    ...reasons.map(([reason, number]) => `  ${number} ${LEFT[reason as keyof typeof LEFT]}`),
    ...(why === undefined ? [] : [`  It ${why}.`]),
    ...(failure === null ? [] : [`  It failed (${failure.code}): ${failure.message}`]),
  ];
}
