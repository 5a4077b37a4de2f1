import type { DetailOf, EventType } from "../../events/index.ts";

/** An event as it was made: of one type of the contract, with the detail that goes with it. */
export type OutgoingEvent = {
  [T in EventType]: {
    type: T;
    detail: DetailOf<T>;
    /** Epoch milliseconds of the detection. */
    time: number;
  };
}[EventType];
