/** What one drain came to. */
export interface Drained {
  responses: number;
  seconds: number;
  /** Seconds of CPU of this process. */
  cpu: number;
}

/** Runs `work`, which gives how many responses it had, and takes its time. */
export async function measured(work: () => Promise<number>): Promise<Drained> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const responses = await work();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { responses, seconds, cpu: (user + system) / 1e6 };
}

/** Two drains as one, such as one before and one after what they are compared with. */
export const both = (one: Drained, other: Drained): Drained => ({
  responses: one.responses + other.responses,
  seconds: one.seconds + other.seconds,
  cpu: one.cpu + other.cpu,
});

export const perSecond = ({ responses, seconds }: Drained): number => responses / seconds;

export const cpuEach = ({ cpu, responses }: Drained): number => cpu / responses;

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
