import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** The survey service in a process of its own. */
export interface ServiceProcess {
  url: string;
  /** Requests answered since the last `reset`. */
  requests(): Promise<number>;
  /** When the first page since the last `reset` was read, in epoch milliseconds. */
  firstPageAt(): Promise<number | undefined>;
  reset(): Promise<void>;
  /** Lets a new response of a survey complete. */
  complete(surveyId: number): Promise<void>;
  stop(): void;
}

export interface ServiceOptions {
  /** Responses by survey id. */
  surveys: Record<number, number>;
  /** Of each response; 5 when left out. */
  records?: number;
  /** Milliseconds by which each answer is delayed. */
  latency?: number;
}

export type ServiceMessage = { kind: "count" } | { kind: "reset" } | { kind: "complete"; surveyId: number };

/** Its credentials are "bench" and "bench". */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const child = fork(join(import.meta.dirname, "service-process.ts"), [JSON.stringify(options)]);
  const ask = async (message: ServiceMessage): Promise<{ requests: number; firstPageAt?: number }> => {
    child.send(message);
    const [answer] = await once(child, "message");
    return answer;
  };
  const [{ url }] = (await once(child, "message")) as [{ url: string }];
  return {
    url,
    requests: async () => (await ask({ kind: "count" })).requests,
    firstPageAt: async () => (await ask({ kind: "count" })).firstPageAt,
    reset: async () => void (await ask({ kind: "reset" })),
    complete: async (surveyId) => void (await ask({ kind: "complete", surveyId })),
    stop: () => child.kill(),
  };
}
