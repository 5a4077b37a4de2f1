const { readdirSync } = require("node:fs");
const events = require("survey-poller/events");
const golden = require("survey-poller/contract/golden/ordinary.json");

async function main() {
  const module = await import("survey-poller/events");
  const said = [events, module].map(({ DETAIL_TYPE, eventId, responseCompleted, eventJsonSchema }) => [
    DETAIL_TYPE,
    eventId("main", 1, 2),
    responseCompleted.safeParse(golden.detail).success,
    responseCompleted.safeParse({}).success,
    eventJsonSchema(DETAIL_TYPE, "draft-4").type,
  ]);
  const installed = readdirSync("node_modules").filter((name) => !name.startsWith("."));
  console.log(JSON.stringify({ said, installed }));
}
main();
