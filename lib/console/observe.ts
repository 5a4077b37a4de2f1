import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Progress } from "../polling/index.ts";
import type { RequestEvent } from "../survey-api/index.ts";
import { type Activity, surveyKey } from "./changes.ts";

/** Told while the function works, by its diagnostics channels. */
export interface Observer {
  request(event: RequestEvent): void;
  activity(survey: string, activity: Activity): void;
}

type Message = Progress & { source: string; at?: number };

/** Gives the function that ends it. */
export function observe(observer: Observer, now: () => number = Date.now): () => void {
  const onRequest = (message: unknown): void => observer.request(message as RequestEvent);
  const onProgress = (message: unknown): void => {
    const progress = message as Message;
    const text = activityOf(progress);
    if (text !== undefined && "surveyId" in progress) {
      observer.activity(surveyKey(progress.source, progress.surveyId), { at: progress.at ?? now(), text });
    }
  };
  const listeners = [
    ["survey-poller:request", onRequest],
    ["survey-poller:progress", onProgress],
  ] as const;
  for (const [name, listener] of listeners) subscribe(name, listener);
  return () => {
    for (const [name, listener] of listeners) unsubscribe(name, listener);
  };
}

function activityOf(progress: Message): string | undefined {
  switch (progress.kind) {
    case "page":
      return `reading page ${progress.page}`;
    case "waiting":
      return `${progress.count} waiting for metrics or metadata`;
    case "held":
      return `${progress.count} held`;
    case "quarantined":
      return "a response is quarantined";
    case "refused":
      return "the bus has refused a response";
    case "survey failed":
      return `failed: ${progress.code}`;
    case "skipped":
      return "a page was skipped";
  }
  return undefined;
}
