import { vi } from "vitest";

// For every file of the folder, since they share their modules: which one loads the stack first must make no difference.
vi.mock("../../../infra/bundle.ts", () => import("./stub-bundle.ts"));
