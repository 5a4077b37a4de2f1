import { startAws } from "../support/aws.ts";
import { createAwsPoller } from "../support/aws-poller.ts";
import { startService } from "../support/service.ts";

/** What ticks came to, each a mean for one of them. */
export interface Usage {
  requests: number;
  readUnits: number;
  writeUnits: number;
  events: number;
  secretCalls: number;
  /** Seconds, at this latency of the service. */
  seconds: number;
}

export interface Scenario {
  surveys: number;
  /** Responses of each at the beginning. */
  responses: number;
  /** Responses that complete before a tick, on average. */
  news: number;
  ticks: number;
}

/** Milliseconds by which each answer of the service is delayed. */
export const LATENCY = 50;

/** News do not come in the order of survey ids: a prime, so that they come to all of them. */
const STRIDE = 7_919;

/** Ticks over a service that is at rest but for what completes before each, with the SDK's own account of the units that they used. */
export async function usageOf({ surveys, responses, news, ticks }: Scenario): Promise<Usage> {
  const aws = await startAws();
  const service = await startService({
    surveys: Object.fromEntries(Array.from({ length: surveys }, (_, i) => [i + 1, responses])),
    records: news === 0 || surveys < 1_000 ? 5 : 1,
    latency: LATENCY,
  });
  const poller = await createAwsPoller(service.url, { startFrom: "now", advanced: { concurrency: 64 } });
  try {
    const settle = async (): Promise<void> => {
      for (let settled = false; !settled; ) {
        const { surveys: polled, unpolled } = await poller.tick();
        settled = unpolled === 0 && polled.every(({ unfinished }) => !unfinished);
      }
    };
    await settle();
    // A process that has been at work for a while has polled each survey that has news.
    if (news > 0) for (let survey = 1; survey <= surveys; survey += 1) await service.complete(survey);
    await settle();
    // The background work of the first hours is that of the beginning.
    await poller.tick();
    await service.reset();
    const before = { ...poller.units(), ...(await aws.figures()) };
    let seconds = 0;
    for (let tick = 0; tick < ticks; tick += 1) {
      for (let i = Math.ceil(tick * news); i < (tick + 1) * news; i += 1)
        await service.complete(1 + ((i * STRIDE) % surveys));
      const began = performance.now();
      await poller.tick();
      seconds += (performance.now() - began) / 1000;
    }
    const after = { ...poller.units(), ...(await aws.figures()) };
    const secrets = (counters: Record<string, number>): number =>
      Object.entries(counters).reduce((sum, [name, count]) => sum + (name.startsWith("secretsmanager") ? count : 0), 0);
    return {
      requests: (await service.requests()) / ticks,
      readUnits: (after.readUnits - before.readUnits) / ticks,
      writeUnits: (after.writeUnits - before.writeUnits) / ticks,
      events: (after.events - before.events) / ticks,
      secretCalls: (secrets(after.counters) - secrets(before.counters)) / ticks,
      seconds: seconds / ticks,
    };
  } finally {
    poller.close();
    aws.stop();
    service.stop();
  }
}
