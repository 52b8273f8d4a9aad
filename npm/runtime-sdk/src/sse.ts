// Server-sent events: bytes to frames. Pieces may end anywhere, also inside a character.

import { RuntimeProtocolError } from "./errors.js";
import { FRAME_CHARS_MAX } from "./limits.js";

/** One event as it stands on the wire. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

const LINE_END = /\r\n?|\n/g;

/** Puts pieces together. Lines end with LF, CRLF or CR; a frame that is cut off is no frame. */
export class FrameDecoder {
  readonly #decoder = new TextDecoder();
  readonly #charsMax: number;
  /** The line that has not ended yet. Kept in pieces: joined at each of them, a long line would be
   * copied again and again. */
  #pieces: string[] = [];
  /** The characters of the frame that has not ended yet. */
  #chars = 0;
  /** Whether a line feed at the start of the next piece belongs to the end of the last line. */
  #isAfterCr = false;
  #id: string | undefined;
  #event: string | undefined;
  #data: string[] = [];

  constructor(charsMax: number = FRAME_CHARS_MAX) {
    this.#charsMax = charsMax;
  }

  /** The frames that are whole with this piece. */
  push(piece: Uint8Array): Frame[] {
    const text = this.#decoder.decode(piece, { stream: true });
    if (text === "") return [];
    let from = this.#isAfterCr && text.startsWith("\n") ? 1 : 0;
    this.#isAfterCr = text.endsWith("\r");
    const frames: Frame[] = [];
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      this.#keep(text.slice(from, end.index));
      from = LINE_END.lastIndex;
      const frame = this.#line(this.#pieces.join(""));
      this.#pieces = [];
      if (frame !== undefined) frames.push(frame);
    }
    this.#keep(text.slice(from));
    return frames;
  }

  #keep(piece: string): void {
    if (piece === "") return;
    this.#pieces.push(piece);
    this.#chars += piece.length;
    if (this.#chars <= this.#charsMax) return;
    throw new RuntimeProtocolError(
      `an event of more than ${this.#charsMax} characters; this is no event stream of CodeWhale`,
    );
  }

  #line(line: string): Frame | undefined {
    if (line === "") return this.#frame();
    const colon = line.indexOf(":");
    if (colon === 0) return this.#comment(line);
    const name = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#event = value;
    else if (name === "id") this.#id = value;
    return undefined;
  }

  /** Says that the server lives, and is no part of a frame. */
  #comment(line: string): undefined {
    this.#chars -= line.length;
  }

  /** What the lines before an empty one make; nothing without data. */
  #frame(): Frame | undefined {
    const data = this.#data.join("\n");
    const frame = { id: this.#id, event: this.#event, data };
    this.#id = this.#event = undefined;
    this.#data = [];
    this.#chars = 0;
    return data === "" ? undefined : frame;
  }
}
