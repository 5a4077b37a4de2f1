import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

test("`npm start` runs with a heap of at most 300 MB, by flags that Node takes as they are", () => {
  const [node, ...flags] = manifest.scripts.start.split(" ").slice(0, -1);
  expect(node).toBe("node");
  const script = 'console.log(require("node:v8").getHeapStatistics().heap_size_limit / 2 ** 20)';
  const limit = execFileSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" });
  expect(Number(limit)).toBeLessThanOrEqual(300);
});
