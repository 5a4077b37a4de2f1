import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../local/simulator/index.ts";
import { rawReader, rawToken } from "./raw-answer.ts";
import { simulate } from "./support.ts";

const surveys = [{ surveyId: 7, responses: 20 }];
const path = "/api/v3/surveys/7/responses/";
const isPlain = (bytes: Buffer): boolean => bytes[0] === "[".charCodeAt(0);

describe("compression", () => {
  test.each([true, "gzip"] as const)("%s: for a client that accepts gzip", async (compress) => {
    const client = await simulate({ surveys, settings: { compress } });
    const packed = await client.get(path, { "accept-encoding": "gzip" });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const plain = await client.get(path, { "accept-encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await packed.json()).toEqual(await plain.json());
  });

  test.each([
    ["br", brotliDecompressSync],
    ["deflate", inflateSync],
    ["zstd", zstdDecompressSync],
  ] as const)("%s: whatever the client accepts", async (compress, unpacked) => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    const plain = await read(path);
    expect(isPlain(plain.bytes)).toBe(true);
    client.simulator.set({ compress });
    const packed = await read(path, { "accept-encoding": "identity" });
    expect(packed.headers["content-encoding"]).toBe(compress);
    expect(packed.headers["content-length"]).toBe(String(packed.bytes.length));
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
    expect(unpacked(packed.bytes)).toEqual(plain.bytes);
  });
});

describe("the header Content-Encoding", () => {
  test.each(["UTF-8", "none", "gzip"])("says %s of a plain body", async (contentEncoding) => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    client.simulator.set({ contentEncoding });
    const page = await read(path, { "accept-encoding": "gzip" });
    expect([page.headers["content-encoding"], isPlain(page.bytes)]).toEqual([contentEncoding, true]);
    const token = await rawToken(client);
    expect([token.headers["content-encoding"], token.bytes.toString()[0]]).toEqual([contentEncoding, "{"]);
  });

  test("says it of a compressed body and of an error as well", async () => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    client.simulator.set({ contentEncoding: "x-none", compress: true });
    const packed = await read(path, { "accept-encoding": "gzip" });
    expect(packed.headers["content-encoding"]).toBe("x-none");
    expect(isPlain(gunzipSync(packed.bytes))).toBe(true);
    const error = await read("/api/v3/surveys/8/");
    expect([error.status, error.headers["content-encoding"]]).toEqual([404, "x-none"]);
  });
});

describe("before the body", () => {
  test.each<[Settings["bodyPrefix"], string]>([
    ["none", ""],
    ["bom", "efbbbf"],
    ["twoBoms", "efbbbfefbbbf"],
    ["lineThenBom", "0d0aefbbbf"],
  ])("%s", async (bodyPrefix, hex) => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    const plain = await read(path);
    client.simulator.set({ bodyPrefix });
    const prefix = Buffer.from(hex, "hex");
    expect((await read(path)).bytes).toEqual(Buffer.concat([prefix, plain.bytes]));
    for (const { bytes } of [await rawToken(client), await read("/api/v3/surveys/8/")])
      expect(bytes.subarray(0, prefix.length + 1)).toEqual(Buffer.concat([prefix, Buffer.from("{")]));
  });

  test("nothing stands before what is no JSON, or a body of the test's choice", async () => {
    const client = await simulate({ surveys });
    const read = rawReader(client, await client.token());
    client.simulator.set({ bodyPrefix: "bom", tokenBody: "raw" });
    expect((await rawToken(client)).bytes.toString()).toMatch(/^ey/);
    client.simulator.fault({ kind: "body", body: "[]", count: 1 });
    expect((await read(path)).bytes.toString()).toBe("[]");
  });
});
