import { describe, expect, it } from "vitest";
import { POLLS } from "../../../lib/polling/index.ts";
import { createStore } from "../../support/state-store.ts";
import { noCuts } from "../plan/chooser.ts";
import { planHistory } from "../plan/plan.ts";
import { bringToLife } from "../service/life.ts";
import type { SimResponse, Traits } from "../service/survey-model.ts";
import { createWorld, type World } from "../world.ts";
import { isExcluded, isRightlyHeld, leewayOf } from "./excluded.ts";

/** A completed response of a survey that is as said, after all that is going to happen to it. */
function someResponse(traits: Partial<Traits>): { world: World; response: SimResponse } {
  const plan = planHistory(1, noCuts);
  for (const survey of plan.surveys) {
    Object.assign(survey, { traits: { ...survey.traits, single: "right", layout: "contiguous", ...traits } });
    Object.assign(survey, { flips: [], broken: undefined });
    for (const response of survey.responses) {
      Object.assign(response, { single: { presentFrom: -Infinity, failsUntil: -Infinity }, growsAfter: undefined });
    }
  }
  const world = createWorld(plan, undefined);
  bringToLife(world);
  world.scheduler.run();
  const response = world.responses.values().find(({ completedAt, odd }) => completedAt !== undefined && !odd);
  if (response === undefined) throw new Error("nothing was completed");
  return { world, response };
}

function storeWith(response: SimResponse, state: string, attempts = POLLS) {
  const store = createStore(() => 0, { shownUntil: () => Infinity, showsOld() {} });
  store.write(response.survey.id, { id: response.id, state: state as "open", attempts });
  return store;
}

describe("what the poller does not answer for", () => {
  it("is nothing where records stand together", () => {
    const { world, response } = someResponse({ single: "gone" });
    expect(isExcluded(world, response)).toBeUndefined();
    expect(isRightlyHeld(world, storeWith(response, "held"), response)).toBe(false);
  });

  it.each([
    ["gives them whole", { layout: "scattered" }, false],
    ["lacks facts of the response", { layout: "scattered", single: "bare" }, false],
    ["says nothing", { layout: "interleaved", single: "gone" }, true],
    ["leaves records out", { layout: "interleaved", single: "fewer" }, true],
    ["never reads the same", { layout: "interleaved", volatile: "comment" }, true],
  ] satisfies [string, Partial<Traits>, boolean][])(
    "are scattered records where the single read %s",
    (_, traits, held) => {
      const { world, response } = someResponse(traits);
      expect(isExcluded(world, response)).toBe("records scattered unseen");
      expect(leewayOf(world, response).part).toBe(true);
      world.scatteredAt = world.startedAt - 3_600_000;
      expect(leewayOf(world, response)).toEqual({ held, part: false, stays: true });
      expect(isRightlyHeld(world, storeWith(response, "held"), response)).toBe(held);
      expect(isRightlyHeld(world, storeWith(response, "open"), response)).toBe(false);
      expect(isRightlyHeld(world, storeWith(response, "held", POLLS - 1), response)).toBe(false);
    },
  );
});
