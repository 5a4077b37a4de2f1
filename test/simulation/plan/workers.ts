import type { Chooser } from "./chooser.ts";

/** What happens to one run of the poller. */
export interface RunPlan {
  /** Milliseconds after the tick's time. */
  startsAfter: number;
  /** Milliseconds from its start after which nothing new is begun. */
  deadline: number;
  /** Calls after which the process dies or stands still. */
  diesAfter?: number;
  /** Whether it dies after its first request to the bus instead: the moment at which most is at stake. */
  diesPublishing?: boolean;
  freezesAfter?: number;
  /** Milliseconds. */
  frozenFor: number;
  /** Made again under the same name a little later, as a failed invocation is. */
  retried?: boolean;
}

export function planWorkers(chooser: Chooser, { calm, ticks }: { calm: boolean; ticks: number }) {
  const { random } = chooser;
  const crashes = chooser.flag("crash", 0.4) && !calm;
  const freezes = chooser.flag("freeze", 0.3) && !calm;
  const doubles = chooser.flag("two-workers", 0.3) && !calm;
  const hurried = chooser.flag("deadline", 0.25) && !calm;
  const rate = random.pick([0.05, 0.15, 0.4]);
  const deadline = Number(chooser.option("run-time", { 150000: 3, 40000: 1 }));
  const plain = (): RunPlan => {
    const [dies, calls] = [random.chance(rate), random.between(1, random.pick([10, 60, 200]))];
    const [stops, after] = [random.chance(rate), random.between(1, random.pick([20, 100]))];
    const [hurries, milliseconds] = [random.chance(rate), random.below(4_000)];
    const frozenFor = random.between(5, 120) * 1000;
    const retried = random.chance(0.3);
    const startsAfter = random.below(3_000);
    return {
      startsAfter,
      deadline: hurried && hurries ? milliseconds : deadline,
      diesAfter: crashes && dies ? calls : undefined,
      diesPublishing: crashes && dies && calls % 3 === 0,
      freezesAfter: freezes && stops ? after : undefined,
      frozenFor,
      retried: crashes && dies && retried,
    };
  };
  const runs: RunPlan[][] = [];
  for (let i = 0; i < ticks; i += 1) {
    const first = plain();
    const second = plain();
    runs.push(random.chance(rate) && doubles ? [first, second] : [first]);
  }
  return {
    /** Runs of each tick with changes: mostly one. */
    runs,
    /** Milliseconds of a usual run: longer than an interval, it works off backlogs beside the next ticks. */
    deadline,
    /** Milliseconds for which a tick catches up before it leaves the rest to slices. */
    ownTime: random.pick([0, 0, 300, 5_000]),
  };
}
