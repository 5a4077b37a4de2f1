import type { SourceConfig } from "../../../lib/config/index.ts";
import { readMark } from "../../../lib/state/leases.ts";
import { askingAws } from "../../target/aws-failure.ts";
import { eachEmitted } from "../../target/emitted.ts";
import { type SurveyState, tableOf } from "../../target/state.ts";
import type { Target } from "../../target/target.ts";
import type { AuditedSurvey } from "./answer.ts";

interface Of {
  target: Target;
  source: Pick<SourceConfig, "name">;
  /** As they were before the audit. */
  surveys: readonly SurveyState[];
  io: { signal: AbortSignal };
}

/**
 * Names what a full pass has found that other walks should have met. These went out while it was read, and are older than the newest one
 * that was settled before. Null where they are not as many as the pass has counted, since some still wait, say.
 */
export async function withMissing(
  { target, source, surveys, io }: Of,
  audited: AuditedSurvey[],
): Promise<AuditedSurvey[]> {
  const answers: AuditedSurvey[] = [];
  for (const one of audited) {
    const newest = surveys.find(({ surveyId }) => surveyId === one.surveyId)?.mark.highWater?.responseId;
    if (!one.found || newest === undefined) {
      answers.push(one);
      continue;
    }
    const { surveyId, found } = one;
    const { books } = await askingAws("the table could not be read", () =>
      readMark(tableOf(target), source.name, surveyId),
    );
    const ids: number[] = [];
    await eachEmitted(target, [{ source: source.name, surveyId }], io, (_, entries) => {
      for (const { id, emittedAt } of entries)
        if (emittedAt >= (books?.startedAt ?? Number.POSITIVE_INFINITY)) ids.push(id);
    });
    const missing = ids.filter((id) => id < newest).sort((a, b) => a - b);
    answers.push({ ...one, missing: ids.length === found ? missing : null });
  }
  return answers;
}
