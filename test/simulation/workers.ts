import type { Ports } from "../../lib/polling/ports.ts";
import { catchUpSlice } from "../../lib/polling/survey/catch-up-slice.ts";
import { tick } from "../../lib/polling/tick/tick.ts";
import type { TickSummary } from "../../lib/polling/tick/tick-summary.ts";
import { rememberSettled } from "../../lib/state/remember-settled.ts";
import { createSettledMemory, type SettledMemory } from "../../lib/state/settled-memory.ts";
import { createWorkerProcess, type WorkerProcess } from "./engine/worker-process.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { START } from "./plan/plan.ts";
import type { RunPlan } from "./plan/workers.ts";
import { publisherPort } from "./ports/publisher-port.ts";
import { queuePort, type Slice } from "./ports/queue-port.ts";
import { servicePort } from "./ports/service-port.ts";
import { statePort } from "./ports/state-port.ts";
import type { Store } from "./ports/store.ts";
import { vaultPort } from "./ports/vault-port.ts";
import type { Weather } from "./ports/weather.ts";
import type { Life } from "./service/life.ts";
import { stateShownBy } from "./sometimes/registry.ts";
import type { World } from "./world.ts";

/** What the platform leaves a run beyond its deadline before it ends it. */
const RESERVE = 20_000;
const RETRY_AFTER = 30_000;
/** The worker's maximum concurrency. */
const SLICES_AT_ONCE = 2;
/** What a slice needs at least, and leaves before a tick: see `sliceEnd`. */
const LEFT_BEFORE_TICK = 6_000;

const plainRun: RunPlan = {
  startsAfter: 0,
  deadline: 40_000,
  diesAfter: undefined,
  diesPublishing: false,
  freezesAfter: undefined,
  frozenFor: 0,
  retried: false,
};

/** What an invocation does. */
interface Work {
  name: string;
  begin(invocation: { ports: Ports; owner: string; deadline: number }): Promise<TickSummary | undefined>;
}

export interface Workers {
  /** Ticks begun so far. */
  ticks(): number;
}

