import { hash32 } from "./hashing.ts";

const words = [
  "Szybka",
  "obsługa",
  "i",
  "miła",
  "rozmowa",
  "too",
  "long",
  "to",
  "wait",
  "but",
  "very",
  "helpful",
  "staff",
  "żółty",
  "formularz",
  "nie",
  "działa",
  "w",
  "telefonie",
  "👍",
  "würde",
  "es",
  "wieder",
  "kaufen",
  "price",
  "ok",
];

/** Some words, the same for the same seed; beyond ASCII, as comments are. */
export function someWords(seed: number, count: number): string {
  return Array.from({ length: count }, (_, index) => words[hash32(seed, index, 40) % words.length]).join(" ");
}

/** A text of exactly so many bytes in UTF-8. */
export function textOfBytes(seed: number, bytes: number): string {
  const encoded = Buffer.from(`${someWords(seed, 40)} `);
  const repeated = Buffer.alloc(bytes, encoded).toString("utf8");
  // The cut may fall inside a character: what is left of it is filled with ASCII.
  const whole = repeated.replace(/\uFFFD+$/u, "");
  return whole.padEnd(whole.length + bytes - Buffer.byteLength(whole), ".");
}
