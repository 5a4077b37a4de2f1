import { setFlagsFromString } from "node:v8";

// No chain of awaits can know when the last continuation has run; V8 can. With that one history is one synchronous
// loop, exact about what has happened before the time moves on, and ten times as fast per step as awaiting.
setFlagsFromString("--allow-natives-syntax");

/** Runs everything that promises have set off, to the last of it. Does nothing when called from a promise itself. */
export const drainMicrotasks = new Function("%PerformMicrotaskCheckpoint()") as () => void;

/** Runs `work` where `drainMicrotasks` works: outside any promise. */
export function outsidePromises<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}
