import { vi } from "vitest";

/** A line in CloudWatch's embedded format, as it is read there. */
export interface MetricsLine {
  dimensions: Record<string, string>;
  units: Record<string, string>;
  values: Record<string, number[]>;
}

interface Embedded {
  _aws: {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  [member: string]: unknown;
}

/** What is written to standard output and to standard error while `work` runs; it is kept from the terminal. */
export async function writtenBy(work: () => Promise<unknown>): Promise<string> {
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    }),
  );
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return written.join("");
}

/** The lines of metrics that are written while `work` runs. */
export async function metricsOf(work: () => Promise<unknown>): Promise<MetricsLine[]> {
  const written = await writtenBy(work);
  return written
    .split("\n")
    .filter((line) => line.startsWith('{"_aws"'))
    .map((line) => read(JSON.parse(line) as Embedded));
}

function read({ _aws, ...members }: Embedded): MetricsLine {
  const [directive] = _aws.CloudWatchMetrics;
  const { Dimensions = [], Metrics = [] } = directive ?? {};
  return {
    dimensions: Object.fromEntries((Dimensions[0] ?? []).map((name) => [name, String(members[name])])),
    units: Object.fromEntries(Metrics.map(({ Name, Unit }) => [Name, Unit])),
    values: Object.fromEntries(Metrics.map(({ Name }) => [Name, [members[Name]].flat() as number[]])),
  };
}
