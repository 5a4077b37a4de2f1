import type { Io } from "../cli/io.ts";
import { readSource } from "../cli/target/surveys.ts";
import { sourcesOf, type Target } from "../cli/target/target.ts";
import { type AuditedSurvey, readPasses, surveyLine } from "../cli/verbs/audit/verb.ts";
import { changePause, pauseText } from "../cli/verbs/pause.ts";
import { FOREVER } from "../state/keys.ts";

export const ACTIONS = ["audit", "pause", "resume"] as const;
export type ActionKind = (typeof ACTIONS)[number];

export interface ActionOf {
  source?: string | undefined;
  surveyId?: number | undefined;
}

type ActionIo = Pick<Io, "now" | "say" | "signal">;

/** Does what the page asks for, by the code of the verbs of the same name. Gives the outcome, in lines. */
export async function act(kind: ActionKind, of: ActionOf, target: Target, io: ActionIo): Promise<string[]> {
  if (kind === "audit") return (await audit(of, target, io)).map(surveyLine);
  const until = kind === "resume" ? null : FOREVER;
  const sources = await sourcesOf(target, of.source);
  return pauseText(await changePause(target, sources, { until, now: io.now(), isDone: true }));
}

async function audit({ source: name, surveyId }: ActionOf, target: Target, io: ActionIo): Promise<AuditedSurvey[]> {
  const progress = { update: () => undefined, end: () => undefined };
  const audited: AuditedSurvey[] = [];
  for (const source of await sourcesOf(target, name)) {
    const { surveys } = await readSource(target, source.name);
    const chosen = surveys.filter((survey) => surveyId === undefined || survey.surveyId === surveyId);
    audited.push(...(await readPasses({ target, source, surveys: chosen, io, progress }, true)));
  }
  return audited;
}
