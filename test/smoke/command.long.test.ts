import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { checks } from "../../smoke/checks/index.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Without credentials, region or home, so that nothing can be reached. */
function smoke(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: "true", AWS_CONFIG_FILE: "/dev/null" };
  return new Promise((done) => {
    execFile(process.execPath, ["smoke/main.ts", ...args], { cwd: ROOT, env }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}

describe("npm run smoke", () => {
  it("says what is lacking before it asks AWS for anything", async () => {
    const { code, stdout, stderr } = await smoke();
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/\nSet credentials and region in the environment/);
  });

  it("lists its flags and its checks", async () => {
    expect((await smoke("--help")).stdout).toContain("--other-profile NAME");
    expect((await smoke("--list")).stdout.trim().split("\n")).toEqual(checks.map(({ name }) => name));
  });

  it("names the nearest flag, and the checks that there are", async () => {
    expect((await smoke("--kep")).stderr).toContain("did you mean --keep?");
    expect(await smoke("--only", "everything")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no check "everything", only deployed, service, poller'),
    });
  });
});

describe("the checks", () => {
  const places = new Map(checks.map(({ name }, index) => [name, index]));

  it("build on and wait for earlier ones only: the runner knows no others", () => {
    const late = checks.flatMap(({ name, after, waitsFor = [] }, index) =>
      [...after, ...waitsFor]
        .filter((before) => !((places.get(before) ?? index) < index))
        .map((before) => `${name} ${before}`),
    );
    expect(late).toEqual([]);
  });

  it("have names of their own, and a deadline of 40 minutes at most", () => {
    expect(places.size).toBe(checks.length);
    for (const { name, deadline } of checks) expect(deadline, name).toBeLessThanOrEqual(2_400_000);
  });

  it("are all in docs/smoke.md", () => {
    const page = readFileSync(resolve(ROOT, "docs/smoke.md"), "utf8");
    expect(checks.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
