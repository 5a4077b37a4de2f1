import { describe, expect, it } from "vitest";
import { POLLS } from "../../../lib/polling/index.ts";
import { noCuts } from "../plan/chooser.ts";
import { planHistory } from "../plan/plan.ts";
import { createStore } from "../ports/store.ts";
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
  it.each([
    ["records stand together", { single: "gone" }],
    ["operation 9 gives them whole", { layout: "scattered" }],
    ["it lacks facts of the response", { layout: "scattered", single: "bare" }],
  ] satisfies [string, Partial<Traits>][])("is nothing where %s", (_, traits) => {
    const { world, response } = someResponse(traits);
    expect(isExcluded(world, response)).toBeUndefined();
    expect(isRightlyHeld(world, storeWith(response, "held"), response)).toBe(false);
  });

  it.each([
    ["says nothing", { single: "gone" }],
    ["leaves records out", { single: "fewer" }],
    ["never reads the same", { volatile: "comment" }],
  ] satisfies [string, Partial<Traits>][])("are records apart where operation 9 %s", (_, traits) => {
    const { world, response } = someResponse({ layout: "interleaved", ...traits });
    expect(isExcluded(world, response)).toBe("records apart unseen, operation 9 tells nothing");
    expect(isRightlyHeld(world, storeWith(response, "held"), response)).toBe(true);
    expect(isRightlyHeld(world, storeWith(response, "open"), response)).toBe(false);
    expect(isRightlyHeld(world, storeWith(response, "held", POLLS - 1), response)).toBe(false);
  });

  it("is no part of a response once a page has shown that records lie apart", () => {
    const { world, response } = someResponse({ layout: "interleaved", single: "gone" });
    expect(leewayOf(world, response).part).toBe(true);
    response.survey.shownApartAt = world.startedAt;
    expect(leewayOf(world, response)).toEqual({ held: true, part: false, stays: true });
  });
});
