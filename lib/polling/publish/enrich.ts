import { errorCode } from "../../errors.ts";
import type { SurveyDefinition } from "../../events/build/definition.ts";
import { endsWork, isInterrupted } from "../errors.ts";
import type { DetailKind } from "../model/ledger-entry.ts";
import { privateMetadata } from "../model/privacy.ts";
import { ABSENT, type Details, type Lack, type Response } from "../model/response.ts";
import type { Lease, SurveyState } from "../model/survey-state.ts";
import type { Survey } from "../survey.ts";
import { failsForAll, isGivenUp, isSpared, LEAST_ATTEMPTS, type Patience, underOutage } from "./outage.ts";

export interface Enrichment {
  details: Details;
  /** Milliseconds that the service took for what was asked. */
  took: NonNullable<Response["took"]>;
  /** The questions of its survey; undefined where they were not asked for, or could not be had. */
  definition: SurveyDefinition | undefined;
  lacks: Lack[];
  /** Whether anything was asked for: during an outage most are spared. */
  asked: boolean;
}

/** After so many answers in a row without any, a survey is taken to have none. */
const NONE_IN_A_ROW = 20;

/** Asks for what is still unknown of a response's metrics and metadata, and of its questions, all at once. */
export async function enrich(
  survey: Survey,
  responseId: number,
  known: Details,
  patience: Patience,
): Promise<Enrichment> {
  const { service, clock } = survey.ports;
  const details = { ...known };
  const took: Enrichment["took"] = {};
  const lacks: Lack[] = [];
  const of = patience.used === undefined ? "new" : "waiting";
  let asked = false;

  const ask = async (kind: DetailKind): Promise<void> => {
    if (!survey.source.enrich[kind] || details[kind] !== undefined) return;
    const outcome = await underOutage(survey, kind, of, async () => {
      const began = clock.now();
      try {
        return await service[kind](survey.id, responseId);
      } catch (error) {
        if (endsWork(error)) throw error;
        return { kind: "failed", code: errorCode(error) };
      } finally {
        took[kind] = clock.now() - began;
      }
    });
    const isAsked = outcome.kind !== "failed" || !isSpared(outcome);
    asked ||= isAsked;
    if (outcome.kind === "found") {
      survey.note({ kind: "details answered", of: kind, isAbsent: false });
      details[kind] = kind === "metadata" ? privateMetadata(outcome.body, survey.source.privacy) : outcome.body;
      return;
    }
    if (outcome.kind === "failed") {
      const isFinal = isAsked && !(await failsForAll(survey, kind, of)) && isGivenUp(survey, kind, patience);
      lacks.push({ part: kind, code: outcome.code, isFinal });
      return;
    }
    // fault: absent-at-once
    const longEnough = clock.now() - patience.firstSeen >= survey.source.absentAfter;
    // Only absence that has lasted counts: in a burst the metrics of all may be late.
    if (longEnough) survey.note({ kind: "details answered", of: kind, isAbsent: true });
    lacks.push({ part: kind, code: ABSENT, isFinal: longEnough || survey.state.absent[kind] >= NONE_IN_A_ROW });
  };

  const [questions] = await Promise.all([questionsOf(survey), ask("metrics"), ask("metadata")]);
  if (questions.lack !== undefined) lacks.push(questions.lack);
  return { details, took, definition: questions.definition, lacks, asked };
}

/** How an event says that it goes out without these. */
export function missingOf(lacks: readonly Lack[]): string[] {
  return lacks.map(({ part, code }) => `${part}:${code === ABSENT ? code : "gave-up"}`);
}

/** Knowledge of a survey's questions: what they are, or why events wait for them, or go out without. */
interface Questions {
  definition?: SurveyDefinition;
  lack?: Lack;
}

/** By the lease of the poll that has asked. */
const askedBy = new WeakMap<Lease, Promise<Questions>>();

/** Asked for once in a poll, when its first event is made. */
function questionsOf(survey: Survey): Promise<Questions> {
  const questions = askedBy.get(survey.lease) ?? askForQuestions(survey);
  askedBy.set(survey.lease, questions);
  return questions;
}

/** Whether events of this poll wait for the questions of the survey. */
export async function waitsForQuestions({ lease }: Survey): Promise<boolean> {
  return (await askedBy.get(lease))?.lack?.isFinal === false;
}

/**
 * Questions belong to all responses of a survey, and so does the patience with them. Once they have failed for that long, events go out without them at once, and
 * they are asked for as seldom.
 *
 * Example with `enrichmentPatience` "15m": asking fails from 12:00 on. What completes at 12:05 waits until 12:15, what completes at 12:20 does not wait. At 12:30
 * they are asked for again.
 */
async function askForQuestions(survey: Survey): Promise<Questions> {
  const { state, ports, source } = survey;
  const { enrichmentPatience } = source;
  if (source.questions === "none") return {};
  if (
    areGivenUp(state.questionsFail, enrichmentPatience) &&
    ports.clock.now() < state.questionsFail.at + enrichmentPatience
  )
    return { lack: { part: "questions", code: "gave-up", isFinal: true } };
  try {
    const definition = await ports.service.definition(survey.id, state.survey?.facts.modified ?? null);
    survey.note({ kind: "questions answered" });
    return { definition };
  } catch (error) {
    if (isInterrupted(error)) throw error;
    survey.note({ kind: "questions failed", at: ports.clock.now() });
    // This failure counts all the same: a service may refuse this request and no other.
    if (endsWork(error)) throw error;
    const isFinal = areGivenUp(survey.state.questionsFail, enrichmentPatience);
    return { lack: { part: "questions", code: errorCode(error), isFinal } };
  }
}

/** Whether the questions have failed for as long as the patience lasts. A poller that stood still has not been trying: it takes three attempts, too. */
function areGivenUp(
  fail: SurveyState["questionsFail"],
  patience: number,
): fail is NonNullable<SurveyState["questionsFail"]> {
  // fault: questions-without-end
  return fail !== undefined && fail.attempts >= LEAST_ATTEMPTS && fail.at - fail.since >= patience;
}
