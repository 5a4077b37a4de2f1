import { startAws } from "../support/aws.ts";
import { createAwsPoller } from "../support/aws-poller.ts";
import { drainBare } from "../support/bare-client.ts";
import {
  atLeast,
  atMost,
  both,
  cpuEach,
  type Drained,
  measured,
  perSecond,
  type Row,
  told,
} from "../support/measure.ts";
import { drainInMemory, type MemoryDrain } from "../support/memory-poller.ts";
import { startService } from "../support/service.ts";

// From an empty ledger: all responses of a survey as events, against a client that keeps no state and emits nothing.

const SURVEY = 101;
const CONCURRENCY = 64;

interface Compared {
  bare: Drained;
  poller: MemoryDrain;
  /** Of the poller, for one response. */
  requests: number;
}

/** In turns, that a machine which becomes slower meanwhile slows both. */
async function inMemory(responses: number, latency: number): Promise<Compared> {
  const service = await startService({ surveys: { [SURVEY]: responses }, latency });
  const before = await drainBare(service.url, SURVEY, CONCURRENCY);
  await service.reset();
  const poller = await drainInMemory(service.url, CONCURRENCY);
  const requests = (await service.requests()) / responses;
  const after = await drainBare(service.url, SURVEY, CONCURRENCY);
  service.stop();
  if (poller.responses !== responses) throw new Error(`${poller.responses} of ${responses} responses were emitted`);
  return { bare: both(before, after), poller, requests };
}

interface Pair {
  bare: Drained;
  poller: Drained;
}

/** The middle one of three: three processes on two cores are at the mercy of whatever else the machine does. */
async function withAws(responses: number, latency: number): Promise<Pair> {
  const rounds: Pair[] = [];
  for (let round = 0; round < 3; round += 1) rounds.push(await onceBesideBare(responses, latency));
  rounds.sort((a, b) => speed(a) - speed(b));
  return rounds[1] as Pair;
}

async function onceBesideBare(responses: number, latency: number): Promise<Pair> {
  const service = await startService({ surveys: { [SURVEY]: responses }, latency });
  const aws = await startAws();
  const poller = await createAwsPoller(service.url, { concurrency: CONCURRENCY });
  const before = await drainBare(service.url, SURVEY, CONCURRENCY);
  const drained = await measured(async () => {
    for (;;) {
      const { surveys } = await poller.tick();
      if (!surveys.some(({ unfinished }) => unfinished)) break;
    }
    return (await aws.figures()).events;
  });
  const after = await drainBare(service.url, SURVEY, CONCURRENCY);
  poller.close();
  aws.stop();
  service.stop();
  if (drained.responses < responses) throw new Error(`${drained.responses} of ${responses} responses were emitted`);
  return { bare: both(before, after), poller: drained };
}

const speed = ({ bare, poller }: Pair): number => perSecond(poller) / perSecond(bare);
const rates = ({ bare, poller }: Pair): string =>
  `${perSecond(poller).toFixed(0)} and ${perSecond(bare).toFixed(0)} responses/s`;

export async function run(): Promise<Row[]> {
  const slow = await inMemory(20_000, 50);
  const fast = await inMemory(20_000, 5);
  const aws = await withAws(20_000, 5);
  return [
    atLeast("drain of 20,000 at 50 ms, of a bare client", speed(slow), 0.9),
    told("  poller, bare client", rates(slow)),
    atLeast("drain of 20,000 at 5 ms, ports in memory, of a bare client", speed(fast), 0.6),
    told("  poller, bare client", rates(fast)),
    atLeast("drain of 20,000 at 5 ms, embedded AWS, of a bare client", speed(aws), 0.35),
    told("  poller, bare client", rates(aws)),
    atMost("CPU a response, of a bare client's", cpuEach(slow.poller) / cpuEach(slow.bare), 3),
    atMost("requests a response", slow.requests, 2.12, 3),
    atMost("table writes a response", slow.poller.writes / slow.poller.responses, 1.1, 3),
  ];
}
