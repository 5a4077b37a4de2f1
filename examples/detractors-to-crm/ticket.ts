import type { ResponseCompleted } from "survey-poller/events";

const LONGEST = 2_000;

/** A ticket as every CRM can have it. */
export interface Ticket {
  /** Names the ticket in the CRM. It has one for each customer. */
  key: string;
  subject: string;
  text: string;
  isDetractor: boolean;
}

export interface TicketOptions {
  /** Without it a ticket has nothing that the respondent wrote. */
  withComment: boolean;
  /** Whether `referrer` names the customer where `crk` does not. */
  referrerIsCustomer: boolean;
}

/** The ticket that a response asks for. */
export function ticketOf(
  { meta, data }: ResponseCompleted,
  { withComment, referrerIsCustomer }: TicketOptions,
): Ticket {
  const { survey, surveyId, responseId, response, summary, answers } = data;
  // The key of a made-up event may be that of a real customer.
  const test = meta.test === true ? "[test] " : "";
  const customer = data.response.crk || (referrerIsCustomer ? referrerOf(data) : null);
  const name = survey?.name ?? `Survey ${surveyId}`;
  const score = summary.nps === null ? "no score" : `${summary.nps.score} of 10`;
  const said = withComment ? answers.filter(({ comment }) => comment !== "") : [];
  const lines = [
    `Customer: ${customer || "not known"}`,
    `Survey ${surveyId}, response ${responseId}, completed ${response.completed.local ?? "at a time that is not known"}`,
    ...said.flatMap(({ question, comment }) => ["", question?.text ?? "Comment", comment]),
  ];
  return {
    key: `${test}${customer || `${meta.sourceName} ${surveyId} ${responseId}`}`,
    subject: `${test}${name}: ${score}${customer ? ` by ${customer}` : ""}`,
    text: shortened(lines.join("\n")),
    isDetractor: summary.nps?.class === "detractor",
  };
}

/** Empty or null where it names no customer. */
function referrerOf({ metadata }: ResponseCompleted["data"]): string | null | undefined {
  const { referrer } = metadata ?? {};
  // The page from which respondents come is that of many of them.
  return /^https?:/i.test(referrer ?? "") ? null : referrer;
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}
