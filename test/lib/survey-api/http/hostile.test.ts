import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SurveyApiError } from "../../../../lib/survey-api/index.ts";
import {
  answer,
  type Behaviour,
  bare,
  chunk,
  cut,
  earlyHints,
  good,
  head,
  startHostile,
  trickle,
} from "../support/hostile.ts";
import { clientOf, inTurn, TOKEN, withToken } from "../support/service.ts";

const MiB = 1024 * 1024;
const list = '[{"surveyId":1}]';
const gzipped = gzipSync(JSON.stringify([{ surveyId: 1, name: "x".repeat(500) }]));

/** The short ones are for those who never come to an end; a busy machine must not make one of any other. */
const timeouts = { connect: 1_000, headers: 2_000, body: 2_000 };
const shortTimeouts = { connect: 1_000, headers: 80, body: 80 };
const maxBodyBytes = MiB;

interface Expected {
  code: string;
  attempts: number;
  status?: number | undefined;
  /** Whether the call may succeed later; also whether the client itself tries again. */
  retryable: boolean;
}
const unreachable: Expected = { code: "UNREACHABLE", attempts: 4, status: undefined, retryable: true };
const unreadable: Expected = { code: "UNREADABLE_BODY", attempts: 3, status: 200, retryable: true };
const timedOut: Expected = { code: "TIMEOUT", attempts: 2, status: undefined, retryable: true };
const timeoutsFor = ({ code }: Expected) => (code === "TIMEOUT" ? shortTimeouts : timeouts);
const tooLong: Expected = { code: "UNREADABLE_BODY", attempts: 1, status: 200, retryable: false };

/** The survey list may be eight times as long as any other body. */
const bomb = Buffer.alloc(9 * MiB, " ");

const resets = bare((socket) => socket.resetAndDestroy());
const behaviours: [string, Behaviour, Expected][] = [
  ["a reset before the answer", (socket) => socket.resetAndDestroy(), unreachable],
  ["an end before the answer", (socket) => socket.end(), unreachable],
  ["a reset within the status line", cut("HTTP/1.1 20", "reset"), unreachable],
  ["an end within the headers", cut("HTTP/1.1 200 OK\r\ncontent-le"), unreachable],
  ["a reset within the headers", cut("HTTP/1.1 200 OK\r\ncontent-length: 16\r\n", "reset"), unreachable],
  ["a reset within the body", cut(`${head("content-length: 16")}${list.slice(0, 9)}`, "reset"), unreachable],
  ["a body cut by its length", cut(`${head("content-length: 16")}${list.slice(0, 9)}`), unreachable],
  ["a body cut between chunks", cut(`${head("transfer-encoding: chunked")}${chunk(list)}`), unreachable],
  ["a body cut within a chunk", cut(`${head("transfer-encoding: chunked")}10\r\n${list.slice(0, 9)}`), unreachable],
  ["a chunk without a length", cut(`${head("transfer-encoding: chunked")}zz\r\n${list}\r\n0\r\n\r\n`), unreachable],
  ["what is not HTTP", cut("SSH-2.0-OpenSSH_9.6\r\n\r\n"), unreachable],
  ["two lengths", cut(`${head("content-length: 16\r\ncontent-length: 3")}${list}`), unreachable],
  ["a length and chunks", cut(`${head("content-length: 16\r\ntransfer-encoding: chunked")}${list}`), unreachable],
  ["more headers than fit", answer(list, { "x-long": "y".repeat(200_000) }), unreachable],
  ["an answer to CONNECT that nobody asked for", cut(head("upgrade: x", "101 Switching Protocols")), unreachable],
  ["a 100 that nobody asked for", answer(list, {}, "100 Continue\r\n\r\nHTTP/1.1 200 OK"), unreachable],
  ["gzip cut by its end", answer(gzipped.subarray(0, -12), { "content-encoding": "gzip" }), unreadable],
  ["br that is none", answer(Buffer.from([0, 1, 2, 3]), { "content-encoding": "br" }), unreadable],
  ["an unknown encoding", answer(Buffer.from([0x1f, 0x9d, 0x90]), { "content-encoding": "compress" }), unreadable],
  ["silence", () => undefined, timedOut],
  ["headers that trickle for ever", trickle("HTTP/1.1 200 OK\r\n", "x-more: y\r\n", 10), timedOut],
  ["headers and then silence", (socket) => void socket.write(head("content-length: 16")), timedOut],
  ["a body that trickles for ever", trickle(head("transfer-encoding: chunked"), chunk(" "), 8), timedOut],
  ["1xx for ever", trickle("", earlyHints, 10), timedOut],
  ["a gzip bomb", answer(gzipSync(bomb), { "content-encoding": "gzip" }), tooLong],
  ["a br bomb", answer(brotliCompressSync(bomb), { "content-encoding": "br" }), tooLong],
];

