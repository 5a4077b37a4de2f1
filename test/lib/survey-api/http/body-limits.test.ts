import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SurveyApiError } from "../../../../lib/survey-api/index.ts";
import { eventually } from "../../../support/eventually.ts";
import { listen } from "../support/channels.ts";
import { answer, chunk, cut, earlyHints, flood, head, startHostile } from "../support/hostile.ts";
import { clientOf, withToken } from "../support/service.ts";

const MiB = 1024 * 1024;
const list = '[{"surveyId":1}]';
const questions = ["get survey questions", { surveyId: 1 }] as const;
const timeouts = { connect: 1_000, headers: 1_000, body: 1_000 };
const maxBodyBytes = MiB;
const tooLong = { code: "UNREADABLE_BODY", attempts: 1, status: 200, retryable: false };

describe("a body longer than `maxBodyBytes`", () => {
  const chunkOf64K = Buffer.from(chunk(" ".repeat(65_536)));

  it("is refused by its announced length: nothing of it is waited for", async () => {
    const taken = { bytes: 0 };
    const service = await startHostile(
      flood(head(`content-length: ${100 * MiB}`), Buffer.alloc(65_536), 100 * MiB, taken),
    );
    const told = listen();
    const { api } = withToken(clientOf(service, { maxBodyBytes }));
    await expect(api.read(...questions)).rejects.toMatchObject(tooLong);
    expect(told.request).toMatchObject([{ operation: "get survey questions", status: 200, attempt: 1 }]);
    await eventually(() => expect(service.connections.open).toBe(0));
    // What the two socket buffers of the kernel took before the connection was cut.
    expect(taken.bytes).toBeLessThan(16 * MiB);
  });

  it("is cut where it passes the limit when its length is not announced", async () => {
    const taken = { bytes: 0 };
    const service = await startHostile(flood(head("transfer-encoding: chunked"), chunkOf64K, 100 * MiB, taken));
    const { api } = withToken(clientOf(service, { maxBodyBytes }));
    await expect(api.read(...questions)).rejects.toMatchObject(tooLong);
    await eventually(() => expect(service.connections.open).toBe(0));
    expect(taken.bytes).toBeGreaterThanOrEqual(MiB - 65_536);
    expect(taken.bytes).toBeLessThan(16 * MiB);
  });

  it.each([
    ["of exactly the limit", 1_000, "resolves"],
    ["of one byte more", 1_001, "rejects"],
  ] as const)("%s is judged to the byte, compressed or not", async (_name, length, outcome) => {
    const text = `[${" ".repeat(length - 2)}]`;
    for (const behaviour of [
      answer(text),
      answer(gzipSync(text), { "content-encoding": "gzip" }),
      cut(`${head("transfer-encoding: chunked")}${chunk(text)}0\r\n\r\n`),
    ]) {
      const service = await startHostile(behaviour);
      const { api } = clientOf(service, { maxBodyBytes: 1_000 });
      const read = api.read(...questions).then(
        () => "resolves",
        (error: SurveyApiError) => (error.message.includes("maxBodyBytes") ? "rejects" : error),
      );
      expect(await read).toBe(outcome);
    }
  });
});

it("the survey list, which has no pages, may be eight times as long as any other body", async () => {
  const service = await startHostile(answer(`[${" ".repeat(7_998)}]`));
  expect(await clientOf(service, { maxBodyBytes: 1_000 }).api.surveys()).toEqual([]);
  await expect(clientOf(service, { maxBodyBytes: 999 }).api.surveys()).rejects.toMatchObject(tooLong);
});

describe("the time limit of a body", () => {
  it("begins with the last headers, not with those of 103", async () => {
    const service = await startHostile((socket) => {
      socket.write(earlyHints);
      setTimeout(() => {
        socket.write(head("content-length: 16"));
        setTimeout(() => socket.write(list), 100);
      }, 120);
    });
    const limits = { ...timeouts, body: 200 };
    const { api } = withToken(clientOf(service, { timeouts: limits, retry: { attempts: { TIMEOUT: 1 } } }));
    expect(await api.read(...questions)).toEqual([{ surveyId: 1 }]);
  });

  it("leaves no timer behind that could keep a process alive", async () => {
    const service = await startHostile(
      (socket) => void socket.write(`${earlyHints}${head("content-length: 16")}${list}`),
    );
    const { api } = clientOf(service, { timeouts: { ...timeouts, body: 60_000 } });
    await api.read(...questions);
    const before = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    for (let time = 0; time < 20; time += 1) await api.read(...questions);
    const after = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    expect(after - before).toBeLessThan(10);
  });
});
