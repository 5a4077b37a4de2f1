import { PRICES } from "../../../infra/prices.ts";
import { defaultSource } from "../support/default-source.ts";
import { MILLION, TICKS } from "./resources.ts";
import { costsOf, usageOf } from "./usage.ts";

export interface Case {
  surveys: number;
  /** Responses a day, of all surveys together. */
  responses: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Requests an hour that slow work wants for a survey of ten pages in which nothing happens: rescans of 1, 2, 4, 8 and 10 pages in 75 minutes, and a full read a week. */
const WANTED = 20.1;
/** Units of a write that a reading takes which finds nothing new, as the embedded AWS counts them. */
const WRITES = 2.3;
/** Milliseconds by which an event comes that no count shows, with a rescan every 15 minutes: four of five reach page 2, one of six page 17. */
const UNCOUNTED = { "page 1, at most": 15 * MINUTE, "page 2, median": 9 * MINUTE, "page 17, median": 45 * MINUTE };

/** Slow work of some surveys, as requests an hour, and how many times longer than its periods it takes for lack of budget. */
export function slowWork(surveys: number, wantedByOne: number): { requests: number; stretch: number } {
  const { backgroundRequests, interval } = defaultSource();
  const [wanted, granted] = [surveys * wantedByOne, backgroundRequests * (HOUR / interval)];
  return { requests: Math.min(wanted, granted), stretch: Math.max(1, wanted / granted) };
}

/** What one deployment costs and how late its events come, with the defaults. Counts what ticks use, so it takes a minute. */
export async function caseTable({ surveys, responses }: Case): Promise<string> {
  const ticks = 60;
  const usage = await usageOf({ surveys, responses: 100, news: responses / (DAY / MINUTE), ticks });
  const { requests, stretch } = slowWork(surveys, WANTED);
  const polling = costsOf(usage).reduce((sum, [, , dollars]) => sum + dollars, 0);
  const slow = ((requests * TICKS * WRITES) / 60 / MILLION) * PRICES.writeUnits;
  const requestsADay = Math.round((usage.requests * DAY) / MINUTE + requests * 24);
  const rows = [
    ["dollars a month, without metrics, alarms and archive", (polling + slow).toFixed(2)],
    ["of that for slow work", slow.toFixed(2)],
    ["requests to the service a day", requestsADay.toLocaleString("en-US")],
    ["late, where a count moves: page 1, at most", "1 min"],
    ...Object.entries(UNCOUNTED).map(([where, late]) => [
      `late, where no count moves: ${where}`,
      words(late * stretch),
    ]),
  ];
  const head = `| ${surveys.toLocaleString("en-US")} surveys, ${responses.toLocaleString("en-US")} responses a day | |\n| --- | ---: |`;
  return [head, ...rows.map(([what, much]) => `| ${what} | ${much} |`)].join("\n");
}

function words(milliseconds: number): string {
  if (milliseconds < 2 * HOUR) return `${Math.round(milliseconds / MINUTE)} min`;
  return milliseconds < 2 * DAY ? `${Math.round(milliseconds / HOUR)} h` : `${Math.round(milliseconds / DAY)} d`;
}
