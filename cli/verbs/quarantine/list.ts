import { surveyId } from "../../arguments.ts";
import type { Io } from "../../io.ts";
import { surveyName } from "../../printable.ts";
import { openTarget } from "../../target/open-target.ts";
import { sourcesOf } from "../../target/target.ts";
import { examples, targetVerb, type Verb } from "../../verb.ts";
import { ago, count } from "../../words.ts";
import type { Group, ListAnswer } from "./answers.ts";
import { groupsOf, readSetAside } from "./set-aside.ts";

/** Ids that are named of one survey. */
const NAMED = 8;

export const listVerb: Verb = (act) =>
  targetVerb("list", "what was set aside, by reason, with what mends it")
    .option("--survey <id>", "only this survey", surveyId)
    .option("--source <name>", "only this source")
    .addHelpText("after", "\nExit code 0, also where there is something: the books count it.")
    .addHelpText("after", examples("quarantine list --stack SurveyPoller", "quarantine list --survey 101 --json"))
    .action((options) =>
      act(options, async (io) => {
        await using target = await openTarget(options, io);
        const sources = (await sourcesOf(target, options.source)).map(({ name }) => name);
        const surveyIds = options.survey === undefined ? undefined : [options.survey];
        const found = await readSetAside(target, { sources, surveyIds }, io);
        const answer = { total: found.length, groups: groupsOf(found, target.flags) };
        return { data: answer, text: listText(answer, io) };
      }),
    );

function listText({ total, groups }: ListAnswer, io: Pick<Io, "style" | "now">): string[] {
  if (total === 0) return ["Nothing is set aside."];
  const what = `${count(total, "response or record", "responses and records")} set aside; they are accounted for.`;
  return [what, ...groups.flatMap((group) => ["", ...groupText(group, io)])];
}

function groupText(group: Group, { style, now }: Pick<Io, "style" | "now">): string[] {
  const { source, state, reason, oldest, kept, recordsGo, meaning, mend, next, surveys } = group;
  const since = oldest === null ? "" : `, the oldest ${ago(oldest, now())}`;
  const records =
    kept === 0
      ? "No records are kept any more."
      : `Records of ${kept} are kept${recordsGo === null ? "" : `; the first go on ${dayOf(recordsGo)}`}.`;
  return [
    `${style("yellow", "▲")} ${reason} (${state}, source ${source}): ${group.count}${since}`,
    ...surveys.map(({ ids, ...survey }) => {
      const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
      return `  ${surveyName(survey)}: ${ids.slice(0, NAMED).join(", ")}${more}`;
    }),
    `  ${meaning} ${records}`,
    `  ${mend}`,
    `  Next: ${next}`,
  ];
}

/** "2026-08-30". */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
