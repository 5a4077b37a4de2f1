import { tick } from "../../lib/polling/tick.ts";
import { createWorkerProcess, type WorkerProcess } from "./engine/worker-process.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { START } from "./plan/plan.ts";
import type { RunPlan } from "./plan/workers.ts";
import { publisherPort } from "./ports/publisher-port.ts";
import { servicePort } from "./ports/service-port.ts";
import { statePort } from "./ports/state-port.ts";
import type { Store } from "./ports/store.ts";
import { vaultPort } from "./ports/vault-port.ts";
import type { Weather } from "./ports/weather.ts";
import type { Life } from "./service/life.ts";
import type { World } from "./world.ts";

/** What the platform leaves a run beyond its deadline before it ends it. */
const RESERVE = 20_000;
const RETRY_AFTER = 30_000;

const plainRun: RunPlan = {
  startsAfter: 0,
  deadline: 40_000,
  diesAfter: undefined,
  freezesAfter: undefined,
  frozenFor: 0,
  retried: false,
};

export interface Workers {
  /** Ticks begun so far. */
  ticks(): number;
}

/** Begins a tick at each interval, as a schedule does, until `isDone` or `mostTicks`. */
export function startWorkers(
  world: World,
  parts: { store: Store; weather: Weather; life: Life; oracle: Oracle },
  options: { mostTicks: number; isDone: () => boolean },
): Workers {
  const { scheduler, plan } = world;
  const { store, weather, life, oracle } = parts;
  const chances = world.random("processes");
  let ticks = 0;
  let made = 0;

  const run = (planned: RunPlan, owner: string): void => {
    made += 1;
    const random = world.random(`process ${made}`);
    const end = (process: WorkerProcess): void => {
      if (!process.alive()) return;
      world.trace?.(() => `${process.name} is gone`);
      process.kill();
      oracle.died(process);
    };
    const process = createWorkerProcess({
      name: `w${made}`,
      scheduler,
      conditions: weather,
      random: chances,
      onCall(calls) {
        if (calls === planned.diesAfter) {
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
    const ports = {
      clock: process.clock,
      service: servicePort(world, weather, life, process, oracle.service),
      state: statePort(world, store, process, random, owner, oracle.state),
      publisher: publisherPort(world, weather, process, random, oracle.bus),
      vault: vaultPort(store.objects, process, weather),
      observe: () => {},
    };
    const deadline = scheduler.now() + planned.deadline;
    world.trace?.(() => `${process.name} begins a tick`);
    let ended = false;
    const overrun = (): void => {
      world.overran = true;
      world.meet("overran");
    };
    tick({ ports, source: plan.source, owner, deadline, service: "service" }).then(
      (summary) => {
        ended = true;
        if (scheduler.now() > deadline) overrun();
        world.trace?.(() => `${process.name} ends its tick`);
        oracle.tickEnded(process, { summary });
      },
      (error: unknown) => {
        ended = true;
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
        if (!process.alive()) run(plainRun, owner);
      });
  };

  const next = (): void => {
    if (ticks >= options.mostTicks || (scheduler.now() > world.quietFrom && options.isDone())) {
      scheduler.stop();
      return;
    }
    oracle.requests.tickBegan();
    const runs = plan.workers.runs[ticks] ?? [plainRun];
    if (runs.length > 1) world.meet("two-workers");
    for (const [i, planned] of runs.entries()) {
      const owner = `run-${ticks}-${i}`;
      scheduler.at(scheduler.now() + planned.startsAfter, () => run(planned, owner));
    }
    ticks += 1;
    scheduler.at(START + ticks * plan.source.interval, next);
  };
  scheduler.at(START, next);
  return { ticks: () => ticks };
}
