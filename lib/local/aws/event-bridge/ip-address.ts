import { isIPv4, isIPv6 } from "node:net";

const looksLikeIp = /^(?:\d+\.\d+\.\d+\.\d+|[0-9a-fA-F:]*:[0-9a-fA-F:]*)$/;

/**
 * An address as upper-case hexadecimal digits (8 for IPv4, 32 for IPv6), which order and compare as the addresses do.
 *
 * @returns undefined for anything that is not the literal of an address
 */
export function ipDigits(text: string): string | undefined {
  if (!looksLikeIp.test(text)) return undefined;
  if (!text.includes(":")) return ipv4Digits(text);
  if (!isIPv6(text)) return undefined;
  const digits = ipv6Digits(text);
  // An IPv4 address in IPv6 clothing is the IPv4 address.
  return digits.startsWith("00000000000000000000FFFF") ? digits.slice(24) : digits;
}

function ipv4Digits(text: string): string | undefined {
  const plain = text
    .split(".")
    .map((part) => String(Number(part)))
    .join(".");
  if (!isIPv4(plain)) return undefined;
  return plain
    .split(".")
    .map((part) => hex(Number(part), 2))
    .join("");
}

function ipv6Digits(text: string): string {
  const [head = "", tail] = text.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => hex(Number.parseInt(group, 16), 4)).join("");
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, "0");
}

/** Addresses from `bottom` to `top`, both included, as hexadecimal digits of one length. */
export interface IpRange {
  bottom: string;
  top: string;
}

/** @returns the range of a block like `10.0.0.0/8`, or what is wrong with it */
export function cidrRange(block: string): IpRange | string {
  // A trailing slash is let pass by AWS's own parser.
  const [address = "", bits = "", ...more] = block.replace(/\/+$/, "").split("/");
  if (more.length > 0 || bits === "") return "Malformed CIDR, one '/' required";
  if (!/^[+-]?\d+$/.test(bits)) return "Malformed CIDR, mask bits must be an integer";
  const mask = Number(bits);
  if (mask < 0) return "Malformed CIDR, mask bits must not be negative";
  const digits = ipDigits(address);
  if (digits === undefined) return `Nonstandard IP address: ${address}`;
  const width = digits.length * 4;
  if (mask >= width) return `IPv${width === 32 ? 4 : 6} mask bits must be < ${width}`;
  const value = BigInt(`0x${digits}`);
  const host = (1n << BigInt(width - mask)) - 1n;
  const toDigits = (number: bigint) => number.toString(16).toUpperCase().padStart(digits.length, "0");
  return { bottom: toDigits(value & ~host), top: toDigits(value | host) };
}

/**
 * Whether a text falls into a range by AWS's own rule. That decides at the first digit that settles the question, so an IPv6 address can
 * fall into an IPv4 block by its first digits.
 */
export function inIpRange(digits: string, { bottom, top }: IpRange): boolean {
  let [onBottom, onTop] = [true, true];
  for (let index = 0; index < bottom.length; index++) {
    const digit = digits[index];
    const [low = "", high = ""] = [bottom[index], top[index]];
    if (digit === undefined || !/[0-9A-F]/.test(digit)) return false;
    if ((onBottom && digit < low) || (onTop && digit > high)) return false;
    onBottom &&= digit === low;
    onTop &&= digit === high;
    if (!onBottom && !onTop) return true;
  }
  return true;
}
