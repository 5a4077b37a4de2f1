import { type Ports, tick, type Vault, workOffBacklogs } from "../../lib/polling/index.ts";
import { keepDefinitions } from "../../lib/service/kept-definitions.ts";
import { copyOf } from "../support/copy.ts";
import type { Store } from "../support/state-store.ts";
import { createWorkerProcess, type WorkerProcess } from "./engine/worker-process.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { type RunPlan, START } from "./plan/plan.ts";
import { publisherPort } from "./ports/publisher-port.ts";
import { servicePort } from "./ports/service-port.ts";
import { statePort } from "./ports/state-port.ts";
import type { Weather } from "./ports/weather.ts";
import type { Life } from "./service/life.ts";
import { stateShownBy } from "./sometimes/registry.ts";
import type { World } from "./world.ts";

/** What the platform leaves a run beyond its deadline before it ends it. */
const RESERVE = 20_000;
/** Milliseconds after the deadline, from which on nothing new is begun, until what is under way is aborted. */
const ABORTED_AFTER = 10_000;
const RETRY_AFTER = 30_000;

/** Begins a tick at each interval, as a schedule does, until `isDone` or `mostTicks`. */
export function startWorkers(
  world: World,
  parts: { store: Store; weather: Weather; life: Life; oracle: Oracle },
  options: { mostTicks: number; isDone: (ticks: number) => boolean },
) {
  const { scheduler, plan } = world;
  const { store, weather, life, oracle } = parts;
  const chances = world.random("processes");
  const unharmed: RunPlan = { startsAfter: 0, deadline: plan.workers.deadline, frozenFor: 0 };
  let ticks = 0;
  let made = 0;
  /** At work, or standing still. */
  let invocations = 0;

  /** Runs one invocation in a process of its own: a tick, and the backlogs where there are any. */
  const run = (planned: RunPlan, owner: string): void => {
    made += 1;
    if (invocations > 0) world.sometimes("two invocations at once");
    invocations += 1;
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
    if (planned.deadline < plan.workers.deadline) world.meet("deadline");
    const deadline = scheduler.now() + planned.deadline;
    const vault = vaultPort(store.objects, process, weather);
    const keeping = keepDefinitions(vault, plan.source.name);
    const ports: Ports = {
      clock: process.clock,
      service: servicePort(world, weather, life, process, oracle.service, {
        abortsAt: deadline + ABORTED_AFTER,
        keeping,
      }),
      state: statePort(world, store, process, random, oracle.state),
      publisher: publisherPort(world, weather, process, random, oracle.bus),
      vault,
      observe(progress) {
        const state = stateShownBy(progress);
        if (state !== undefined) world.sometimes(state);
      },
    };
    world.trace?.(() => `${process.name} begins`);
    const overrun = (): void => {
      world.overran = true;
      world.meet("overran");
    };
    const request = { ports, owner, deadline, source: plan.source, service: "service" };
    const work = async (): Promise<void> => {
      const summary = await tick({ ...request, ownTime: plan.workers.ownTime });
      if (scheduler.now() > deadline) overrun();
      world.trace?.(() => `${process.name} ends its tick`);
      oracle.workEnded(process, { surveys: summary.surveys });
      if (summary.behind === 0 && summary.isBusy !== true) return;
      await workOffBacklogs({ ...request, turnTime: plan.turnTime }, async (doRound) => {
        const round = await doRound(ports);
        if (round.turns.length > 0) world.meet("slice");
        oracle.workEnded(process, { surveys: round.turns });
        return round;
      });
    };
    work()
      .catch((error: unknown) => {
        world.trace?.(() => `${process.name} fails: ${String(error)}`);
        oracle.workEnded(process, { surveys: [], error });
      })
      .finally(() => {
        world.trace?.(() => `${process.name} ends`);
        ended = true;
        invocations -= 1;
      });
    scheduler.at(deadline + RESERVE + planned.frozenFor, () => {
      if (ended) return;
      if (process.alive() && process.pending() === 0) world.violate("hang", `${process.name} waits for nothing`);
      if (process.alive()) overrun();
      end(process);
    });
    if (planned.retried)
      scheduler.at(scheduler.now() + RETRY_AFTER, () => {
        if (!process.alive()) run(unharmed, owner);
      });
  };

  const next = (): void => {
    if (ticks >= options.mostTicks || (world.isLiveness() && options.isDone(ticks))) {
      scheduler.stop();
      return;
    }
    oracle.requests.tickBegan();
    const runs = plan.workers.runs[ticks] ?? [unharmed];
    if (runs.length > 1) world.meet("two-workers");
    for (const [i, planned] of runs.entries()) {
      const owner = `run-${ticks}-${i}`;
      scheduler.at(scheduler.now() + planned.startsAfter, () => run(planned, owner));
    }
    ticks += 1;
    scheduler.at(START + ticks * plan.source.interval, next);
  };
  scheduler.at(START, next);
  return {
    /** Ticks begun so far. */
    ticks: () => ticks,
  };
}

/** The bucket as one process of the poller meets it. */
function vaultPort(objects: Map<string, unknown>, process: WorkerProcess, weather: Weather): Vault {
  return {
    put(key, value) {
      const kept = copyOf(value);
      return process.call("vault", () => void objects.set(key, kept));
    },
    get: (key) =>
      process.call("vault", () => {
        // The bucket has its own time after which things go.
        if (objects.has(key) && weather.happens("vault:loses")) objects.delete(key);
        return copyOf(objects.get(key));
      }),
    delete: (key) => process.call("vault", () => void objects.delete(key)),
  };
}
