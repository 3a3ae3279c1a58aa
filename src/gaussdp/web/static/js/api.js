// Calls of the server. A refusal is a Refusal: its words, and the field they are about if there is one.

export class Refusal extends Error {
  /**
   * @param {string} message
   * @param {string | null} field
   * @param {number} status
   * @param {number} [retryAfter] seconds
   */
  constructor(message, field = null, status = 0, retryAfter = 0) {
    super(message);
    this.field = field;
    this.status = status;
    this.unreachable = status === 0;
    this.retryAfter = retryAfter;
  }
}

const UNREACHABLE = "The server does not answer. Is gaussdp serve still running?";

async function send(path, body, signal, more = {}) {
  let response;
  try {
    response = await fetch(`api/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/json", ...more },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(UNREACHABLE);
  }
  if (response.status === 502 || response.status === 504) throw new Refusal(UNREACHABLE); // of a proxy before it
  if (!response.ok) throw await refusal(response);
  return response;
}

async function refusal(response) {
  let error = null;
  try {
    error = (await response.json()).error;
  } catch {
    // Not in our shape, such as a proxy's page.
  }
  const retryAfter = Number(response.headers.get("Retry-After")) || 0;
  return new Refusal(error?.message ?? `The server answered with status ${response.status}.`, error?.field ?? null, response.status, retryAfter);
}

/** A closed form: one question, one answer. */
export async function ask(path, body, signal) {
  const response = await send(path, body, signal);
  return whole(() => response.json());
}

/** Something for which the server wants a token. */
export async function spend(request, token) {
  const response = await send("ledger/spend", request, undefined, { Authorization: `Bearer ${token}` });
  return whole(() => response.json());
}

/** A file, with the name the server gives it. */
export async function fetchFile(path, body) {
  const response = await send(path, body);
  const name = /filename="?([^";]+)"?/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? "gaussdp";
  return { blob: await whole(() => response.blob()), name };
}

/** The rest of an answer, whose connection may break in the middle. */
async function whole(read) {
  try {
    return await read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(UNREACHABLE);
  }
}

/**
 * A long question: lines of progress, then the result.
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} signal
 * @param {(progress: {seconds: number, message: string}) => void} onProgress
 */
export async function follow(path, body, signal, onProgress) {
  const response = await send(path, body, signal);
  let last = {};
  await whole(async () => {
    for await (const line of lines(response.body)) {
      if (line.progress) onProgress(line.progress);
      last = line;
    }
  });
  if (last.error) throw new Refusal(last.error.message, last.error.field, response.status);
  if (last.result) return last.result;
  throw new Refusal("The server stopped before the result.");
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const pieces = (rest + (value ?? "")).split("\n");
    rest = done ? "" : pieces.pop();
    for (const piece of pieces) if (piece.trim()) yield JSON.parse(piece);
    if (done) return;
  }
}
