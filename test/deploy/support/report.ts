import { performance } from "node:perf_hooks";

export interface Report {
  readonly passed: number;
  readonly failed: number;
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
  return {
    get passed() {
      return counts.passed;
    },
    get failed() {
      return counts.failed;
    },
    part: (name) => print(`\n${name}`),
    async step(name, work) {
      const began = performance.now();
      const notes: string[] = [];
      const line = (verdict: string) => {
        const took = (performance.now() - began) / 1000;
        const at = (performance.now() - started) / 1000;
        print(`${verdict} ${took.toFixed(1).padStart(6)} s  ${name}  (at ${at.toFixed(0)} s)`);
        for (const text of notes) print(`              ${text}`);
      };
      try {
        const result = await work((text) => notes.push(text));
        counts.passed += 1;
        line("  ok");
        return result;
      } catch (error) {
        counts.failed += 1;
        line("FAIL");
        print(error instanceof Error ? (error.stack ?? error.message) : String(error));
        throw new StepFailedError(name, { cause: error });
      }
    },
  };
}
