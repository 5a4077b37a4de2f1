import { describe, expect, it } from "vitest";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import {
  addSurvey,
  arrive,
  at,
  deliveredIds,
  HOUR,
  MINUTE,
  range,
  runTick,
  SECOND,
  surveyOf,
  timesCalled,
  worldWith,
} from "../../support/survey.ts";

/** Surveys 1 to `count` with one response each, whose id is ten times theirs. */
function world(count: number): MemoryWorld {
  const made = worldWith([{ responseId: 10, completed: at(0) }]);
  for (const surveyId of range(2, count)) addSurvey(made, surveyId, [{ responseId: surveyId * 10, completed: at(0) }]);
  return made;
}

function failPagesOf(made: MemoryWorld, surveyId: number, error: Error): void {
  made.before.push(({ operation, args }) => {
    if (operation === "page" && args[0] === surveyId) throw error;
  });
}

/** As many surveys are polled at once as requests may be. */
const fourAtOnce = { source: { concurrency: 4 } };

const coded = (code: string): Error => Object.assign(new Error(`says ${code}, and quotes jane@example.com`), { code });

describe("a tick whose rows cannot be written", () => {
  /** 26 surveys with news, the first rows of which are to be saved while the tick is still at work. */
  function longTick(refuse: (times: number) => boolean): MemoryWorld {
    const made = world(26);
    let times = 0;
    made.before.push(({ operation, args }) => {
      if (operation === "metrics" && args[0] === 25) made.time.now += 10 * SECOND;
      if (operation !== "saveRows") return;
      times += 1;
      if (refuse(times)) throw coded("DYNAMODB_FAILED");
    });
    return made;
  }

  it("in the midst of its work writes them with the others at its end", async () => {
    const made = longTick((times) => times === 1);
    await runTick(made, { source: { concurrency: 64 } });
    expect(timesCalled(made, "state", "saveRows")).toBeGreaterThan(1);
    expect(made.account.rows.size).toBe(26);
  });

  it("fails once all is polled, and what it could not write is polled again", async () => {
    let refuses = true;
    const made = longTick(() => refuses);
    const failed = await runTick(made, { source: { concurrency: 64 } }).catch(({ code }) => code);
    expect(failed).toBe("DYNAMODB_FAILED");
    expect(deliveredIds(made)).toHaveLength(26);
    expect(made.account.rows.size).toBe(0);

    refuses = false;
    const { surveys } = await runTick(made, { source: { concurrency: 64 } });
    expect(surveys).toHaveLength(26);
    expect(deliveredIds(made)).toHaveLength(26);
  });
});

describe("a survey that fails", () => {
  it("does not touch the others, is told of, and is polled again at the next tick", async () => {
    const made = world(6);
    failPagesOf(made, 3, coded("SERVER_ERROR"));

    const summary = await runTick(made);

    expect(deliveredIds(made).sort()).toEqual([10, 20, 40, 50, 60]);
    expect(summary.surveys.find(({ surveyId }) => surveyId === 3)).toMatchObject({
      outcome: "failed",
      unfinished: true,
      failure: { code: "SERVER_ERROR" },
    });
    expect(summary.surveys.filter(({ outcome }) => outcome === "polled")).toHaveLength(5);
    made.before.length = 0;
    await runTick(made);
    expect(deliveredIds(made)).toContain(30);
  });

  it("with an error that is not our own is told of by its code alone: such a message may quote data", async () => {
    const made = world(2);
    failPagesOf(made, 2, coded("ODD"));

    const summary = await runTick(made);

    expect(JSON.stringify(summary)).not.toContain("jane@example.com");
    expect(JSON.stringify(made.progress)).not.toContain("jane@example.com");
  });
});

describe("a failure of the whole source", () => {
  it.each([
    "WRONG_CREDENTIALS",
    "WRONG_TOKEN",
    "TOO_MANY_RENEWALS",
    "CREDENTIALS_MISSING",
    "TOO_MANY_REQUESTS",
    "STATE_REFUSED",
  ])("(%s) ends the tick: no survey is begun after it, and it is thrown", async (code) => {
    const made = world(30);
    failPagesOf(made, 1, coded(code));

    await expect(runTick(made, fourAtOnce)).rejects.toMatchObject({ code });

    // Those already begun are finished.
    expect(timesCalled(made, "state", "acquire")).toBeLessThanOrEqual(4);
  });

  it("of the survey list leaves the known surveys to their full polls, and finds what is new there", async () => {
    const made = world(2);
    await runTick(made);
    made.before.push(({ operation }) => {
      if (operation === "surveys") throw coded("SERVER_ERROR");
    });
    arrive(made, { responseId: 77, completed: at(HOUR), surveyId: 1 });

    for (let minute = 0; minute < 20; minute += 1) {
      made.time.now += MINUTE;
      await expect(runTick(made)).rejects.toMatchObject({ code: "SERVER_ERROR" });
    }

    expect(deliveredIds(made)).toContain(77);
  });
});

describe("the state of another service", () => {
  it("behind the same source name is refused before anything is read or written", async () => {
    const made = world(1);
    await runTick(made);
    arrive(made, { responseId: 11, completed: at(HOUR) });
    made.calls.length = 0;

    await expect(runTick(made, { service: "service-2" })).rejects.toMatchObject({ code: "STATE_REFUSED" });

    expect(made.calls.map(({ operation }) => operation)).toEqual(["takeRole", "account", "giveBackRole"]);
    expect(surveyOf(made).records).toHaveLength(4);
    expect(made.account.service).toBe("service-1");
  });
});
