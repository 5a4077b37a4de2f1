declare module "dynalite" {
  import type { Server } from "node:http";

  interface DynaliteOptions {
    /** Folder of the LevelDB store; in memory without one. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
