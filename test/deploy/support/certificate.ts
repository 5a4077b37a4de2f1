import { readFileSync } from "node:fs";
import { join } from "node:path";
import { succeed } from "./processes.ts";

export interface Certificate {
  /** What a client has to trust. */
  file: string;
  cert: string;
  key: string;
}

/** A certificate for 127.0.0.1, made by openssl for this run alone. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const file = join(folder, "endpoint.pem");
  const keyFile = join(folder, "endpoint.key");
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
  const name = ["-subj", "/CN=endpoint of a test", "-addext", "subjectAltName=IP:127.0.0.1"];
  const { PATH = "" } = process.env;
  await succeed("openssl", ["req", ...kind, ...name, "-keyout", keyFile, "-out", file], {
    cwd: folder,
    env: { PATH },
    limit: 30_000,
  });
  return { file, cert: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8") };
}
