import { expect, it } from "vitest";
import { elsewhere } from "../../../../lib/cli/verbs/forget.ts";
import { parseConfig } from "../../../../lib/config/index.ts";

const source = {
  baseUrl: "https://s.example.com",
  timeZone: "UTC",
  retention: { archive: "10d", logs: "5d" },
};
const url = "https://crm.example.com/hook";
const DAY = 24 * 3_600_000;

async function told(webhooks: object[]): Promise<Record<string, number | null>> {
  const config = async () => parseConfig({ sources: [source], webhooks }, { deployed: true });
  const stack = { stackName: "S", functionName: "f", outputs: {}, call: async () => ({}) };
  const found = await elsewhere({ stack, config }, 0);
  return Object.fromEntries(found.map(({ where, until }) => [where, until]));
}

it("forget says of a stack until when what lies elsewhere is gone", async () => {
  expect(await told([])).toEqual({
    "the survey service": null,
    subscribers: null,
    "live pages": null,
    "records of nobody knows which response": null,
    "sources that the configuration no longer names": null,
    "the archive of the bus": 10 * DAY,
    "the dead-letter queues of webhooks and of onResponseCompleted": 15 * DAY,
    "the queues of tail, listen and console": 300_000,
    "point-in-time backups of the table": 35 * DAY,
    "the logs": 5 * DAY,
  });
});

it("forget names the queues of webhooks, and that what was given up there stays for as long once more", async () => {
  expect(await told([{ name: "crm", url }])).toMatchObject({
    "the queues of webhooks": 14 * DAY,
    "the dead-letter queues of webhooks and of onResponseCompleted": 28 * DAY,
  });
});
