import {
  type Operation,
  type PauseEvent,
  pauseChannel,
  type RequestEvent,
  requestChannel,
} from "../../survey-api/index.ts";

/** The requests that the client of this process makes meanwhile. */
export interface Watch {
  requests(): number;
  /** HTTP status of the last answer to an operation. */
  lastStatus(operation: Operation): number | undefined;
  /** Pauses that the service asked for, and those where it only refused. */
  pauses(): { asked: number; refused: number };
  end(): void;
}

export function watch(): Watch {
  let requests = 0;
  const pauses = { asked: 0, refused: 0 };
  const statuses = new Map<Operation, number | undefined>();
  const onRequest = (event: unknown): void => {
    const { operation, status } = event as RequestEvent;
    requests += 1;
    statuses.set(operation, status);
  };
  const onPause = (event: unknown): void => {
    pauses[(event as PauseEvent).asked ? "asked" : "refused"] += 1;
  };
  requestChannel.subscribe(onRequest);
  pauseChannel.subscribe(onPause);
  return {
    requests: () => requests,
    lastStatus: (operation) => statuses.get(operation),
    pauses: () => pauses,
    end() {
      requestChannel.unsubscribe(onRequest);
      pauseChannel.unsubscribe(onPause);
    },
  };
}

/** Of a service that has, or has not, asked to be left alone. */
export function retryAfterFinding({ asked, refused }: ReturnType<Watch["pauses"]>) {
  const question = "Retry-After" as const;
  if (asked > 0)
    return { question, found: "given", says: "it refuses by 429 or 503 and says for how long, which is obeyed" };
  if (refused > 0)
    return { question, found: "not given", says: "it refuses by 429 without Retry-After: the pauses grow" };
  return { question, found: null, says: "not seen: it has refused nothing" };
}
