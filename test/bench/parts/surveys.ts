import { startAws } from "../support/aws.ts";
import { createAwsPoller } from "../support/aws-poller.ts";
import { atMost, median, type Row, told } from "../support/measure.ts";
import { startService } from "../support/service.ts";

// Ten thousand surveys of 100 responses at which nothing happens, and then something at fifty of them.

const SURVEYS = 10_000;
const RESPONSES = 100;
const WITH_NEWS = 50;
const IDLE_TICKS = 10;
/** Of a list of five records a response, by the rule of the head: the page with news, and one that proves its seam. */
const PAGES_EACH = 3;
/** Metrics, metadata, and the questions of a survey that has had no event yet. */
const DETAILS_EACH = 3;

export async function run(): Promise<Row[]> {
  const aws = await startAws();
  const surveys = Object.fromEntries(Array.from({ length: SURVEYS }, (_, i) => [i + 1, RESPONSES]));
  // One record each: what an idle tick costs does not depend on it, and 50,000 pages need not be read first.
  const service = await startService({ surveys, records: 1 });
  const poller = await createAwsPoller(service.url, { startFrom: "now", advanced: { concurrency: 64 } });
  try {
    await poller.settle();
    const idle: { requests: number; milliseconds: number; readUnits: number; writeUnits: number }[] = [];
    for (let tick = 0; tick < IDLE_TICKS; tick += 1) {
      await service.reset();
      const before = { ...poller.units() };
      const began = performance.now();
      await poller.tick();
      const milliseconds = performance.now() - began;
      const after = poller.units();
      idle.push({
        requests: await service.requests(),
        milliseconds,
        readUnits: after.readUnits - before.readUnits,
        writeUnits: after.writeUnits - before.writeUnits,
      });
    }
    // Anywhere among them: rows of surveys with ids next to each other are written together.
    for (let i = 1; i <= WITH_NEWS; i += 1) await service.complete(i * (SURVEYS / WITH_NEWS));
    await service.reset();
    const { events } = await aws.figures();
    await poller.tick();
    const emitted = (await aws.figures()).events - events;
    const withNews = await service.requests();
    if (emitted < WITH_NEWS) throw new Error(`${emitted} of ${WITH_NEWS} news were emitted`);
    const of = (key: keyof (typeof idle)[number]): number => median(idle.map((one) => one[key]));
    const most = 1 + WITH_NEWS * (PAGES_EACH + DETAILS_EACH) + 1;
    return [
      atMost("requests of a tick over 10,000 idle surveys, background budget 1", of("requests"), 2, 0),
      told("  wall time", `${of("milliseconds").toFixed(0)} ms`),
      told("  units of DynamoDB: read, write", `${of("readUnits")}, ${of("writeUnits")}`),
      atMost("requests of a tick with news in 50 of them", withNews, most, 0),
    ];
  } finally {
    poller.close();
    aws.stop();
    service.stop();
  }
}
