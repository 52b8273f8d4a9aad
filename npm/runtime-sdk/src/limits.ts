// Every bound of talking to a server, with its reason. Times are in milliseconds.

/** Operations answer once their effect is stored; the slowest look into a large workspace. */
export const CALL_MS = 60_000;

/** An event stream answers at once; the server only has to find the thread. */
export const OPEN_MS = 30_000;

/** The server says something every 15 seconds. Three times that without a byte, and it is gone. */
export const SILENCE_MS = 45_000;

/** A machine that wakes up from sleep hears its clocks before it hears what has come meanwhile. So long it
 * may listen before what it waits for counts as late. */
export const LISTEN_MS = 100;

/** How often a request is sent before its failure is told: enough for a server that restarts. */
export const ATTEMPTS_MAX = 5;

/** About the wait before the second attempt. Each further wait is twice as long. */
export const DELAY_MIN_MS = 100;

/** No wait between attempts is longer: someone sits in front of it. */
export const DELAY_MAX_MS = 5_000;

/** After so many attempts in a row, about three minutes, the server counts as gone. */
export const RECONNECTS_MAX = 40;

/** A connection that held this long was a good one: attempts count anew. */
export const STABLE_MS = 30_000;

/** So many gaps at one place are no accident of a connection: the server lacks the events. */
export const GAPS_MAX = 3;

/** The longest event that is taken, in characters. Servers stay below 16 MiB. */
export const FRAME_CHARS_MAX = 16 * 1024 * 1024;

/** What is shown of a text that is not ours: the reason stands at its start. */
export const FOREIGN_CHARS_MAX = 500;
