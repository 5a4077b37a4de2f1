import type { Clock } from "../ports.ts";

export function pause(clock: Clock, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.every(milliseconds, () => {
      stop();
      resolve();
    });
  });
}
