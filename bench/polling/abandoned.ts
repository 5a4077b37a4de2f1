import { BEFORE, history, START } from "./history.ts";
import { advance, createRun, fork, type Run, requestsBetween, total } from "./run.ts";
import { complete, createResponse, createSurvey, RECORDS } from "./service.ts";
import { DAY, HOUR, leastSource, SECOND } from "./source.ts";
import { worst } from "./statistics.ts";

/** What a survey costs of which many responses are listed as open and never completed. */
export interface Abandoned {
  listed: number;
  open: number;
  /** Requests of a tick over one day without news. */
  mean: number;
  worst: number;
  /** Requests of that day by what they were for. */
  byOperation: Record<string, number>;
  ages: Ages[];
  heads: { news: number; records: number; pagesWithNews: number; pagesRead: number }[];
}

/** The open ones at one moment: how many are known, still asked about although they began long ago, and due. */
interface Ages {
  hours: number;
  known: number;
  asked: number;
  old: number;
  due: number;
  /** Milliseconds that the one has waited that has been due longest. */
  overdue: number;
}

const RESPONSES = 5_000;
const SHARE = 0.4;
const LIVE = 4 * DAY;
const NEWS = [1, 30, 200];
const HOURS = [1, 6, 24, 48, 96];

export async function abandonedOnes(): Promise<Abandoned> {
  const survey = createSurvey(1);
  const changes = history({ survey, responses: RESPONSES, from: START - BEFORE, to: START + LIVE, abandoned: SHARE });
  const source = leastSource();
  const run = createRun(source, { surveys: new Map([[1, survey]]), responses: new Map() }, START, changes);
  const ages: Ages[] = [];
  for (const hours of HOURS) {
    await advance(run, START + hours * HOUR);
    ages.push({ hours, ...agesOf(run) });
  }
  await advance(run, START + LIVE + HOUR);
  const from = run.now;
  await advance(run, from + DAY);
  const day = run.ticks.filter(({ time }) => time >= from).map(({ requests }) => requests);
  const open = survey.listed.filter(({ completedAt }) => completedAt === undefined).length;
  const sum = (operation: keyof (typeof day)[number]): number => day.reduce((all, one) => all + one[operation], 0);
  const heads: Abandoned["heads"] = [];
  for (const records of [RECORDS, RECORDS + 2]) {
    for (const news of NEWS) heads.push(await headOf(run, news, records));
  }
  return {
    listed: survey.listed.length,
    open,
    ages,
    mean: requestsBetween(run, from, run.now) / day.length,
    worst: worst(day.map(total)),
    byOperation: { "survey list": sum("surveys"), pages: sum("page"), "operation 9": sum("response") },
    heads,
  };
}

function agesOf({ table, service, source, now }: Run): Omit<Ages, "hours"> {
  const open = [...table.entries(1).values()].filter(({ state }) => state === "open");
  const asked = open.filter(({ nextCheck }) => nextCheck !== undefined);
  const begun = (id: number | string): number => service.responses.get(Number(id))?.startedAt ?? now;
  const due = asked.flatMap(({ nextCheck = now }) => (nextCheck < now ? [now - nextCheck] : []));
  const old = asked.filter(({ id }) => now - begun(id) > source.patrol.full);
  return { known: open.length, asked: asked.length, old: old.length, due: due.length, overdue: worst(due) };
}

/** The pages that the head scan of one tick reads when this much has completed since the last one. */
async function headOf(run: Run, news: number, records: number): Promise<Abandoned["heads"][number]> {
  const at = run.now - SECOND;
  const changes = Array.from({ length: news }, (_, i) => ({
    time: at,
    apply: (service: Run["service"]) => {
      const survey = service.surveys.get(1);
      if (survey === undefined) throw new RangeError("the history has no survey");
      complete(service, createResponse(survey, 5_000_000 + i, at - SECOND, records), at, true);
    },
  }));
  const forked = fork(run, changes);
  // Nothing slow meanwhile: its pages are not the head scan's.
  forked.source = { ...forked.source, backgroundRequests: Number.NEGATIVE_INFINITY };
  await advance(forked, run.now + 1);
  if (forked.delivered.size !== news) throw new Error(`${forked.delivered.size} of ${news} went out`);
  return { news, records, pagesWithNews: Math.ceil((news * records) / 100), pagesRead: forked.pages.length };
}
