import * as z from "zod";
import { section } from "../config/fields.ts";
import { classOf, completedAt, readRecord, type SurveyService } from "../polling/index.ts";
import { NotFoundError } from "../survey-api/index.ts";
import { type OperationContext, operation, refusePaused } from "./operation.ts";

/** Surveys that one invocation asks for a response, at most. */
export const MOST_ASKED = 100;

/** A response as the service gives it now: which it is and when it was completed, and nothing of its contents. */
export interface Looked {
  surveyId: number;
  responseId: number;
  /** Null where that cannot be read. */
  isCompleted: boolean | null;
  dateCompleted: string | null;
  records: number;
}

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
    const { service, state } = context.ports;
    // Tells the client what other workers know of the service's rate, too.
    refusePaused(await state.account());
    const found: Looked[] = [];
    let asked = 0;
    for (const surveyId of surveyIds) {
      if (asked > 0 && Date.now() > context.deadline) break;
      const read =
        responseId === undefined ? await byCrk(context, surveyId, crk) : await byId(service, surveyId, responseId);
      asked += 1;
      if (read !== undefined) found.push(lookedAt(surveyId, read));
    }
    // Surveys that were asked, from the first on: the others had no time.
    return { found, asked };
  },
});

interface Read {
  responseId: number;
  records: unknown[];
}

async function byId(service: SurveyService, surveyId: number, responseId: number): Promise<Read | undefined> {
  const read = await service.response(surveyId, responseId);
  return read.kind === "absent" ? undefined : { responseId, records: read.body };
}

async function byCrk({ graph, abortsAt }: OperationContext, surveyId: number, crk: string): Promise<Read | undefined> {
  try {
    const signal = AbortSignal.timeout(Math.max(0, abortsAt - Date.now()));
    const { responseId, records } = await graph.api.responseByCrk(surveyId, crk, { signal });
    return responseId === undefined ? undefined : { responseId, records };
  } catch (error) {
    if (error instanceof NotFoundError && error.operation === "get survey response by crk") return undefined;
    throw error;
  }
}

function lookedAt(surveyId: number, { responseId, records }: Read): Looked {
  const run = { responseId, records: records.map((record) => readRecord(record)) };
  const isEmpty = records.length === 0;
  const state = isEmpty ? "unreadable" : classOf(run);
  return {
    ...{ surveyId, responseId, records: records.length },
    isCompleted: state === "unreadable" ? null : state === "completed",
    dateCompleted: isEmpty ? null : completedAt(run),
  };
}