describe("a service that meets the client with", () => {
  it.each(behaviours)("%s gets the right error, and harms nothing else", async (_name, behaviour, expected) => {
    const service = await startHostile(behaviour);
    const { api } = clientOf(service, { timeouts: timeoutsFor(expected), maxBodyBytes });

    const error = await api.surveys().catch((thrown: unknown) => thrown as SurveyApiError);

    expect(error).toMatchObject({ ...expected, operation: "get survey list", hint: expect.stringMatching(/\S/) });
    expect(service.data()).toHaveLength(expected.attempts);
    service.behave = good;
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
    await api.close();
    await vi.waitFor(() => expect(service.connections.open).toBe(0), { interval: 2 });
  });

  it.each(behaviours.filter(([, , { attempts }]) => attempts > 1))(
    "%s once is asked again, and then gives the value",
    async (_name, behaviour, expected) => {
      const service = await startHostile((socket) => {
        service.behave = good;
        behaviour(socket);
      });
      const { api, slept } = clientOf(service, { timeouts: timeoutsFor(expected), maxBodyBytes });
      expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
      expect(slept).toEqual([250]);
    },
  );

  it("a reset for the token request, a POST, is asked again too", async () => {
    const service = await startHostile();
    service.answers.set("/oauth/token/", inTurn(resets, { json: { token: TOKEN } }));
    expect(await clientOf(service, { timeouts }).api.surveys()).toEqual([{ surveyId: 1 }]);
    expect(service.requests.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  });
});

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
    // It answers with the first bytes of what is sent, and ends.
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (data) => {
        const body = data.toString().startsWith("POST") ? '{"token":"t"}' : list;
        answer(body, { connection: "close" })(socket);
        socket.end();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const credentials = { clientId: "client", clientSecret: "x".repeat(300_000) };
    const { api } = clientOf({ url: `http://127.0.0.1:${port}` }, { credentials, timeouts });
    expect(await api.surveys()).toEqual([{ surveyId: 1 }]);
  });
});

it.each([
  [404, "NOT_FOUND", 1],
  [403, "SERVER_ERROR", 1],
  [500, "SERVER_ERROR", 4],
  [429, "TOO_MANY_REQUESTS", 10],
])("%i tells what it tells, with an encoding that is a lie", async (status, code, attempts) => {
  const service = await startHostile(answer("no gzip", { "content-encoding": "gzip" }, `${status} Odd`));
  await expect(clientOf(service, { timeouts }).api.survey(7)).rejects.toMatchObject({ code, status, attempts });
});

describe("a keep-alive connection that the server closes just when the next request comes", () => {
  it("is not used again when it was closed before", async () => {
    const service = await startHostile((socket) => {
      good(socket);
      socket.end();
    });
    const { api, slept } = withToken(clientOf(service, { timeouts }));
    await api.surveys();
    await vi.waitFor(() => expect(service.connections.open).toBe(0), { interval: 2 });
    await api.surveys();
    expect(slept).toEqual([]);
  });
});

it("a refused connection is UNREACHABLE after all attempts", async () => {
  const { api, slept } = clientOf({ url: "http://127.0.0.1:1" }, { timeouts });
  await expect(api.surveys()).rejects.toMatchObject({
    ...unreachable,
    operation: "get token",
    message: expect.stringContaining("ECONNREFUSED"),
    hint: expect.stringContaining("baseUrl"),
  });
  expect(slept).toEqual([250, 500, 1_000]);
});
