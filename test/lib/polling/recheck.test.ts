import { expect, it } from "vitest";
import { isObject } from "../../../lib/json.ts";
import type { SurveyService } from "../../../lib/polling/index.ts";
import { at, MINUTE, range, replace, runTick, worldWith } from "../../support/survey.ts";

// R11, R23: the API document does not show the records of the single read.
it("a response goes out with what its page says of it, where the single read leaves something out", async () => {
  const fields = { iso3166: "PL", crk: "key-9", dateStart: at(-5 * MINUTE) };
  const settled = range(1, 8).map((responseId) => ({ responseId, completed: at(-responseId * MINUTE), fields }));
  const world = worldWith([...settled, { responseId: 9, fields }]);
  const { response } = world.ports.service;
  const bare: SurveyService["response"] = async (...ids) => {
    const read = await response(...ids);
    if (read.kind === "absent") return read;
    const body = read.body.map((record) => {
      if (!isObject(record)) return record;
      const { iso3166, crk, promoCode, ...rest } = record;
      return rest;
    });
    return { ...read, body };
  };
  world.ports.service.response = bare;
  const source = { backgroundRequests: 30 };
  for (let minute = 0; minute < 60; minute += 1) {
    if (minute === 5) replace(world, { responseId: 9, completed: at(5 * MINUTE), fields });
    await runTick(world, { source });
    world.time.now += MINUTE;
  }
  const [first] = world.delivered.filter(({ data }) => data.responseId === 9);
  expect(first?.data.response).toMatchObject({ country: "PL", crk: "key-9" });
});
