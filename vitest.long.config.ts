import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.long.test.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    testTimeout: 600_000,
    maxWorkers: 3,
  },
});
