import { performance } from "node:perf_hooks";

export interface Report {
  readonly passed: number;
  readonly failed: number;
  /** What goes on beside something else: its lines begin with this name. It is counted here. */
  lane(name: string): Report;
  /** A part of the run, as a heading. */
  part(name: string): void;
  /**
   * Runs one step and prints how long it took, with what it has noted. A step that fails is printed with its reason, and thrown: the steps
   * after it build on it.
   */
  step<T>(name: string, work: (note: Note) => Promise<T>): Promise<T>;
}

/** A finding that is printed below its step. */
export type Note = (text: string) => void;

/** Thrown once a step has failed and was printed. */
export class StepFailedError extends Error {}

export function createReport(print: (line: string) => void): Report {
  const started = performance.now();
  const counts = { passed: 0, failed: 0 };
  const seconds = (from: number): number => (performance.now() - from) / 1000;
  const lane = (write: (line: string) => void): Report => ({
    get passed() {
      return counts.passed;
    },
    get failed() {
      return counts.failed;
    },
    lane: (name) => lane((line) => print(`${name.padEnd(6)} ${line}`)),
    part: (name) => write(`== ${name}`),
    async step(name, work) {
      const began = performance.now();
      const notes: string[] = [];
      const line = (verdict: string) => {
        write(`${verdict} ${seconds(began).toFixed(1).padStart(6)} s  ${name}  (at ${seconds(started).toFixed(0)} s)`);
        for (const text of notes) write(`              ${text}`);
      };
      try {
        const result = await work((text) => notes.push(text));
        counts.passed += 1;
        line("  ok");
        return result;
      } catch (error) {
        counts.failed += 1;
        line("FAIL");
        write(error instanceof Error ? (error.stack ?? error.message) : String(error));
        throw new StepFailedError(name, { cause: error });
      }
    },
  });
  return lane(print);
}
