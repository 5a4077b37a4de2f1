import { startAws } from "../support/aws.ts";
import { createAwsPoller } from "../support/aws-poller.ts";
import { besideBare, CONCURRENCY } from "../support/bare-client.ts";
import { atLeast, atMost, cpuEach, type Drained, measured, perSecond, type Row, told } from "../support/measure.ts";
import { drainInMemory } from "../support/memory-poller.ts";
import type { ServiceProcess } from "../support/service.ts";

// From an empty ledger: all responses of a survey as events, against a client that keeps no state and emits nothing.

interface Pair {
  bare: Drained;
  poller: Drained;
}

function inMemory(responses: number, latency: number) {
  return besideBare(responses, latency, async (service) => {
    const drained = await drainInMemory(service.url, CONCURRENCY);
    return { ...drained, requests: (await service.requests()) / responses };
  });
}

/** The middle one of three: three processes on two cores are at the mercy of whatever else the machine does. */
async function withAws(responses: number, latency: number): Promise<Pair> {
  const rounds: Pair[] = [];
  for (let round = 0; round < 3; round += 1) rounds.push(await besideBare(responses, latency, drainIntoAws));
  rounds.sort((a, b) => speed(a) - speed(b));
  return rounds[1] as Pair;
}

async function drainIntoAws({ url }: ServiceProcess): Promise<Drained> {
  const aws = await startAws();
  const poller = await createAwsPoller(url, { advanced: { concurrency: CONCURRENCY } });
  const drained = await measured(async () => {
    await poller.settle();
    return (await aws.figures()).events;
  });
  poller.close();
  aws.stop();
  return drained;
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
    atMost("requests a response", slow.poller.requests, 2.12, 3),
    atMost("table writes a response", slow.poller.writes / slow.poller.responses, 1.1, 3),
  ];
}
