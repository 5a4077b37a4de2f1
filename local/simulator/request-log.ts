import type { Operation } from "./routes.ts";

/** One request as it arrived and was answered; `at` in epoch milliseconds. */
export interface RequestLogEntry {
  operation: Operation | "unknown";
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  /** The status answered; 0 when the connection was reset or nothing was answered. */
  status: number;
  at: number;
}

export interface RequestLog {
  add(entry: RequestLogEntry): void;
  /** Counts something beside requests. */
  count(name: string, number: number): void;
  counters(): Record<string, number>;
  entries(): RequestLogEntry[];
  reset(): void;
}

/** Counts every request and keeps the last `limit` of them (0: only counts). */
export function createRequestLog(limit: number): RequestLog {
  const counters = new Map<string, number>();
  let entries: RequestLogEntry[] = [];
  const count = (name: string, number: number) => counters.set(name, (counters.get(name) ?? 0) + number);
  return {
    add(entry) {
      count("requests", 1);
      count(entry.operation, 1);
      count(`status:${entry.status}`, 1);
      if (limit === 0) return;
      entries.push(entry);
      // Cut back only now and then: a shift for each request would cost as much as the request.
      if (entries.length >= 2 * limit) entries = entries.slice(-limit);
    },
    count: (name, number) => void count(name, number),
    counters: () => Object.fromEntries(counters),
    entries: () => entries.slice(-limit || entries.length),
    reset() {
      counters.clear();
      entries = [];
    },
  };
}
