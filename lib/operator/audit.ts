import * as z from "zod";
import { oneOf, section } from "../config/fields.ts";
import { dropBooksRead, failureOf, readForBooks, tellBooks } from "../polling/index.ts";
import { makeDue, type OperationContext, onSurvey, operation, readySource } from "./operation.ts";

export interface AuditResult {
  /**
   * Planned: ticks make the full read as they can. Read: some pages of it, more are left. Ended: its end was come to, whatever it has proved. Busy: someone
   * else has the survey. Behind: it has a backlog, and no full read is made meanwhile. Paused: the service is left alone.
   */
  outcome: "planned" | "read" | "ended" | "busy" | "behind" | "paused";
  /** Of a planned one: what the state says of its next full read, in epoch milliseconds. */
  dueAt?: number;
  failure?: { code: string; message: string };
}

/** Milliseconds of one slice, at most: meanwhile no tick looks at the head of the survey. */
const LONGEST_SLICE = 30_000;

/** The full read of a survey. Plan: it is made due at once, from page 1. Read: some of it is read whatever the background budget. */
export const audit = operation({
  input: section({ surveyId: z.int().positive(), mode: oneOf("plan", "read") }),
  run: (context, { surveyId, mode }) => (mode === "plan" ? plan : readOn)(context, surveyId),
});

async function plan(context: OperationContext, surveyId: number): Promise<AuditResult> {
  const { ports } = context;
  const account = await readySource(context, surveyId);
  const now = ports.clock.now();
  const done = await onSurvey(context, { surveyId, account }, async (survey) => {
    // One that has begun before it was asked for proves nothing of what has come since.
    await dropBooksRead(survey);
    survey.note({ kind: "full read due", at: now });
    return true;
  });
  if (done === undefined) return { outcome: "busy" };
  await makeDue(ports, [surveyId], { fullAt: now });
  return { outcome: "planned", dueAt: now };
}

async function readOn(context: OperationContext, surveyId: number): Promise<AuditResult> {
  const { ports, deadline } = context;
  const account = await readySource(context, surveyId);
  if (account.pausedUntil !== undefined) return { outcome: "paused" };
  const until = Math.min(deadline, ports.clock.now() + LONGEST_SLICE);
  const result = await onSurvey(context, { surveyId, account, until }, async (survey): Promise<AuditResult> => {
    if (survey.state.phase.kind !== "head") return { outcome: "behind" };
    await readForBooks(survey);
    const isOver = survey.state.pass === undefined;
    if (isOver) await tellBooks(survey);
    const failure = survey.failure === undefined ? {} : { failure: failureOf(survey.failure) };
    return { outcome: isOver ? "ended" : "read", ...failure };
  });
  if (result?.outcome === "ended") await makeDue(ports, [surveyId]);
  return result ?? { outcome: "busy" };
}
