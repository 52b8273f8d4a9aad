import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameDecoder, type Frame } from "../dist/esm/sse.js";

const bytes = (text: string) => new TextEncoder().encode(text);

/** The frames of a text that arrives in pieces of so many bytes. */
function decoded(text: string, pieceBytes: number): Frame[] {
  const decoder = new FrameDecoder();
  const all = bytes(text);
  const frames: Frame[] = [];
  for (let at = 0; at < all.length; at += pieceBytes) frames.push(...decoder.push(all.slice(at, at + pieceBytes)));
  return frames;
}

const STREAM = ': hello\n\nid: 1\nevent: a\ndata: {"t":"Grüße 🐳 的"}\n\ndata: x\ndata:  y\n\nevent: b\n\ndata: cut off\n';
const FRAMES = [
  { id: "1", event: "a", data: '{"t":"Grüße 🐳 的"}' },
  { id: undefined, event: undefined, data: "x\n y" },
];

test("a stream may be cut at every byte, whatever ends its lines", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const text = STREAM.replaceAll("\n", end);
    for (let pieceBytes = 1; pieceBytes <= bytes(text).length; pieceBytes += 1) {
      assert.deepEqual(decoded(text, pieceBytes), FRAMES, `${JSON.stringify(end)} in pieces of ${pieceBytes}`);
    }
  }
});

test("a frame without data is no event, and does not lend its name to the next one", () => {
  assert.deepEqual(decoded("event: a\nid: 7\n\ndata: x\n\n", 5), [{ id: undefined, event: undefined, data: "x" }]);
});

test("an event that never ends is refused before it fills the memory", () => {
  const decoder = new FrameDecoder(100);
  assert.deepEqual(decoder.push(bytes(`data: ${"x".repeat(80)}\n`)), []);
  assert.throws(() => decoder.push(bytes(`data: ${"x".repeat(80)}\n`)), { name: "RuntimeProtocolError" });
  assert.throws(() => new FrameDecoder(100).push(bytes("x".repeat(101))), { name: "RuntimeProtocolError" });
});

test("any number of comments may stand before an event", () => {
  const decoder = new FrameDecoder(100);
  for (let beat = 0; beat < 50; beat += 1) decoder.push(bytes(": keepalive\n"));
  assert.equal(decoder.push(bytes("data: x\n\n")).length, 1);
});

test("a long event in small pieces is not copied with each of them", { timeout: 5_000 }, async () => {
  const long = `data: ${"x".repeat(4 * 1024 * 1024)}\n\n`;
  const [frame] = decoded(long, 1024);
  assert.equal(frame?.data.length, 4 * 1024 * 1024);
});
