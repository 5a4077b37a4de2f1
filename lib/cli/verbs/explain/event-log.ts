import type { FilteredLogEvent } from "@aws-sdk/client-cloudwatch-logs";
import { isObject } from "../../../json.ts";
import { readLogLines } from "../../../local/runner/log-file.ts";
import type { SentEvent } from "../../../polling/index.ts";
import { parseJson } from "../../../secrets/secret-values.ts";
import { askingAws, closing } from "../../target/aws-failure.ts";
import type { Target } from "../../target/target.ts";

/** A line that the function has logged of an event of a response, and when (epoch milliseconds). */
export type EventLogLine = Omit<SentEvent, "completed"> & { lag?: number; at: number };

/** Whose lines are asked for, and moments (epoch milliseconds) at which some may lie. */
interface OfResponse {
  source: string;
  surveyId: number;
  responseId: number;
  around: readonly number[];
}

/**
 * Reads the lines of one response in the log while they are kept, the oldest first. Those of a stack are in CloudWatch Logs, those of a data
 * folder in its log file.
 */
export async function readEventLog(target: Target, of: OfResponse, now: number): Promise<EventLogLine[]> {
  if (target.data !== undefined) {
    const marked = readLogLines(target.data.folder).filter((text) => text.includes(`"responseId":${of.responseId},`));
    return linesOf(marked, of);
  }
  const group = target.stack?.outputs.PollLogGroupName;
  if (group === undefined) return [];
  const { CloudWatchLogsClient, FilterLogEventsCommand } = await import("@aws-sdk/client-cloudwatch-logs");
  using client = closing(new CloudWatchLogsClient({ maxAttempts: 5 }));
  const filterPattern = `{ $.message = "event" && $.surveyId = ${of.surveyId} && $.responseId = ${of.responseId} }`;
  return await searchLog(of, now, (startTime, endTime, nextToken) =>
    askingAws("the log could not be read", () =>
      client.send(new FilterLogEventsCommand({ logGroupName: group, filterPattern, startTime, endTime, nextToken })),
    ),
  );
}

interface LogPage {
  events?: FilteredLogEvent[] | undefined;
  nextToken?: string | undefined;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Pages that are read: each looks through a megabyte or more. */
const MOST_PAGES = 60;
/** Days before now at which a stretch of the log begins; a stretch is read from its beginning on, so the newest comes first. */
const STRETCHES = [0, 1, 3, 7, 14, 30, 90, 400];

/** Looks around known moments first, as these are sure to matter, then backwards from now, for a number of pages. */
export async function searchLog(
  of: OfResponse,
  now: number,
  page: (from: number, to: number, next: string | undefined) => Promise<LogPage>,
): Promise<EventLogLine[]> {
  const found = new Set<string>();
  let left = MOST_PAGES;
  const read = async (from: number, to: number): Promise<boolean> => {
    let next: string | undefined;
    do {
      if (left === 0) return false;
      left -= 1;
      const { events = [], nextToken } = await page(from, to, next);
      for (const { message = "" } of events) found.add(message);
      next = nextToken;
    } while (next !== undefined);
    return true;
  };
  for (const at of of.around) await read(at - 5 * MINUTE, at + 5 * MINUTE);
  for (const [i, days] of STRETCHES.slice(1).entries()) {
    if (!(await read(now - days * DAY, now - (STRETCHES[i] ?? 0) * DAY))) break;
  }
  return linesOf(found, of);
}

function linesOf(texts: Iterable<string>, of: OfResponse): EventLogLine[] {
  const lines = [...texts].map(parseJson).filter((line) => isOf(line, of));
  return lines.map((line) => ({ ...line, at: Date.parse(line.timestamp) })).sort((a, b) => a.at - b.at);
}

function isOf(line: unknown, of: OfResponse): line is Omit<EventLogLine, "at"> & { timestamp: string } {
  if (!isObject(line) || line.message !== "event" || !isObject(line.ms)) return false;
  return line.source === of.source && line.surveyId === of.surveyId && line.responseId === of.responseId;
}
