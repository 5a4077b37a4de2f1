import { drainMicrotasks } from "./microtasks.ts";

/** Something that happens at a moment of the virtual time. */
export interface Step {
  /** Epoch milliseconds. */
  time: number;
  run: () => void;
  cancelled: boolean;
}

/** Virtual time: stands until everything that happens at a moment has happened, then jumps to the next. */
export interface Scheduler {
  now(): number;
  /** Steps of the same moment run in the order in which they were planned; moments are whole, and one in the past is now. */
  at(time: number, run: () => void): Step;
  /** Runs until nothing is planned, or `stop` is called. */
  run(): void;
  stop(): void;
  /** Steps run so far. */
  steps(): number;
}

interface Planned extends Step {
  order: number;
}

export function createScheduler(start: number): Scheduler {
  const heap: Planned[] = [];
  let now = start;
  let order = 0;
  let stopped = false;
  let steps = 0;

  return {
    now: () => now,
    steps: () => steps,
    stop() {
      stopped = true;
    },
    at(time, run) {
      const step: Planned = { time: Math.max(now, Math.ceil(time)), run, cancelled: false, order };
      order += 1;
      push(heap, step);
      return step;
    },
    run() {
      for (let step = pop(heap); step !== undefined && !stopped; step = pop(heap)) {
        if (step.cancelled) continue;
        now = step.time;
        steps += 1;
        step.run();
        drainMicrotasks();
      }
    },
  };
}

const before = (a: Planned, b: Planned): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);

function push(heap: Planned[], step: Planned): void {
  let place = heap.length;
  heap.push(step);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !before(step, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = step;
}

function pop(heap: Planned[]): Planned | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || first === last) return first;
  let place = 0;
  for (;;) {
    let below = 2 * place + 1;
    let child = heap[below];
    const right = heap[below + 1];
    if (child !== undefined && right !== undefined && before(right, child)) {
      child = right;
      below += 1;
    }
    if (child === undefined || !before(child, last)) break;
    heap[place] = child;
    place = below;
  }
  heap[place] = last;
  return first;
}
