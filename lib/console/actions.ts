import * as z from "zod";
import type { Io } from "../cli/io.ts";
import { readSource } from "../cli/target/surveys.ts";
import { sourcesOf, type Target } from "../cli/target/target.ts";
import { readPasses, surveyLine } from "../cli/verbs/audit/passes.ts";
import { changePause, pauseText } from "../cli/verbs/pause.ts";
import { FOREVER } from "../state/keys.ts";

/** What the page may ask for, and of which source and survey; all of them where none is named. */
export const asked = z.strictObject({
  kind: z.enum(["audit", "pause", "resume"]),
  source: z.string().optional(),
  surveyId: z.int().optional(),
});
export type Asked = z.infer<typeof asked>;

/** Does what the page asks for, by the code of the verbs of the same name. Gives the outcome, in lines. */
export async function act(
  { kind, source: name, surveyId }: Asked,
  target: Target,
  io: Pick<Io, "now" | "say" | "signal">,
): Promise<string[]> {
  const sources = await sourcesOf(target, name);
  if (kind !== "audit") {
    const until = kind === "resume" ? null : FOREVER;
    return pauseText(await changePause(target, sources, { until, now: io.now(), isDone: true }));
  }
  const progress = { update: () => undefined, end: () => undefined };
  const lines: string[] = [];
  for (const source of sources) {
    const { surveys } = await readSource(target, source.name);
    const chosen = surveys.filter((survey) => surveyId === undefined || survey.surveyId === surveyId);
    lines.push(...(await readPasses({ target, source, surveys: chosen, io, progress }, true)).map(surveyLine));
  }
  return lines;
}
