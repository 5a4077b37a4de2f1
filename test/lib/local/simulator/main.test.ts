import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../../../../lib/local/simulator/main.ts", import.meta.url));

function run(...flags: string[]) {
  const child = spawn(process.execPath, [main, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("prints its URL and credentials, serves responses that keep coming, and ends at SIGTERM", async () => {
  const flags = "--surveys 2 --responses 30 --client-secret s3 --live".split(" ");
  const child = run(...flags, "--settings", '{"tokenBody":"raw"}');
  let out = "";
  while (!out.includes("curl -s")) out += (await once(child.stdout, "data")).join();
  const [, url, clientId, clientSecret] = /^(\S+) {2}clientId (\S+) {2}clientSecret (\S+)$/m.exec(out) ?? [];
  expect([clientId, clientSecret]).toEqual(["simulator", "s3"]);
  const body = new URLSearchParams({ clientId: String(clientId), clientSecret: String(clientSecret) });
  const token = await (await fetch(`${url}/oauth/token/`, { method: "POST", body })).text();
  const headers = { authorization: `bearer ${token}`, "content-type": "application/json" };
  const counts = async (): Promise<number[]> => {
    const list = (await (await fetch(`${url}/api/v3/surveys/`, { headers })).json()) as { responses: number }[];
    return list.map(({ responses }) => responses);
  };
  expect((await counts()).every((count) => count >= 30)).toBe(true);
  await expect.poll(async () => Math.max(...(await counts())), { timeout: 3_000 }).toBeGreaterThan(30);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test.each([
  [["--prot", "1"], /^Unknown option '--prot'/],
  [["--port", "x"], /^--port must be a whole number, not x\n$/],
  [["--settings", "{"], /^--settings must be a JSON object\n$/],
  [["--settings", '{"sortKey":"date"}'], /^sortKey must be one of "responseId", .*\n$/],
])("%j ends with one line on stderr", async (flags, message) => {
  const child = run(...flags);
  const [errors, end] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(end).toEqual([1, null]);
  expect(errors).toMatch(message);
});
