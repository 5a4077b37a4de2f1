import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from "@aws-sdk/client-sfn";
import type { EventBridgeEvent } from "aws-lambda";
import { type ResponseCompleted, responseCompleted } from "survey-poller/events";
import { answersOf } from "./answers.ts";
import { commentsOf } from "./comments.ts";

/** What a follow-up begins with: never the whole event, which may be larger than a state machine takes. */
export interface FollowUp {
  eventId: string;
  survey: string;
  surveyId: number;
  responseId: number;
  customer: string;
  class: string;
  score: number;
  comments: number;
  /** The comments themselves; empty where the stack does not ask for them. */
  text: string;
  test: boolean;
}

const machines = new SFNClient({});

/** Starts one follow-up for each event. An error makes Lambda try again. */
export async function handler({ detail }: EventBridgeEvent<"response.completed", ResponseCompleted>): Promise<void> {
  const event = responseCompleted.parse(detail);
  const followUp = await followUpOf(event);
  const start = new StartExecutionCommand({
    stateMachineArn: process.env.STATE_MACHINE_ARN,
    // The rule alone could start the machine too, but not name the execution: each delivery of a repeat would start another one.
    name: event.meta.eventId,
    input: JSON.stringify(followUp),
  });
  await machines.send(start).catch((error: unknown) => {
    if (!(error instanceof ExecutionAlreadyExists)) throw error;
  });
}

async function followUpOf(event: ResponseCompleted): Promise<FollowUp> {
  const { meta, data } = event;
  const { survey, surveyId, responseId, response, summary } = data;
  if (summary.nps === null) throw new Error(`Event ${meta.eventId} has no score. Check the pattern of the rule.`);
  return {
    eventId: meta.eventId,
    survey: survey?.name ?? `Survey ${surveyId}`,
    surveyId,
    responseId,
    customer: response.crk ?? "",
    class: summary.nps.class,
    score: summary.nps.score,
    comments: summary.comments,
    text: process.env.WITH_COMMENTS === "true" ? commentsOf(await answersOf(event)) : "",
    test: meta.test === true,
  };
}
