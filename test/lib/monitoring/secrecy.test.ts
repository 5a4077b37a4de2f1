import { Logger } from "@aws-lambda-powertools/logger";
import { expect, it } from "vitest";
import { pollScheduled } from "../../../lib/run/poll-scheduled.ts";
import type { MemoryWorld } from "../../support/memory-ports.ts";
import { arrive, at, letTimePass, MINUTE, range, SECOND, takes, worldWith } from "../../support/survey.ts";
import { memoryGraph } from "../support/graph.ts";
import { writtenBy } from "./support/embedded-metrics.ts";

const CANARY = "canary";
const personal = {
  comment: `jane@${CANARY}.example`,
  crk: `${CANARY}-crk`,
  promoCode: `${CANARY}-promo`,
  iso3166: `${CANARY}-country`,
  answer: [`${CANARY}-answer`],
  matrixScore: { [`${CANARY}-key`]: `${CANARY}-value` },
};

/** Personal data wherever the service may put it: in records, also unreadable ones, in names of fields, in metadata, and in what failures quote. */
function world(): MemoryWorld {
  const planted = worldWith([{ responseId: 1, completed: at(0), fields: personal }]);
  for (const responseId of range(2, 9))
    arrive(planted, { responseId, completed: at(responseId * SECOND), fields: personal });
  arrive(planted, { responseId: 10, completed: at(0), fields: { ...personal, completed: `${CANARY}-completed` } });
  arrive(planted, { responseId: 11, completed: `${CANARY}-date`, fields: personal });
  planted.model.complete(1, 1, { records: 1, patch: { ...personal, responseId: `${CANARY}-id` } });
  const metadata = { ip: `${CANARY}-ip`, referrer: `https://${CANARY}.example`, browser: `${CANARY}-browser` };
  planted.model.edit(1, 2, { metadata: { body: [{ responseId: 2, ...metadata }] } });
  planted.bus.decide = ({ data }) => (data.responseId === 3 ? { kind: "refused", code: "MalformedDetail" } : undefined);
  return planted;
}

const graphOf = (world: MemoryWorld) => memoryGraph(world, { logLevel: "debug" });

const request = () => ({
  owner: "o",
  remaining: () => 60_000,
  requestId: "request-1",
  logger: new Logger({ logLevel: "DEBUG" }),
  level: "full" as const,
});

it("a tick with news, with quarantined and waiting ones, writes nothing personal", async () => {
  const planted = world();
  planted.before.push(({ operation, args }) => {
    if (operation === "metrics" && args[1] === 4)
      throw Object.assign(new Error(personal.comment), { code: "SERVER_ERROR" });
  });

  const text = await writtenBy(() => pollScheduled({ ...request(), graphs: [graphOf(planted)] }));

  expect(JSON.stringify(planted.delivered)).toContain(CANARY);
  expect(text).toMatch(/"message":"tick"/);
  expect(text).toMatch(/"Withheld":[1-9]/);
  expect(text).toMatch(/"Waiting":[1-9]/);
  expect(text).toMatch(/"message":"event".*"responseId":2,.*"outcome":"published"/);
  expect(text).toMatch(/"message":"event".*"responseId":3,.*"outcome":"refused","code":"MalformedDetail"/);
  expect(text).not.toContain(CANARY);
});

it.each(["surveys", "page", "metadata", "saveAccount", "putEntries", "publish"])(
  "a tick in which %s fails, and quotes what it was working on, writes nothing personal",
  async (failing) => {
    const planted = world();
    planted.before.push(({ operation }) => {
      if (operation === failing) throw Object.assign(new Error(JSON.stringify(personal)), { name: "Odd" });
    });
    const graph = graphOf(planted);

    const text = await writtenBy(async () => {
      await pollScheduled({ ...request(), graphs: [graph] });
      planted.time.now += 20 * MINUTE;
      await pollScheduled({ ...request(), graphs: [graph] });
    });

    expect(text).toMatch(/"message":"(tick failed|survey failed|tick|outage)"/);
    expect(text).not.toContain(CANARY);
  },
);

it.each([
  ["surveys", "tick failed"],
  ["page", "survey failed"],
])("a fault of our own in %s leaves the frames of its stack, and nothing of its message", async (failing, line) => {
  const planted = world();
  const frame = `    at ${CANARY} (/${CANARY}.ts:1:2)`;
  planted.before.push(({ operation }) => {
    if (operation === failing) throw new TypeError(`no ${personal.comment}\n${frame}\n${CANARY}`);
  });

  const text = await writtenBy(() => pollScheduled({ ...request(), graphs: [graphOf(planted)] }));

  expect(text).toMatch(new RegExp(`"message":"${line}".*"code":"TypeError".*"frames":\\["secrecy.test.ts:\\d+:\\d+",`));
  expect(text).not.toContain(CANARY);
});

it("a round of catching up writes nothing personal", async () => {
  const planted = world();
  for (const responseId of range(20, 900)) arrive(planted, { responseId, completed: at(responseId), fields: personal });
  takes(planted, 8 * SECOND, ({ operation }) => operation === "page");

  const text = await writtenBy(() => letTimePass(planted, pollScheduled({ ...request(), graphs: [graphOf(planted)] })));

  expect(text).toMatch(/"message":"backlog"/);
  expect(text).not.toContain(CANARY);
});
