import {
  type Operation,
  type PauseEvent,
  pauseChannel,
  type RequestEvent,
  requestChannel,
} from "../../survey-api/index.ts";

/** The requests that the client of this process makes meanwhile. */
export interface Watch {
  requests: number;
  /** Pauses that the service asked for, and those where it only refused. */
  pauses: { asked: number; refused: number };
  statuses: Map<Operation, number | undefined>;
}

export async function watching<T>(work: (watch: Watch) => Promise<T>): Promise<T> {
  const watch: Watch = { requests: 0, pauses: { asked: 0, refused: 0 }, statuses: new Map() };
  const onRequest = (event: unknown): void => {
    const { operation, status } = event as RequestEvent;
    watch.requests += 1;
    watch.statuses.set(operation, status);
  };
  const onPause = (event: unknown): void => {
    watch.pauses[(event as PauseEvent).asked ? "asked" : "refused"] += 1;
  };
  requestChannel.subscribe(onRequest);
  pauseChannel.subscribe(onPause);
  try {
    return await work(watch);
  } finally {
    requestChannel.unsubscribe(onRequest);
    pauseChannel.unsubscribe(onPause);
  }
}
