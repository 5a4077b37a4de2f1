import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { answer, type Behaviour, chunk, cut, earlyHints, head, startHostile } from "../support/hostile.ts";
import { clientOf } from "../support/service.ts";

const list = '[{"surveyId":1}]';
const timeouts = { connect: 1_000, headers: 2_000, body: 2_000 };

describe("an odd answer that is right all the same is read:", () => {
  const http10 = `HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n${list}`;
  const odd: [string, Behaviour][] = [
    ["one of HTTP/1.0 that ends with its connection", cut(http10)],
    ["one after 103 Early Hints", (socket) => void socket.write(`${earlyHints}${head("content-length: 16")}${list}`)],
    ["203, of a proxy that rewrites", answer(list, {}, "203 Non-Authoritative Information")],
    ["one with a trailer", cut(`${head("transfer-encoding: chunked")}${chunk(list)}0\r\nx-sum: 1\r\n\r\n`)],
    ["one in chunks of a byte", cut(`${head("transfer-encoding: chunked")}${[...list].map(chunk).join("")}0\r\n\r\n`)],
    ["one with headers that came twice", answer(list, { "x-a": "1\r\nx-a: 2\r\ncontent-type: text/html" })],
    ["one with garbage behind its body", cut(`${head("content-length: 16")}${list}GARBAGE`)],
    ["one with another answer behind it", cut(`${head("content-length: 16")}${list}${head("content-length: 2")}[]`)],
    ["one without a reason and in odd case", cut(`HTTP/1.1 200 \r\nCONTENT-LENGTH: 16\r\n\r\n${list}`)],
  ];

  it.each(odd)("%s", async (_name, behaviour) => {
    const service = await startHostile(behaviour);
    const { api } = clientOf(service, { timeouts });
    for (let time = 0; time < 3; time += 1) {
      expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    }
    // None needed a second attempt.
    expect(service.requests).toHaveLength(4);
  });

  it("one to a token request that was not read to its end", async () => {
    let sent = "";
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (data) => {
        sent += data.toString();
        answer(sent.startsWith("POST") && sent.includes("oauth") ? '{"token":"t"}' : list, { connection: "close" })(
          socket,
        );
        socket.end();
        sent = "";
      });
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
    });
    const clientSecret = "x".repeat(300_000);
    const { api } = clientOf(
      { url: `http://127.0.0.1:${port}` },
      { credentials: { clientId: "client", clientSecret }, timeouts },
    );
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    await new Promise((resolve) => server.close(resolve));
  });
});
