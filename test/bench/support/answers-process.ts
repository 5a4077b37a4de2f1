import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A service of its own process that costs as little as it can: one answer, after some milliseconds.

const delay = Number(process.argv[2] ?? 0);
const metrics = Object.fromEntries(
  [71, 72].map((metricId) => [
    metricId,
    {
      metricId,
      surveyId: 7,
      metricName: "NPS",
      presentation: "points",
      maxValueIncludingEmptyAnswer: 10,
      testMode: 0,
      firstLevelThreshold: null,
      secondLevelThreshold: null,
      created: "2026-03-10 12:00:00",
      score: { pointsSum: 9, maxPointsSum: 10, minPointsSum: 0, nps: true },
    },
  ]),
);
const body = Buffer.from(JSON.stringify([metrics]));
const token = Buffer.from(JSON.stringify({ token: "bench" }));

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  const answer = request.method === "POST" ? token : body;
  const send = (): void => {
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  };
  if (delay === 0) send();
  else setTimeout(send, delay);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
