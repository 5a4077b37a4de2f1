import type { LedgerEntry } from "../../../lib/polling/index.ts";
import { EXIT, UsageError } from "../../errors.ts";
import type { Io, Style } from "../../io.ts";
import { openTarget } from "../../target/open-target.ts";
import { examples, surveyId, targetVerb, type Verb } from "../../verb.ts";
import { columns, surveyName } from "../../words.ts";
import type { ExplainAnswer } from "./answer.ts";
import { readStory } from "./read.ts";
import { instant } from "./steps.ts";

const EXITS = { settled: EXIT.done, coming: EXIT.notNow, person: EXIT.unaccounted, unknown: EXIT.failed };

const HELP = `
Exit codes: 0 emitted, deleted or before the floor · 3 it goes on by itself (open, waiting, held)
            5 it needs somebody (quarantined, refused, unaccounted) · 1 not known at all`;

export const explainVerb: Verb = (act) =>
  targetVerb("explain", "the story of one response, and what will happen next")
    .argument("[response]", "its id; or record-… of a record that has none")
    .option("--crk <code>", "find it by a respondent's key: a request a survey, 100 at most")
    .option("--survey <id>", "where the response's id alone is ambiguous", surveyId)
    .option("--source <name>", "only this source")
    .option("--ask", "ask the service for it as well, by its id: a request a survey, 100 at most")
    .addHelpText("after", HELP)
    .addHelpText(
      "after",
      examples("explain 45858 --stack SurveyPoller", "explain 45858 --survey 101 --ask", "explain --crk customer-4711"),
    )
    .action((response, { crk, survey, source, ask = false, ...options }) =>
      act(options, async (io) => {
        const by = whichOf(response, crk);
        await using target = await openTarget(options, io);
        const story = await readStory(target, { by, survey, source, ask }, io);
        return { data: story, text: explainText(story, io), exit: EXITS[story.outlook] };
      }),
    );

/** @throws UsageError unless it is said in one way which response is meant */
function whichOf(response: string | undefined, crk: string | undefined): { id: LedgerEntry["id"] } | { crk: string } {
  const hint = "Give the id of a response, or --crk CODE.";
  if (response !== undefined && crk !== undefined) throw new UsageError("both an id and --crk are given", { hint });
  if (crk !== undefined) return { crk };
  if (response === undefined) throw new UsageError("it is not said which response is meant", { hint });
  if (/^record-[\w+/=-]+$/.test(response)) return { id: response as LedgerEntry["id"] };
  const id = Number(response);
  if (/^\d+$/.test(response) && Number.isSafeInteger(id)) return { id };
  throw new UsageError("the response is not an id: a whole number", { hint });
}

const LOOKS: Record<ExplainAnswer["outlook"], readonly [string, Style]> = {
  settled: ["●", "green"],
  coming: ["◐", "blue"],
  unknown: ["▲", "yellow"],
  person: ["■", "red"],
};

/** The verdict, the story step by step, and what happens next. */
function explainText(answer: ExplainAnswer, { style }: Pick<Io, "style">): string[] {
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
