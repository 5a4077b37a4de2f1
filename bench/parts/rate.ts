import { atMost, median, type Row } from "../support/measure.ts";
import { shareRate } from "../survey-api/two-workers.ts";

// Two workers under one bucket of 100 requests a second and a burst of 50.

const RUNS = 3;

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const form of ["seconds", "none"] as const) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run += 1) times.push(await shareRate(form));
    rows.push(atMost(`two workers under 100 requests/s, Retry-After ${form}, of the ideal time`, median(times), 1.3));
  }
  return rows;
}
