import type { Io, Style } from "../../io.ts";
import { surveyName } from "../../printable.ts";
import { columns } from "../../words.ts";
import type { ExplainAnswer } from "./answer.ts";
import { instant } from "./say.ts";

const LOOKS: Record<ExplainAnswer["outlook"], readonly [string, Style]> = {
  settled: ["●", "green"],
  coming: ["◐", "blue"],
  unknown: ["▲", "yellow"],
  person: ["■", "red"],
};

/** The verdict, the story step by step, and what happens next. */
export function explainText(answer: ExplainAnswer, { style }: Pick<Io, "style">): string[] {
  const { outlook, sentence, steps, next, log, responseId, surveyId, survey, source } = answer;
  const [glyph, colour] = LOOKS[outlook];
  const where = surveyId === null ? "" : ` of ${surveyName({ surveyId, name: survey?.name ?? null })}`;
  const rows = steps.map(({ at, what, detail }) => [at === null ? "" : instant(at, true), what, detail]);
  const when = next.at === null ? "" : ` At ${instant(next.at)} or soon after.`;
  return [
    `${style(colour, glyph)} ${sentence}`,
    `Response ${responseId}${where}, source ${source}.`,
    ...(rows.length === 0 ? [] : ["", ...columns(rows), ""]),
    ...(log.note === null ? [] : [log.note]),
    `Next: ${next.what}${when}`,
    ...(next.command === null ? [] : [`  ${next.command}`]),
  ];
}