/** Begins a tick at each interval, as a schedule does, until `isDone` or `mostTicks`. */
export function startWorkers(
  world: World,
  parts: { store: Store; weather: Weather; life: Life; oracle: Oracle },
  options: { mostTicks: number; isDone: (ticks: number) => boolean },
): Workers {
  const { scheduler, plan } = world;
  const { store, weather, life, oracle } = parts;
  const chances = world.random("processes");
  let ticks = 0;
  let made = 0;
  /** At work, or standing still. */
  let invocations = 0;
  /** What processes remember that are not at work: the platform gives one to the next run, unless it has died. */
  const idle: SettledMemory[] = [];

  /** Runs one invocation, a tick or a slice, in a process of its own; `over` is called when that ends, however it does. */
  const run = (planned: RunPlan, owner: string, work: Work, over: () => void = () => undefined): void => {
    made += 1;
    if (invocations > 0) world.sometimes("two invocations at once");
    invocations += 1;
    const memory = idle.pop() ?? createSettledMemory(plan.source.name);
    const random = world.random(`process ${made}`);
    let ended = false;
    let publishes = 0;
    const end = (process: WorkerProcess): void => {
      if (!process.alive()) return;
      world.trace?.(() => `${process.name} is gone`);
      process.kill();
      oracle.died(process);
      if (ended) return;
      invocations -= 1;
      over();
    };
    const process = createWorkerProcess({
      name: `w${made}`,
      scheduler,
      conditions: weather,
      random: chances,
      onCall(calls, port) {
        if (port === "publisher") publishes += 1;
        const isPublishing = port === "publisher" && publishes === 1;
        if (planned.diesPublishing ? isPublishing : calls === planned.diesAfter) {
          world.meet("crash");
          scheduler.at(scheduler.now() + random.below(plan.latency.service * 2), () => end(process));
        }
        if (calls === planned.freezesAfter) {
          world.meet("freeze");
          world.trace?.(() => `${process.name} stands still for ${planned.frozenFor / 1000} s`);
          process.freeze(scheduler.now() + planned.frozenFor);
        }
      },
    });
    if (planned.deadline < plainRun.deadline) world.meet("deadline");
    const ports: Ports = {
      clock: process.clock,
      service: servicePort(world, weather, life, process, oracle.service),
      state: rememberSettled(statePort(world, store, process, random, owner, oracle.state), memory, process.clock.now),
      publisher: publisherPort(world, weather, process, random, oracle.bus),
      vault: vaultPort(store.objects, process, weather),
      ...(plan.workers.slices === undefined ? {} : { slices: queuePort(world, process, weather, runSlice) }),
      observe(progress) {
        const state = stateShownBy(progress);
        if (state !== undefined) world.sometimes(state);
      },
    };
    const deadline = scheduler.now() + planned.deadline;
    world.trace?.(() => `${process.name} begins ${work.name}`);
    const finish = (): void => {
      ended = true;
      invocations -= 1;
      idle.push(memory);
      over();
    };
    const overrun = (): void => {
      world.overran = true;
      world.meet("overran");
    };
    work.begin({ ports, owner, deadline }).then(
      (summary) => {
        finish();
        if (scheduler.now() > deadline) overrun();
        world.trace?.(() => `${process.name} ends ${work.name}`);
        oracle.tickEnded(process, summary === undefined ? {} : { summary });
      },
      (error: unknown) => {
        finish();
        world.trace?.(() => `${process.name} fails: ${String(error)}`);
        oracle.tickEnded(process, { error });
      },
    );
    scheduler.at(deadline + RESERVE + planned.frozenFor, () => {
      if (ended) return;
      if (process.alive() && process.pending() === 0)
        oracle.violations.add("hang", `${process.name} waits for nothing`);
      if (process.alive()) overrun();
      end(process);
    });
    if (planned.retried)
      scheduler.at(scheduler.now() + RETRY_AFTER, () => {
        if (!process.alive()) run(plainRun, owner, work);
      });
  };

  const service = "service";
  const { source } = plan;
  const aTick: Work = {
    name: "a tick",
    begin: (invocation) => tick({ ...invocation, source, service, ownTime: plan.workers.ownTime }),
  };
  let slices = 0;
  let atWork = 0;
  const waiting: Slice[] = [];
  function runSlice(slice: Slice): void {
    if (atWork < SLICES_AT_ONCE) beginSlice(slice);
    else waiting.push(slice);
  }
  function beginSlice({ surveyId, until, number }: Slice): void {
    const over = (): void => {
      atWork -= 1;
      const next = waiting.shift();
      if (next !== undefined) beginSlice(next);
    };
    const planned = (world.phase() === "safety" ? plan.workers.slices?.[slices] : undefined) ?? plainRun;
    // What a slice leaves before a tick comes on top.
    const ends = Math.min(until, scheduler.now() + LEFT_BEFORE_TICK + plan.workers.sliceTime);
    slices += 1;
    world.meet("slice");
    atWork += 1;
    const work: Work = {
      name: `a slice of ${surveyId}`,
      async begin(invocation) {
        await catchUpSlice({ ...invocation, source, service, surveyId, until: ends, number });
        return undefined;
      },
    };
    run(planned, `slice-${slices}`, work, over);
  }

  const next = (): void => {
    if (ticks >= options.mostTicks || (world.phase() === "liveness" && options.isDone(ticks))) {
      scheduler.stop();
      return;
    }
    oracle.requests.tickBegan();
    const runs = plan.workers.runs[ticks] ?? [plainRun];
    if (runs.length > 1) world.meet("two-workers");
    for (const [i, planned] of runs.entries()) {
      const owner = `run-${ticks}-${i}`;
      scheduler.at(scheduler.now() + planned.startsAfter, () => run(planned, owner, aTick));
    }
    ticks += 1;
    scheduler.at(START + ticks * plan.source.interval, next);
  };
  scheduler.at(START, next);
  return { ticks: () => ticks };
}
