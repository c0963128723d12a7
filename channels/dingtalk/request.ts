import { createDeadline, toWellFormedJSON } from '#toolbox'
import { toOutage } from './failure.ts'
import { parseObject, type WireObject } from './wire-value.ts'

/** Time limit for an answer. */
export const REQUEST_MS = 30_000

/** The longest known answers have a few kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024

/** An answer of DingTalk; the body is empty if it is not a JSON object. */
export interface Answer {
  status: number
  headers: Headers
  body: WireObject
}

/** The content of a request; an object is sent as JSON. */
export interface Question {
  method?: 'POST' | 'PUT'
  headers?: Record<string, string>
  body: object | Uint8Array
  signal?: AbortSignal | undefined
}

/** Sends a request. Resolves for any HTTP status; rejects with a `ChannelFailure` if no answer comes. */
export type Request = (url: string, question: Question) => Promise<Answer>

/** Creates the sender of requests; `closing` aborts them. */
export function createRequest({
  fetch,
  closing,
}: {
  fetch: typeof globalThis.fetch
  closing: AbortSignal
}): Request {
  async function ask(url: string, { method = 'POST', headers, body }: Question, signal: AbortSignal) {
    const isBytes = body instanceof Uint8Array
    const response = await fetch(url, {
      method,
      headers: {
        // Without this header some answers are XML.
        accept: 'application/json',
        ...(!isBytes && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isBytes ? (body as Uint8Array<ArrayBuffer>) : toWellFormedJSON(body),
      redirect: 'error',
      signal,
    })
    return {
      status: response.status,
      headers: response.headers,
      body: parseObject(await readText(response)),
    }
  }

  return async (url, question) => {
    const deadline = createDeadline([closing, question.signal], { milliseconds: REQUEST_MS })
    try {
      return await ask(url, question, deadline.signal)
    } catch (error) {
      throw toOutage(error, deadline.signal)
    } finally {
      deadline.release()
    }
  }
}

async function readText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.byteLength
    // Leaving the loop cancels the rest. A cut text is not JSON and counts as an empty answer.
    if (length > MAX_ANSWER_BYTES) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
