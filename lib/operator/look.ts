import * as z from "zod";
import { section } from "../config/fields.ts";
import { classOf, completedAt, readRecord } from "../polling/index.ts";
import { NotFoundError } from "../survey-api/index.ts";
import { type OperationContext, operation, refusePaused } from "./operation.ts";

/** Surveys that one invocation asks for a response, at most. */
export const MOST_ASKED = 100;

/** Asks the service for one response, by its id (operation 9) or by its crk (operation 10), one request a survey. Nothing is stored. */
export const look = operation({
  input: section({
    surveyIds: z.array(z.int().positive()).nonempty().max(MOST_ASKED),
    responseId: z.int().nonnegative().optional(),
    crk: z
      .string()
      .refine((text) => !["", ".", ".."].includes(text) && text.isWellFormed(), {
        error: 'must be a text, not empty and not "." or ".."',
      })
      .optional(),
  }),
  async run(context, { surveyIds, responseId, crk = "" }) {
    // Reading it tells the client what other workers know of the service's rate, too.
    refusePaused(await context.ports.state.account());
    const found: Looked[] = [];
    let asked = 0;
    for (const surveyId of surveyIds) {
      if (asked > 0 && Date.now() > context.deadline) break;
      const looked = await read(context, surveyId, responseId, crk);
      asked += 1;
      if (looked !== undefined) found.push(looked);
    }
    // Surveys that were asked, from the first on: the others had no time.
    return { found, asked };
  },
});

/** The response as one survey gives it; undefined where it has none. */
async function read(
  { graph, ports, abortsAt }: OperationContext,
  surveyId: number,
  id: number | undefined,
  crk: string,
): Promise<Looked | undefined> {
  if (id !== undefined) {
    const answer = await ports.service.response(surveyId, id);
    return answer.kind === "absent" ? undefined : lookedAt(surveyId, id, answer.body);
  }
  try {
    const signal = AbortSignal.timeout(Math.max(0, abortsAt - Date.now()));
    const { responseId, records } = await graph.api.responseByCrk(surveyId, crk, { signal });
    return responseId === undefined ? undefined : lookedAt(surveyId, responseId, records);
  } catch (error) {
    if (error instanceof NotFoundError && error.operation === "get survey response by crk") return undefined;
    throw error;
  }
}

/** A response as the service gives it now: which it is and when it was completed, and nothing of its contents. */
export type Looked = ReturnType<typeof lookedAt>;

function lookedAt(surveyId: number, responseId: number, records: readonly unknown[]) {
  const run = { responseId, records: records.map((record) => readRecord(record)) };
  const isEmpty = records.length === 0;
  const state = isEmpty ? "unreadable" : classOf(run);
  return {
    ...{ surveyId, responseId, records: records.length },
    isCompleted: state === "unreadable" ? null : state === "completed",
    // As the service writes it.
    dateCompleted: isEmpty ? null : completedAt(run),
  };
}
