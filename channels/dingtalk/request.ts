import { createDeadline } from '#kernel'
import { outageOf } from './failure.ts'
import { parseObject, type WireObject } from './wire-value.ts'

/** How long DingTalk may take for an answer, in milliseconds. */
export const REQUEST_TIMEOUT = 30_000

/** Bytes of an answer; the longest that are known have a few kilobytes. */
const MAX_ANSWER = 1024 * 1024

/** What DingTalk has answered; the body is empty where it was no JSON object. */
export interface Answer {
  status: number
  headers: Headers
  body: WireObject
}

/** What it is asked; an object is sent as JSON. */
export interface Question {
  method?: 'POST' | 'PUT'
  headers?: Record<string, string>
  body: object | Uint8Array
  signal?: AbortSignal | undefined
}

/** Asks DingTalk; an answer of any status resolves, and where none comes a `ChannelFailure` says why. */
export type Request = (url: string, question: Question) => Promise<Answer>

/** Makes requests that end with `closing`. */
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
        // Without it some of the answers are XML.
        accept: 'application/json',
        ...(!isBytes && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
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
    const deadline = createDeadline([closing, question.signal], { milliseconds: REQUEST_TIMEOUT })
    try {
      return await ask(url, question, deadline.signal)
    } catch (error) {
      throw outageOf(error, deadline.signal)
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
    // Leaving the loop cancels the rest; what is cut is no JSON and counts as an answer without words.
    if (length > MAX_ANSWER) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
