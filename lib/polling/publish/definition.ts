import { errorCode } from "../../errors.ts";
import type { KnownDefinition, PollContext } from "../context.ts";
import { endsWork, isInterrupted } from "../errors.ts";
import type { Mark } from "../model/mark.ts";
import { LEAST_ATTEMPTS } from "./patience.ts";

/** Asked for once in a poll, when its first event is made. */
export function definitionOf(ctx: PollContext): Promise<KnownDefinition> {
  ctx.definition ??= ask(ctx);
  return ctx.definition;
}

/**
 * Questions belong to all responses of a survey, and so does the patience with them. Once they have failed for that long, events go out without them at once, and
 * they are asked for as seldom.
 *
 * Example with `enrichmentPatience` "15m": asking fails from 12:00 on. What completes at 12:05 waits until 12:15, what completes at 12:20 does not wait. At 12:30
 * they are asked for again.
 */
async function ask(ctx: PollContext): Promise<KnownDefinition> {
  const { mark, ports, source, surveyId } = ctx;
  const { enrichmentPatience } = source;
  if (source.questions === "none") return { reasons: [], missing: [] };
  if (
    areGivenUp(mark.questionsFail, enrichmentPatience) &&
    ports.clock.now() < mark.questionsFail.at + enrichmentPatience
  )
    return GIVEN_UP;
  try {
    const definition = await ports.service.definition(surveyId, mark.survey?.facts.modified ?? null);
    delete mark.questionsFail;
    return { definition, reasons: [], missing: [] };
  } catch (error) {
    if (isInterrupted(error)) throw error;
    const at = ports.clock.now();
    const { since, attempts } = mark.questionsFail ?? { since: at, attempts: 0 };
    mark.questionsFail = { since, at, attempts: attempts + 1 };
    // This failure counts all the same: a service may refuse this request and no other.
    if (endsWork(error)) throw error;
    return areGivenUp(mark.questionsFail, enrichmentPatience)
      ? GIVEN_UP
      : { reasons: [`questions:${errorCode(error)}`], missing: [] };
  }
}

const GIVEN_UP: KnownDefinition = { reasons: [], missing: ["questions:gave-up"] };

/** Whether the questions have failed for as long as the patience lasts. A poller that stood still has not been trying: it takes three attempts, too. */
function areGivenUp(fail: Mark["questionsFail"], patience: number): fail is NonNullable<Mark["questionsFail"]> {
  // fault: questions-without-end
  return fail !== undefined && fail.attempts >= LEAST_ATTEMPTS && fail.at - fail.since >= patience;
}
