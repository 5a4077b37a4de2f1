import { defineConfig } from "vitest/config";

export default defineConfig({
  // As in the config of the short tests. Paths are from the checkout.
  resolve: { tsconfigPaths: true },
  test: {
    include: ["test/**/*.long.test.ts"],
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    globalSetup: "./test/support/bundle-once.ts",
    testTimeout: 600_000,
    maxWorkers: 3,
  },
});
