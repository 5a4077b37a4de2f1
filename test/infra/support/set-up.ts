import { afterAll, vi } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";

// For every file of the folder, since they share their modules: which one loads the stack first must make no difference.
vi.mock("../../../infra/bundle.ts", () => import("./stub-bundle.ts"));

afterAll(removeTemporaryFolders);
